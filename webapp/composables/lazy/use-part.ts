import { shallowRef, toValue, watch } from 'vue'
import type { Component, MaybeRefOrGetter, ShallowRef } from 'vue'

/**
 * A part of a page, in a script of its own, which loads once `isShown` is true. `part` is null until then.
 */
export const usePart = (
  load: () => Promise<{ readonly default: Component }>,
  isShown: MaybeRefOrGetter<boolean>,
): {
  readonly part: Readonly<ShallowRef<Component | null>>
  readonly error: Readonly<ShallowRef<Error | null>>
  readonly reload: () => void
} => {
  const part = shallowRef<Component | null>(null)
  const error = shallowRef<Error | null>(null)
  let isRequested = false
  const request = async (): Promise<void> => {
    isRequested = true
    error.value = null
    try {
      part.value = (await load()).default
    } catch (reason) {
      error.value = reason instanceof Error ? reason : new Error(String(reason))
    }
  }
  watch(
    () => toValue(isShown),
    (shown) => shown && !isRequested && void request(),
    { immediate: true },
  )
  return { part, error, reload: () => void request() }
}
