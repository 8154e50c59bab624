import { fraction } from '../../domain/run/canonical-json.ts'
import { blake3Digest } from '../cache/canonical.ts'
import type { AssertionResult } from '../assertions/assertion.ts'
import type { Json, JsonObject } from '../json.ts'
import { plainNumbers } from '../numbers.ts'
import type { RenderedPrompt } from '../providers/provider.ts'
import { hashedAssertion } from '../suite/fractions.ts'
import type { ExpandedTest } from '../suite/suite.ts'

/** The digest of what a case asked: its rendered prompt and vars, and the salt of its test. */
export const promptDigest = (prompt: RenderedPrompt | null, vars: JsonObject, caseSalt: string | undefined): string =>
  blake3Digest({
    case_salt: caseSalt ?? null,
    params: {},
    prompt: plainNumbers(prompt as Json),
    vars: plainNumbers(vars),
  })

/**
 * The digest of how a case was judged: the definitions of its assertions in any order, the threshold, and whether it is
 * expected to fail, whatever the reason.
 */
export const assertDigest = (
  results: ReadonlyArray<Pick<AssertionResult, 'kind' | 'weight' | 'criteria'>>,
  { threshold, expect_fail }: Pick<ExpandedTest, 'threshold' | 'expect_fail'>,
): string =>
  blake3Digest({
    asserts: results
      .map(({ kind, weight, criteria }) =>
        blake3Digest({ kind, weight: fraction(weight), criteria: hashedAssertion(plainNumbers(criteria)) }),
      )
      .toSorted(),
    threshold: threshold === undefined ? null : fraction(threshold),
    ...(expect_fail !== undefined && { expect_fail: true }),
  })
