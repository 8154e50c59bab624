import { describe, expect, it } from 'vitest'
import { anyTermQuery, conditionsOf } from '../../../storage/search/tsquery.ts'

const EVERYWHERE = { required: [], excluded: [], seen: null, hidden: [] }

describe('conditionsOf', () => {
  const words = { terms: null, scope: null, phrases: null, seen: null, hidden: null, exempt: '{}' }

  it('requires every word (the last one of each term as a prefix) and every phrase', () => {
    expect(conditionsOf([['red'], ['fox']], EVERYWHERE)).toEqual({
      ...words,
      words: "('red':* & 'fox':*)",
      terms: `{"'red':*","'fox':*"}`,
    })
    expect(conditionsOf([['red', 'fox', 'cub']], EVERYWHERE)).toEqual({
      ...words,
      words: "(('red' & 'fox') & 'cub':*)",
      terms: `{"'red'","'fox'","'cub':*"}`,
      phrases: `{"'red' <-> 'fox' <-> 'cub':*"}`,
    })
  })

  it('requires one of several terms, with the phrase of each', () => {
    expect(conditionsOf([{ anyOf: [['red'], ['blue']] }], EVERYWHERE)).toEqual({
      ...words,
      words: "('red':* | 'blue':*)",
    })
    expect(conditionsOf([['a'], { anyOf: [['red', 'fox'], ['blue']] }], EVERYWHERE)).toEqual({
      ...words,
      words: "('a':* & (('red' & 'fox':*) | 'blue':*))",
      terms: `{"'a':*","(('red' & 'fox':*) | 'blue':*)"}`,
      phrases: `{"(('red' <-> 'fox':*) | ('blue':*))"}`,
    })
    expect(anyTermQuery([{ anyOf: [['red', 'fox'], ['blue']] }])).toBe("(('red' | 'fox':*) | 'blue':*)")
  })

  it('requires one of the seen sets, and none of the hidden ones', () => {
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
    expect(conditionsOf([['red'], ['fox']], { required: [], excluded: ['full'], seen: null, hidden })).toMatchObject({
      terms: `{"'red':*","'fox':*"}`,
      scope: "((!'full' & !'p1') & !('p2' & !('s1' | 's2')))",
    })
  })

  it('adds lists if there are too many sets for the index', () => {
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

  it('builds a tree of little depth, even for many sets', () => {
    const { words: text } = conditionsOf([['red']], {
      ...EVERYWHERE,
      seen: Array.from({ length: 200 }, (_, n) => `s${n}`),
    })
    expect(Math.max(...[...text.matchAll(/\(+/g)].map(([run]) => run.length))).toBeLessThan(12)
  })

  it('builds a query of any of the words, for ranking', () =>
    expect(anyTermQuery([['red', 'fox'], ['cub']])).toBe("(('red' | 'fox':*) | 'cub':*)"))
})
