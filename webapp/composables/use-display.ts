import { computed, readonly, ref, type Ref } from 'vue'
import { localZone } from '../text/format.ts'

// How this browser shows pages. These choices are about a screen, not about an account, so they are stored in the browser.

export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

/**
 * How times are shown: how long ago, or the time in UTC or in the time zone of the browser. Exact times next to relative ones
 * are in the time zone of the browser.
 */
export const TIMES = ['relative', 'utc', 'local'] as const
export type Times = (typeof TIMES)[number]

const stored = <T extends string>(key: string, values: readonly [T, ...T[]]): Ref<T> => {
  const value = localStorage.getItem(key)
  return ref(values.find((known) => known === value) ?? values[0]) as Ref<T>
}
const density = stored('density', DENSITIES)
const times = stored('times', TIMES)

/** Applies the chosen density to the page; the style sheet has its sizes. */
export const applyDensity = (): void => {
  if (density.value === 'comfortable') delete document.documentElement.dataset['density']
  else document.documentElement.dataset['density'] = density.value
}

const choose = <T extends string>(key: string, values: readonly [T, ...T[]], setting: Ref<T>, value: T): void => {
  setting.value = value
  if (value === values[0]) localStorage.removeItem(key)
  else localStorage.setItem(key, value)
}
const chooseDensity = (value: Density): void => {
  choose('density', DENSITIES, density, value)
  applyDensity()
}
/** The time zone in which times are shown, such as `Europe/Berlin`. */
const timeZone = computed(() => (times.value === 'utc' ? 'UTC' : localZone()))
const chooseTimes = (value: Times): void => choose('times', TIMES, times, value)

export const useDisplay = () => ({
  density: readonly(density),
  times: readonly(times),
  timeZone,
  chooseDensity,
  chooseTimes,
})
