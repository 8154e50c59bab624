import { computed, shallowRef, type ShallowRef, type WritableComputedRef } from 'vue'

/** The values in use, one for each name, so that all parts of the page see a change. */
const values = new Map<string, ShallowRef<unknown>>()

/**
 * A choice that this browser remembers under a name, as JSON, or as it is if it is text. A change in another window
 * arrives too. What cannot be read is as if nothing had been chosen.
 */
export const useStored = <T>(name: string, initial: T): WritableComputedRef<T> => {
  const read = (): T => {
    const text = localStorage.getItem(name)
    if (text === null || typeof initial === 'string') return (text as T | null) ?? initial
    try {
      return JSON.parse(text) as T
    } catch {
      return initial
    }
  }
  const known = values.get(name)
  const value = (known ?? shallowRef()) as ShallowRef<T>
  value.value = read()
  if (!known) {
    values.set(name, value)
    addEventListener('storage', ({ key }) => (key === name || key === null) && (value.value = read()))
  }
  return computed({
    get: () => value.value,
    set: (chosen) => {
      value.value = chosen
      localStorage.setItem(name, typeof chosen === 'string' ? chosen : JSON.stringify(chosen))
    },
  })
}
