import { fraction } from '../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../json.ts'
import { isList, isMapping } from './values.ts'

// Digests are equal across engines only if the hashed bytes are. Fields that are fractions by type are hashed with a
// fraction, so a weight of 1 is `1.0`. Integers and values whose meaning is not known, such as `params`, stay as they are.

type Change = (value: Json) => Json

const asFraction: Change = (value) => (typeof value === 'number' ? fraction(value) : value)

/** Changes members of an object that are there. */
const members = (value: Json, changes: Readonly<Record<string, Change>>): Json => {
  if (!isMapping(value)) return value
  const present = Object.entries(changes).filter(([key]) => Object.hasOwn(value, key))
  return present.length === 0
    ? value
    : { ...value, ...Object.fromEntries(present.map(([key, change]) => [key, change((value as JsonObject)[key]!)])) }
}

const items =
  (change: Change): Change =>
  (value) =>
    isList(value) ? value.map(change) : value

const prices: Change = (value) =>
  isMapping(value) ? members(value, Object.fromEntries(Object.keys(value).map((key) => [key, asFraction]))) : value

const grader: Change = (value) =>
  members(value, { pricing: prices, provider: (provider) => members(provider, { pricing: prices }) })

/** An assertion of a snapshot, or the criteria of a result, as it is hashed. */
export const hashedAssertion: Change = (value) =>
  members(value, {
    weight: asFraction,
    threshold: asFraction,
    grader,
    ...(isMapping(value) && (value as JsonObject)['type'] === 'cost' && { max: asFraction }),
  })

/** A test of a snapshot as it is hashed. */
export const hashedTest: Change = (value) => members(value, { threshold: asFraction, assert: items(hashedAssertion) })

/** A whole snapshot as it is hashed. */
export const hashedSnapshot = (snapshot: JsonObject): JsonObject =>
  members(snapshot, {
    providers: items((provider) => members(provider, { pricing: prices })),
    tests: items(hashedTest),
    defaults: hashedTest,
    grader,
    runner: (runner) => members(runner, { rate_limit: (limit) => members(limit, { rps: asFraction }) }),
  }) as JsonObject
