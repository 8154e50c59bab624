import { computed, readonly, ref } from 'vue'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const STORAGE_KEY = 'theme'

const readStored = (): Theme => {
  const value = localStorage.getItem(STORAGE_KEY)
  return value === 'light' || value === 'dark' ? value : 'system'
}

const theme = ref<Theme>(readStored())
// Not VueUse's useColorMode: by default it adds an inline style element, which the content policy forbids.
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const isDark = ref(systemIsDark.matches)
systemIsDark.addEventListener('change', ({ matches }) => (isDark.value = matches))

/** Applies the chosen theme to the page; the style sheet itself follows the system's theme. */
export const applyTheme = (): void => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
}

/** Chooses a theme and stores the choice in this browser. */
const choose = (chosen: Theme): void => {
  theme.value = chosen
  if (chosen === 'system') localStorage.removeItem(STORAGE_KEY)
  else localStorage.setItem(STORAGE_KEY, chosen)
  applyTheme()
}

const shown = computed<'light' | 'dark'>(() =>
  theme.value === 'system' ? (isDark.value ? 'dark' : 'light') : theme.value,
)

// Reads the system's theme again, because the event for its last change may not have arrived yet.
const flip = (): void => {
  isDark.value = systemIsDark.matches
  choose(shown.value === 'dark' ? 'light' : 'dark')
}

/** The chosen theme, the shown theme, and how to change them. `flip` switches to the theme that is not shown. */
export const useTheme = () => ({ theme: readonly(theme), shown, choose, flip })
