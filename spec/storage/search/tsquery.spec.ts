import { describe, expect, it } from 'vitest'
import { anyOf, conditionsOf } from '../../../storage/search/tsquery.ts'

const EVERYWHERE = { required: [], excluded: [], seen: null, hidden: [] }

describe('what is wanted of PostgreSQL', () => {
  const words = { phrases: null, seen: null, hidden: null, exempt: '{}' }

  it('is every word, the last of each term by its beginning, and phrases besides', () => {
    expect(conditionsOf([['red'], ['fox']], EVERYWHERE)).toEqual({ ...words, words: "('red':* & 'fox':*)" })
    expect(conditionsOf([['red', 'fox', 'cub']], EVERYWHERE)).toEqual({
      ...words,
      words: "(('red' & 'fox') & 'cub':*)",
      phrases: `{"'red' <-> 'fox' <-> 'cub':*"}`,
    })
  })

  it('is in one of the sets that are seen, and in none that are hidden', () => {
    const hidden = [
      { token: 'p1', exempt: [] },
      { token: 'p2', exempt: ['s1', 's2'] },
    ]
    expect(conditionsOf([['red']], { required: ['full'], excluded: [], seen: ['s1', 's2'], hidden: [] }).words).toBe(
      "(('red':* & 'full') & ('s1' | 's2'))",
    )
    expect(conditionsOf([['red']], { required: [], excluded: ['full'], seen: null, hidden }).words).toBe(
      "(('red':* & !'full') & (!'p1' & !('p2' & !('s1' | 's2'))))",
    )
  })

  it('has lists besides where the sets are more than the index is asked for', () => {
    const tokens = Array.from({ length: 201 }, (_, n) => `s${n}`)
    expect(conditionsOf([['red']], { ...EVERYWHERE, seen: tokens })).toEqual({
      ...words,
      words: "'red':*",
      seen: `{${tokens.map((token) => `"${token}"`).join()}}`,
    })
    const hidden = [
      { token: 'p1', exempt: tokens },
      { token: 'p2', exempt: [] },
    ]
    expect(conditionsOf([['red']], { ...EVERYWHERE, excluded: ['full'], hidden })).toEqual({
      ...words,
      words: "('red':* & !'full')",
      hidden: '{"p1","p2"}',
      exempt: `{${tokens.map((token) => `"${token}"`).join()}}`,
    })
  })

  it('is a tree of little depth, however many words there are', () => {
    const { words: text } = conditionsOf([['red']], {
      ...EVERYWHERE,
      seen: Array.from({ length: 200 }, (_, n) => `s${n}`),
    })
    expect(Math.max(...[...text.matchAll(/\(+/g)].map(([run]) => run.length))).toBeLessThan(12)
  })

  it('is any of the words, for their rank', () =>
    expect(anyOf([['red', 'fox'], ['cub']])).toBe("(('red' | 'fox':*) | 'cub':*)"))
})
