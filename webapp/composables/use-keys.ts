import { computed, onScopeDispose, ref, shallowRef } from 'vue'

/**
 * The action of a key. `run` performs it; `does` describes it in the list that `?` opens. `hidden` omits the key from
 * that list, for example because another key has the same action.
 */
export type Binding = { readonly does: string; readonly run: (event: KeyboardEvent) => void; readonly hidden?: true }
/** By key, as in `KeyboardEvent.key`; two keys in sequence are separated by a space: `g r`. */
export type Bindings = Readonly<Record<string, Binding>>

/** Maximum time between the two keys of a sequence. */
const MAX_SEQUENCE_MS = 1_000
const STORAGE_KEY = 'single-keys'

type Layer = { readonly bindings: Bindings; readonly isExclusive: () => boolean }

/** Keys that keep working while an exclusive layer is open, because they do not move the focus out of it. */
const EVERYWHERE = ['?', 't']

// The newest layer is last: a drawer's keys take precedence over those of the page below it.
const layers = shallowRef<readonly Layer[]>([])
const enabled = ref(localStorage.getItem(STORAGE_KEY) !== 'off')
let first: { readonly key: string; readonly until: number } | null = null

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(?:TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit)$/.test(target.type)))

/** Whether the focused element handles the key itself, as a button handles Enter and a menu handles letters. */
const isHandledByTarget = ({ key, target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.closest('[role="menu"], [role="listbox"], [role="grid"] [role="gridcell"] input') !== null ||
    ((key === 'Enter' || key === ' ') && target.closest('a, button, summary') !== null))

/** The layers that receive keys: the last exclusive layer and those above it, else all. */
const activeLayers = (): readonly Layer[] =>
  layers.value.slice(
    Math.max(
      0,
      layers.value.findLastIndex(({ isExclusive }) => isExclusive()),
    ),
  )
const find = (key: string): Binding | undefined =>
  (EVERYWHERE.includes(key) ? layers.value : activeLayers()).findLast(({ bindings }) => Object.hasOwn(bindings, key))
    ?.bindings[key]
const startsSequence = (key: string): boolean =>
  activeLayers().some(({ bindings }) => Object.keys(bindings).some((name) => name.startsWith(`${key} `)))

const press = (event: KeyboardEvent): void => {
  if (
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.isComposing ||
    isTextField(event.target) ||
    isHandledByTarget(event)
  )
    return
  // Escape types no character, so it still works when single keys are off.
  if (!enabled.value && event.key.length === 1) return
  // A modal dialog receives all keys.
  if (document.querySelector('[role="dialog"][data-modal]') !== null) return
  const sequence = first !== null && event.timeStamp <= first.until ? find(`${first.key} ${event.key}`) : undefined
  first = null
  const binding = sequence ?? find(event.key)
  if (binding) {
    event.preventDefault()
    binding.run(event)
  } else if (startsSequence(event.key)) first = { key: event.key, until: event.timeStamp + MAX_SEQUENCE_MS }
}

/**
 * Binds keys until the calling component unmounts. Ignores keys while the user types, with a modifier, and while a
 * modal dialog is open. The last binding of a key wins. While `isExclusive` returns true, earlier bindings are ignored;
 * use it for components that cover the page.
 */
export const useKeys = (bindings: Bindings, isExclusive: () => boolean = () => false): void => {
  if (layers.value.length === 0) window.addEventListener('keydown', press)
  const layer = { bindings, isExclusive }
  layers.value = [...layers.value, layer]
  onScopeDispose(() => {
    layers.value = layers.value.filter((other) => other !== layer)
    if (layers.value.length === 0) window.removeEventListener('keydown', press)
  })
}

/** All keys that are bound now, grouped by action, in the order in which they were bound. */
export const useKeyList = () => {
  const list = computed(() => {
    const names = new Set(layers.value.flatMap(({ bindings }) => Object.keys(bindings)))
    const byWords = new Map<string, { readonly keys: string[]; readonly run: () => void }>()
    for (const key of names) {
      const binding = find(key)
      if (!binding || binding.hidden) continue
      const run = (): void => binding.run(new KeyboardEvent('keydown', { key }))
      byWords.set(binding.does, { run, keys: [...(byWords.get(binding.does)?.keys ?? []), key] })
    }
    return [...byWords].map(([does, { keys, run }]) => ({ does, keys, run }))
  })
  const enable = (on: boolean): void => {
    enabled.value = on
    if (on) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, 'off')
  }
  return { list, enabled, enable }
}
