import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differences, promisedCounts, countsTable, sumCounts } from '../../cli/check-data.ts'

const readme = `
| Project / suite | Runs | Cases | Pass | Fail | Error | Skip | Columns |
|---|---|---|---|---|---|---|---|
| chat/smoke | 2 | 10 | 4 | 3 | 2 | 1 | 1 |
| chat/full/deep | 1 | 5 | 5 | 0 | 0 | 0 | 1 |
| **Total** | 3 | 15 | 9 | 3 | 2 | 1 | | |

| Need | Runs | Cases | Pass | Fail | Error | Skip |
| other/table | 1 | 1 | 1 | 1 | 1 | 1 |
`

describe('promisedCounts', () => {
  it('reads only the table of projects and suites', () => {
    const { sets, total } = promisedCounts(readme)
    expect([...sets.keys()]).toEqual(['chat/smoke', 'chat/full/deep'])
    expect(sets.get('chat/smoke')).toEqual({ runs: 2, cases: 10, pass: 4, fail: 3, error: 2, skip: 1 })
    expect(sumCounts(sets.values())).toEqual(total)
  })

  it('returns none without a table', () =>
    expect(promisedCounts('# Data\n\nNothing counted.')).toEqual({ sets: new Map(), total: null }))

  it('matches the sum of the sample data', () => {
    const { sets, total } = promisedCounts(readFileSync(new URL('../data/README.md', import.meta.url), 'utf8'))
    expect(sets.size).toBeGreaterThan(10)
    expect(sumCounts(sets.values())).toEqual(total)
    for (const { cases, pass, fail, error, skip } of sets.values()) expect(pass + fail + error + skip).toBe(cases)
  })
})

describe('differences', () => {
  const { sets } = promisedCounts(readme)

  it('returns none if all counts are equal', () => expect(differences(sets, new Map(sets))).toEqual([]))

  it('names the set, the count and both numbers', () => {
    const counted = new Map([
      ...sets,
      ['chat/smoke', { runs: 2, cases: 10, pass: 5, fail: 2, error: 2, skip: 1 }],
    ] as const)
    expect(differences(sets, counted)).toEqual([
      'chat/smoke: pass 5, the README says 4',
      'chat/smoke: fail 2, the README says 3',
    ])
  })

  it('reports a set that is missing on one side', () => {
    const one = new Map([['chat/new', { runs: 1, cases: 1, pass: 1, fail: 0, error: 0, skip: 0 }]])
    expect(differences(one, new Map())).toContain('chat/new: runs 0, the README says 1')
    expect(differences(new Map(), one)).toContain('chat/new: runs 1, the README says 0')
  })
})

it('prints counts as aligned columns', () => {
  const lines = countsTable(promisedCounts(readme).sets).split('\n')
  expect(new Set(lines.map((line) => line.length)).size).toBe(1)
})
