import { canonicalText } from '../../../text/json-text.ts'
import type { Called, ExpectedCall } from './expected-calls.ts'

/** An expected argument next to the one that was given. */
export type PairedArgument = {
  readonly name: string
  /** Null if no such argument is expected. */
  readonly expected: readonly unknown[] | null
  readonly isOptional: boolean
  /** Undefined if it was not given. */
  readonly given: unknown
  readonly isSame: boolean
}
/** An expected call with the call that was made for it, or null if none was. */
export type PairedCall = {
  readonly expected: ExpectedCall
  readonly called: Called | null
  readonly arguments: readonly PairedArgument[]
  readonly isSame: boolean
}

/** Whether two JSON values are equal; the order of fields does not matter. */
const isEqual = (a: unknown, b: unknown): boolean => canonicalText(a) === canonicalText(b)

/** Providers that allow no dots in the name of a tool replace them. */
const isSameName = (a: string, b: string): boolean => a.replaceAll('.', '_') === b.replaceAll('.', '_')

const pairArguments = (expected: ExpectedCall, called: Called): PairedArgument[] => {
  const rows = expected.arguments.map(({ name, allowed, isOptional }) => {
    const given = Object.hasOwn(called.arguments, name) ? called.arguments[name] : undefined
    const isSame = given === undefined ? isOptional : allowed.some((value) => isEqual(value, given))
    return { name, expected: allowed, isOptional, given, isSame }
  })
  const names = new Set(rows.map(({ name }) => name))
  const others = Object.entries(called.arguments)
    .filter(([name]) => !names.has(name))
    .map(([name, given]) => ({ name, expected: null, isOptional: false, given, isSame: expected.isOpen }))
  return [...rows, ...others]
}

const pairOf = (expected: ExpectedCall, called: Called): PairedCall => {
  const paired = pairArguments(expected, called)
  return { expected, called, arguments: paired, isSame: paired.every(({ isSame }) => isSame) }
}

const sameArguments = ({ arguments: paired }: PairedCall): number => paired.filter(({ isSame }) => isSame).length

/**
 * Pairs expected calls with those that were made, in their order: first the calls that are the same, then calls of the same
 * name, of several the one with the most arguments in common. `others` are the calls that nothing expects.
 */
export const pairCalls = (
  expected: readonly ExpectedCall[],
  called: readonly Called[],
): { readonly pairs: readonly PairedCall[]; readonly others: readonly Called[] } => {
  const left = new Set(called)
  const pairs = new Map<ExpectedCall, PairedCall>()
  for (const isExact of [true, false]) {
    for (const wanted of expected) {
      if (pairs.has(wanted)) continue
      let best: PairedCall | null = null
      for (const made of left) {
        if (!isSameName(wanted.name, made.name)) continue
        const pair = pairOf(wanted, made)
        if (isExact ? pair.isSame : best === null || sameArguments(pair) > sameArguments(best)) best = pair
        if (best?.isSame) break
      }
      if (!best?.called) continue
      pairs.set(wanted, best)
      left.delete(best.called)
    }
  }
  return {
    pairs: expected.map(
      (wanted) => pairs.get(wanted) ?? { expected: wanted, called: null, arguments: [], isSame: false },
    ),
    others: [...left],
  }
}
