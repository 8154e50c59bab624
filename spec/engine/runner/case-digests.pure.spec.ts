import { describe, expect, it } from 'vitest'
import { blake3Digest } from '../../../engine/cache/canonical.ts'
import type { Json, JsonObject } from '../../../engine/json.ts'
import { parseFloats } from '../../../engine/numbers.ts'
import { assertDigest, promptDigest } from '../../../engine/runner/case-digests.ts'

const contains = { kind: 'icontains', weight: 1, criteria: { type: 'icontains', value: '30 days' } } as const
const rubric = {
  kind: 'llm-rubric',
  weight: 2,
  criteria: { type: 'llm-rubric', value: 'States the return window' },
} as const

describe('the digests of a case', () => {
  it('cover prompt, vars and salt', () => {
    const prompt = { text: 'How long can I return order A-77?' }
    // A worked example of the reference.
    expect(promptDigest(prompt, { order: 'A-77' }, undefined)).toBe(
      'blake3:ee6d1e929cec3df019f8015d427b8dd5439d393d6267b5ca8392df9193fe3e70',
    )
    expect(promptDigest(prompt, { order: 'A-77' }, '')).not.toBe(promptDigest(prompt, { order: 'A-77' }, undefined))
  })

  it('are the same for 1 and 1.0 in vars', () => {
    expect(promptDigest(null, parseFloats('{"t":1.0}') as JsonObject, undefined)).toBe(
      promptDigest(null, { t: 1 }, undefined),
    )
    const criteria = (value: Json) => ({ ...contains, kind: 'equals' as const, criteria: { type: 'equals', value } })
    expect(assertDigest([criteria(parseFloats('[1.0]'))], {})).toBe(assertDigest([criteria([1])], {}))
  })

  it('cover the assertions in any order', () => {
    // A worked example of the reference: a weight of 1 is hashed as `1.0`.
    expect(assertDigest([contains, rubric], {})).toBe(
      'blake3:5249b2b1b5f76a0849df66d13851b4a784cad160cf149ca8cde725ee18e17358',
    )
    expect(assertDigest([rubric, contains], {})).toBe(assertDigest([contains, rubric], {}))
  })

  it('cover the threshold and the marker, but not its reason', () => {
    expect(assertDigest([], { threshold: 0.5 })).toBe(blake3Digest({ asserts: [], threshold: 0.5 }))
    expect(assertDigest([], { expect_fail: true })).toBe(
      blake3Digest({ asserts: [], threshold: null, expect_fail: true }),
    )
    expect(assertDigest([], { expect_fail: 'a gap' })).toBe(assertDigest([], { expect_fail: true }))
  })
})
