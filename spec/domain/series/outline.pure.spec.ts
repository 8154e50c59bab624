import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CASE_STATUSES } from '../../../domain/run/document.ts'
import { isPassing, MARKS, readOutline, packOutline, type OutlinedCase } from '../../../domain/series/outline.ts'

const digest = fc.option(fc.string({ maxLength: 80 }))
const item = fc.record({
  n: fc.nat(2 ** 24 - 1),
  history_key: fc.nat(2 ** 31 - 1).map((key) => key * 2 ** 16 + 5),
  status: fc.constantFrom(...CASE_STATUSES),
  provider_id: fc.string(),
  prompt_id: fc.option(fc.string()),
  test_id: fc.string(),
  prompt_digest: digest,
  provider_digest: digest,
  assert_digest: digest,
})
const unitOf = (fields: Pick<OutlinedCase, 'provider_id' | 'prompt_id' | 'test_id'>): number => {
  const given = {
    n: 0,
    history_key: 1,
    status: 'pass',
    prompt_digest: null,
    provider_digest: null,
    assert_digest: null,
  } as const
  return readOutline(packOutline([{ ...given, ...fields }])).unitKey(0)
}

describe('the outline of a run', () => {
  it('has the key, the index and the mark of each case', () =>
    fc.assert(
      fc.property(fc.array(item), (cases) => {
        const outline = readOutline(packOutline(cases))
        expect(outline.size).toBe(cases.length)
        for (const [i, given] of cases.entries()) {
          expect(outline.historyKey(i)).toBe(given.history_key)
          expect(outline.n(i)).toBe(given.n)
          expect(outline.mark(i)).toBe(MARKS[given.status])
          for (const [read, text] of [
            [outline.promptDigest(i), given.prompt_digest],
            [outline.providerDigest(i), given.provider_digest],
            [outline.assertDigest(i), given.assert_digest],
          ] as const)
            expect(read === 0).toBe(text === null || text === '')
        }
      }),
    ))

  it('never changes, because stored rows contain it', () =>
    expect(
      packOutline([
        {
          n: 7,
          history_key: 0xe7a288b5f174,
          status: 'xpass',
          provider_id: 'model',
          prompt_id: 'terse',
          test_id: 'greeting',
          prompt_digest: 'blake3:c1',
          provider_digest: null,
          assert_digest: 'blake3:e1',
        },
      ]).toString('hex'),
    ).toBe('74f1b588a2e70ffcad02aa38300e20da00000000ad6b5e9b07000058'))

  it('has one unit key for all repeats of a test, and others for other tests', () => {
    const keys = [
      { provider_id: 'a', prompt_id: 'b', test_id: 'c' },
      { provider_id: 'ab', prompt_id: '', test_id: 'c' },
      { provider_id: 'a', prompt_id: null, test_id: 'bc' },
      { provider_id: 'a', prompt_id: '-', test_id: 'bc' },
      { provider_id: '', prompt_id: 'ab', test_id: 'c' },
      { provider_id: 'a', prompt_id: 'b:', test_id: 'c' },
      { provider_id: 'a', prompt_id: 'b', test_id: ':c' },
    ].map(unitOf)
    expect(new Set(keys).size).toBe(keys.length)
    const many = Array.from({ length: 20_000 }, (_, n) =>
      unitOf({ provider_id: 'model', prompt_id: 'terse', test_id: `test-${n}` }),
    )
    expect(new Set(many).size).toBe(many.length)
    expect(many.every((key) => key < 2 ** 48)).toBe(true)
  })

  it('says which statuses are verdicts', () =>
    expect(CASE_STATUSES.map((status) => isPassing(MARKS[status]))).toEqual([true, false, false, null, null, true]))
})
