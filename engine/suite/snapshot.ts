import type { Json, JsonObject } from '../json.ts'
import { splitType } from './build/build-assertion.ts'
import type { AssertionSpec } from './suite.ts'
import { isList, isMapping } from './values.ts'

type Change = (value: Json) => Json

const withMember = (value: Json, key: string, change: Change): Json =>
  isMapping(value) && Object.hasOwn(value, key) ? { ...value, [key]: change((value as JsonObject)[key]!) } : value

const withDefaults = (value: Json, defaults: JsonObject): Json => (isMapping(value) ? { ...defaults, ...value } : value)

const items = (value: Json, change: Change): Json => (isList(value) ? value.map(change) : value)

const assertion: Change = (value) => {
  if (!isMapping(value)) return value
  const { type, weight = 1, negate = false, ...fields }: JsonObject = value
  const { kind, negated } = splitType(type as string)
  return { type: kind, weight, negate: negated || negate, ...fields }
}

const test: Change = (value) => {
  const normal = withMember(value, 'assert', (list) => items(list, assertion))
  if (!isMapping(normal)) return normal
  const { expect_fail, ...unmarked }: JsonObject = normal
  return expect_fail === false ? unmarked : normal
}

const provider: Change = (value) =>
  withMember(value, 'method', (method) => (typeof method === 'string' ? method.toUpperCase() : method))

/** Parts of a snapshot that differ from the suite as it was written. */
const PARTS: ReadonlyArray<readonly [string, Change]> = [
  ['providers', (value) => items(value, provider)],
  ['tests', (value) => items(value, test)],
  ['defaults', (value) => withDefaults(test(value), { vars: {}, assert: [], tags: [] })],
  ['runner', (value) => withMember(value, 'retries', (retries) => withDefaults(retries, { jitter: false }))],
  [
    'cache',
    (value) =>
      withDefaults(
        withMember(value, 's3', (s3) => withDefaults(s3, { force_path_style: false })),
        { backend: 'disk' },
      ),
  ],
]

/**
 * Returns an accepted suite as a run document records it: as it was composed and interpolated,
 * with `weight` and `negate` of every assertion and a few defaults of blocks that are present.
 */
export const snapshotOf = (suite: JsonObject): JsonObject =>
  PARTS.reduce<Json>((value, [key, change]) => withMember(value, key, change), {
    ...suite,
    tests: suite['tests'] ?? [],
  }) as JsonObject

/** Returns an assertion in the form of a snapshot. */
export const assertionSnapshot = ({ kind, weight, negate, fields }: AssertionSpec): JsonObject => ({
  type: kind,
  weight,
  negate,
  ...fields,
})
