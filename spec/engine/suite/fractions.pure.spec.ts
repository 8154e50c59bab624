import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { JsonObject } from '../../../engine/json.ts'
import { hashedAssertion, hashedSnapshot } from '../../../engine/suite/fractions.ts'

const hashed = (snapshot: JsonObject): string => canonicalJson(hashedSnapshot(snapshot)).toString()

describe('the hashed bytes of a suite', () => {
  it.each<[string, JsonObject, string]>([
    [
      'the rate of calls',
      { runner: { rate_limit: { rps: 2 }, concurrency: 3 } },
      '{"runner":{"concurrency":3,"rate_limit":{"rps":2.0}}}',
    ],
    [
      'prices',
      { providers: [{ pricing: { input: 3 } }], grader: { provider: { pricing: { input: 1 } } } },
      '{"grader":{"provider":{"pricing":{"input":1.0}}},"providers":[{"pricing":{"input":3.0}}]}',
    ],
    [
      'thresholds and weights',
      { defaults: { threshold: 1 }, tests: [{ assert: [{ type: 'similar', weight: 2, threshold: 1 }] }] },
      '{"defaults":{"threshold":1.0},"tests":[{"assert":[{"threshold":1.0,"type":"similar","weight":2.0}]}]}',
    ],
  ])('have a fraction in %s, and in no integer', (_, snapshot, text) => expect(hashed(snapshot)).toBe(text))

  it.each([
    ['cost', '{"max":1.0,"type":"cost"}'],
    ['latency', '{"max":1,"type":"latency"}'],
    ['tokens', '{"max":1,"type":"tokens"}'],
  ])('have the limit of `%s` as its type says', (type, text) =>
    expect(canonicalJson(hashedAssertion({ type, max: 1 })).toString()).toBe(text),
  )
})
