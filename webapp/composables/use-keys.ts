import { computed, onScopeDispose, ref, shallowRef } from 'vue'

/**
 * What a key does, in words for the list that `?` shows, and how. `hidden` keeps a second key for the same out of the
 * list.
 */
export type Binding = { readonly does: string; readonly run: (event: KeyboardEvent) => void; readonly hidden?: true }
/** By key, as `KeyboardEvent.key` names it; two keys one after the other with a space between: `g r`. */
export type Bindings = Readonly<Record<string, Binding>>

/** How long the second key of a pair may take. */
const PAIR_MS = 1_000
const OFF = 'single-keys'

type Layer = { readonly bindings: Bindings; readonly alone: () => boolean }

/** What helps everywhere, and moves the focus nowhere that a layer alone keeps it from. */
const EVERYWHERE = ['?', 't']

// The newest last: a drawer's keys go before those of the page beneath it.
const layers = shallowRef<readonly Layer[]>([])
const enabled = ref(localStorage.getItem(OFF) !== 'off')
let first: { readonly key: string; readonly until: number } | null = null

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(?:TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit)$/.test(target.type)))

/** Keys pressed on something that takes them itself: a button its Enter, a menu its letters. */
const taken = ({ key, target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.closest('[role="menu"], [role="listbox"], [role="grid"] [role="gridcell"] input') !== null ||
    ((key === 'Enter' || key === ' ') && target.closest('a, button, summary') !== null))

/** The layers that are heard: from the last that stands alone upwards, else all. */
const heard = (): readonly Layer[] =>
  layers.value.slice(
    Math.max(
      0,
      layers.value.findLastIndex(({ alone }) => alone()),
    ),
  )
const find = (key: string): Binding | undefined =>
  (EVERYWHERE.includes(key) ? layers.value : heard()).findLast(({ bindings }) => Object.hasOwn(bindings, key))
    ?.bindings[key]
const startsPair = (key: string): boolean =>
  heard().some(({ bindings }) => Object.keys(bindings).some((name) => name.startsWith(`${key} `)))

const press = (event: KeyboardEvent): void => {
  if (
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.isComposing ||
    typing(event.target) ||
    taken(event)
  )
    return
  // Escape is no character: it stays when single keys are off.
  if (!enabled.value && event.key.length === 1) return
  // A modal dialog has the keyboard to itself.
  if (document.querySelector('[role="dialog"][data-modal]') !== null) return
  const pair = first !== null && event.timeStamp <= first.until ? find(`${first.key} ${event.key}`) : undefined
  first = null
  const binding = pair ?? find(event.key)
  if (binding) {
    event.preventDefault()
    binding.run(event)
  } else if (startsPair(event.key)) first = { key: event.key, until: event.timeStamp + PAIR_MS }
}

/**
 * Binds keys while the calling component is there. Off while typing, with a modifier, and beneath a modal dialog; what
 * was bound last goes first. While `alone` says true, nothing bound before is heard: for what covers the page.
 */
export const useKeys = (bindings: Bindings, alone: () => boolean = () => false): void => {
  if (layers.value.length === 0) window.addEventListener('keydown', press)
  const layer = { bindings, alone }
  layers.value = [...layers.value, layer]
  onScopeDispose(() => {
    layers.value = layers.value.filter((each) => each !== layer)
    if (layers.value.length === 0) window.removeEventListener('keydown', press)
  })
}

/** All keys that do something now, in the order they were bound, each once. */
export const useKeyList = () => {
  const list = computed(() => {
    const names = new Set(layers.value.flatMap(({ bindings }) => Object.keys(bindings)))
    const byWords = new Map<string, string[]>()
    for (const key of names) {
      const binding = find(key)
      if (binding && !binding.hidden) byWords.set(binding.does, [...(byWords.get(binding.does) ?? []), key])
    }
    return [...byWords].map(([does, keys]) => ({ does, keys }))
  })
  const enable = (on: boolean): void => {
    enabled.value = on
    if (on) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, 'off')
  }
  return { list, enabled, enable }
}
