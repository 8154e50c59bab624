import { describe, expect, it } from 'vitest'
import { anyOf, wantedOf } from '../../../storage/search/tsquery.ts'

const EVERYWHERE = { meet: [], not: [], seen: null, hidden: [] }

describe('what is wanted of PostgreSQL', () => {
  const words = { phrases: null, seen: null, hidden: null, spared: '{}' }

  it('is every word, the last of each term by its beginning, and phrases besides', () => {
    expect(wantedOf([['red'], ['fox']], EVERYWHERE)).toEqual({ ...words, words: "('red':* & 'fox':*)" })
    expect(wantedOf([['red', 'fox', 'cub']], EVERYWHERE)).toEqual({
      ...words,
      words: "(('red' & 'fox') & 'cub':*)",
      phrases: `{"'red' <-> 'fox' <-> 'cub':*"}`,
    })
  })

  it('is in one of the sets that are seen, and in none that are hidden', () => {
    const hidden = [
      { token: 'p1', spared: [] },
      { token: 'p2', spared: ['s1', 's2'] },
    ]
    expect(wantedOf([['red']], { meet: ['full'], not: [], seen: ['s1', 's2'], hidden: [] }).words).toBe(
      "(('red':* & 'full') & ('s1' | 's2'))",
    )
    expect(wantedOf([['red']], { meet: [], not: ['full'], seen: null, hidden }).words).toBe(
      "(('red':* & !'full') & (!'p1' & !('p2' & !('s1' | 's2'))))",
    )
  })

  it('has lists besides where the sets are more than the index is asked for', () => {
    const tokens = Array.from({ length: 201 }, (_, n) => `s${n}`)
    expect(wantedOf([['red']], { ...EVERYWHERE, seen: tokens })).toEqual({
      ...words,
      words: "'red':*",
      seen: `{${tokens.map((token) => `"${token}"`).join()}}`,
    })
    const hidden = [
      { token: 'p1', spared: tokens },
      { token: 'p2', spared: [] },
    ]
    expect(wantedOf([['red']], { ...EVERYWHERE, not: ['full'], hidden })).toEqual({
      ...words,
      words: "('red':* & !'full')",
      hidden: '{"p1","p2"}',
      spared: `{${tokens.map((token) => `"${token}"`).join()}}`,
    })
  })

  it('is a tree of little depth, however many words there are', () => {
    const { words: text } = wantedOf([['red']], { ...EVERYWHERE, seen: Array.from({ length: 200 }, (_, n) => `s${n}`) })
    expect(Math.max(...[...text.matchAll(/\(+/g)].map(([run]) => run.length))).toBeLessThan(12)
  })

  it('is any of the words, for their rank', () =>
    expect(anyOf([['red', 'fox'], ['cub']])).toBe("(('red' | 'fox':*) | 'cub':*)"))
})
