import { computed, readonly, ref } from 'vue'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'theme'

const kept = (): Theme => {
  const value = localStorage.getItem(KEY)
  return value === 'light' || value === 'dark' ? value : 'system'
}

const theme = ref<Theme>(kept())
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const isDark = ref(systemIsDark.matches)
systemIsDark.addEventListener('change', ({ matches }) => (isDark.value = matches))

/** Puts the chosen theme on the page; the system's is the style sheet's own. */
export const applyTheme = (): void => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
}

/** Chooses a theme and keeps it in this browser. */
const choose = (chosen: Theme): void => {
  theme.value = chosen
  if (chosen === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, chosen)
  applyTheme()
}

const shown = computed<'light' | 'dark'>(() =>
  theme.value === 'system' ? (isDark.value ? 'dark' : 'light') : theme.value,
)

// The system is asked as it is now: its change may not have been told yet.
const flip = (): void => {
  isDark.value = systemIsDark.matches
  choose(shown.value === 'dark' ? 'light' : 'dark')
}

/** The theme: what was chosen, what is shown, and how to change it. `flip` takes the other one than is shown. */
export const useTheme = () => ({ theme: readonly(theme), shown, choose, flip })
