import { didYouMean, quotedNames } from '../../../domain/text/nearest.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { isObject } from '../../read/row.ts'

// Checks of a table map. Each returns what it checked, or throws `SourceRefused` with the path of the first error.

export type Check<T> = (value: unknown, path: string) => T
type Checks = Readonly<Record<string, Check<unknown>>>
type Checked<C extends Checks> = { readonly [K in keyof C]: ReturnType<C[K]> }

export const wrong = (path: string, problem: string) => new SourceRefused(`--map: ${path || 'the map'} ${problem}`)

/** An object with these members and no other. Of an unknown one, the nearest known one is named. */
export const members =
  <C extends Checks>(checks: C): Check<Checked<C>> =>
  (value, path) => {
    if (!isObject(value)) throw wrong(path, `must be an object with ${quotedNames(Object.keys(checks))}`)
    const known = Object.keys(checks)
    for (const key of Object.keys(value))
      if (!known.includes(key))
        throw wrong(
          path,
          `has the unknown key \`${key.slice(0, 60)}\`${didYouMean(key, known) || `; there are ${quotedNames(known)}`}`,
        )
    return Object.fromEntries(
      Object.entries(checks).map(([key, check]) => [
        key,
        check(Object.hasOwn(value, key) ? value[key] : undefined, path === '' ? key : `${path}.${key}`),
      ]),
    ) as Checked<C>
  }

export const maybe =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, path) =>
    value === undefined || value === null ? undefined : check(value, path)

export const text: Check<string> = (value, path) => {
  if (typeof value !== 'string' || value === '') throw wrong(path, 'must be a text')
  return value
}

export const finite: Check<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(path, 'must be a number')
  return value
}

export const flag: Check<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw wrong(path, 'must be true or false')
  return value
}

/** A text, a number or a boolean, as text. */
export const scalar: Check<string> = (value, path) => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw wrong(path, 'must be a text, a number, true or false')
  return String(value)
}

export const listOf =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw wrong(path, 'must be a list')
    return value.map((item, index) => check(item, `${path}[${index}]`))
  }

/** An object whose keys are names. */
export const named =
  <T>(check: Check<T>): Check<Readonly<Record<string, T>>> =>
  (value, path) => {
    if (!isObject(value)) throw wrong(path, 'must be an object of names')
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, check(item, `${path}.${name}`)]))
  }

export const oneOfValues =
  <const T extends string>(values: readonly T[]): Check<T> =>
  (value, path) => {
    const found = values.find((known) => known === value)
    if (found === undefined) throw wrong(path, `must be one of ${quotedNames(values)}`)
    return found
  }
