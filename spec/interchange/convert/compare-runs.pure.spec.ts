import { describe, expect, it } from 'vitest'
import { caseDigests, compareRuns } from '../../../interchange/convert/compare-runs.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'

const documentOf = (...cases: ACase[]) => Buffer.from(JSON.stringify(aDocument({ cases })))
const caseWith = (case_key: string, fields: Partial<ACase> = {}) => aCase({ case_key, ...fields })

const stored = documentOf(caseWith('a'), caseWith('b'), caseWith('c'))
const others: ReadonlyArray<readonly [string, Buffer, string | null]> = [
  ['the same cases', stored, null],
  ['the same cases in another order', documentOf(caseWith('c'), caseWith('a'), caseWith('b')), null],
  ['another name', documentOf(caseWith('a', { name: 'new' }), caseWith('b'), caseWith('c')), null],
  [
    'another output',
    documentOf(caseWith('a', { output: 'new' }), caseWith('b'), caseWith('c')),
    'of 3 cases: 1 with other content',
  ],
  ['more and fewer', documentOf(caseWith('a'), caseWith('d')), 'of 2 cases: 1 more, 2 fewer'],
]

describe('compareRuns', () => {
  it.each(others)('describes %s', (_, other, difference) => expect(compareRuns(stored, other)).toBe(difference))

  it.each(others)('describes %s by digests alone', (_, other, difference) =>
    expect(compareRuns(caseDigests(stored), other)).toBe(difference),
  )

  it('reads digests that another thread has sent', () =>
    expect(compareRuns(structuredClone(caseDigests(stored)), stored)).toBe(null))
})
