import { blake3Digest, type Blake3Digest } from '../cache/canonical.ts'
import type { Json, JsonObject } from '../json.ts'
import { plainNumbers } from '../numbers.ts'
import { compareBytes } from '../text/compare-bytes.ts'
import { hashedAssertion, hashedSnapshot, hashedTest } from './fractions.ts'
import { assertionSnapshot } from './snapshot.ts'
import type { ExpandedTest, LoadedSuite } from './suite.ts'
import { isMapping } from './values.ts'

/** The digests of a run that cover its whole suite, before any filter. */
export type SuiteDigests = {
  readonly config: Blake3Digest
  readonly prompts: Blake3Digest
  readonly providers: Blake3Digest
  readonly tests: Blake3Digest
  readonly asserts: Blake3Digest
  readonly grader: Blake3Digest
}

/** Whether a value says no more than an absent member. */
const isEmpty = (value: Json): boolean =>
  (Array.isArray(value) && value.length === 0) || (isMapping(value) && Object.keys(value).length === 0)

/** A test without assertions and marker. Empty tags and vars are left out, as in a snapshot; an empty history counts. */
const testBody = ({ assert: _, expect_fail: __, source: ___, tags, vars, ...rest }: ExpandedTest): JsonObject => ({
  ...(hashedTest(plainNumbers(rest as JsonObject)) as JsonObject),
  ...(isEmpty(tags) ? {} : { tags }),
  ...(isEmpty(vars) ? {} : { vars: plainNumbers(vars) }),
})

const assertBody = ({ assert, expect_fail }: ExpandedTest): Json => {
  const list = assert.map((assertion) => hashedAssertion(plainNumbers(assertionSnapshot(assertion))))
  if (expect_fail !== undefined) return { assert: list.length === 0 ? null : list, expect_fail: true }
  return list.length === 0 ? null : list
}

/** Returns the run-level digests of a suite and all its tests. */
export const suiteDigests = (loaded: LoadedSuite, tests: readonly ExpandedTest[]): SuiteDigests => {
  const snapshot = hashedSnapshot(plainNumbers(loaded.snapshot))
  const sorted = [...tests].sort((a, b) => compareBytes(a.id, b.id))
  return {
    config: blake3Digest(snapshot),
    prompts: blake3Digest(snapshot['prompts'] ?? []),
    providers: blake3Digest(snapshot['providers'] ?? []),
    tests: blake3Digest(sorted.map((test) => ({ id: test.id, body: testBody(test) }))),
    asserts: blake3Digest(sorted.map((test) => ({ id: test.id, body: assertBody(test) }))),
    grader: blake3Digest(snapshot['grader'] ?? null),
  }
}
