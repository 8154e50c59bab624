import { shallowRef, toValue, watch, type Component, type MaybeRefOrGetter, type ShallowRef } from 'vue'

type Load = () => Promise<{ readonly default: Component }>

/** Parts whose scripts have loaded. They are shown at once, so that nothing moves. */
const loaded = new WeakMap<Load, Component>()

/** Loads a part, so that it is shown at once later. Rejects if its script cannot be loaded. */
export const loadPart = async (load: Load): Promise<Component> => {
  const part = (await load()).default
  loaded.set(load, part)
  return part
}

/**
 * A part of a page, in a script of its own, which loads once `isShown` is true. `part` is null until then.
 */
export const usePart = (
  load: Load,
  isShown: MaybeRefOrGetter<boolean>,
): {
  readonly part: Readonly<ShallowRef<Component | null>>
  readonly error: Readonly<ShallowRef<Error | null>>
  readonly reload: () => void
} => {
  const part = shallowRef<Component | null>(loaded.get(load) ?? null)
  const error = shallowRef<Error | null>(null)
  let isRequested = false
  const request = async (): Promise<void> => {
    isRequested = true
    error.value = null
    try {
      part.value = await loadPart(load)
    } catch (reason) {
      error.value = reason instanceof Error ? reason : new Error(String(reason))
    }
  }
  watch(
    () => toValue(isShown),
    (shown) => shown && part.value === null && !isRequested && void request(),
    { immediate: true },
  )
  return { part, error, reload: () => void request() }
}
