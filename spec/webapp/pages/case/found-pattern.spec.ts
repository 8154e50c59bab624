import { describe, expect, it } from 'vitest'
import { patternOf } from '../../../../webapp/pages/case/found-pattern.ts'

const found = (text: string, words: string): readonly string[] =>
  [...text.matchAll(patternOf(words) ?? /^/g)].map(([match]) => match)

describe('the words of a search', () => {
  it('are found at the beginnings of words, in any case', () =>
    expect(found('Dijkstra, adijkstra and DIJKSTRAs', 'dijkstra')).toEqual(['Dijkstra', 'DIJKSTRAs']))
  it('are found one by one', () =>
    expect(found('return it within 30 days', '"return days"')).toEqual(['return', 'days']))
  it('mean nothing but themselves', () => expect(found('a.b (a|b)* ab', 'a|b)*')).toEqual(['a', 'b', 'a', 'b', 'ab']))
  it('are found anywhere in text without spaces, and in ids', () => {
    expect(found('我们去东京都 C++ and C', '东京 c++')).toEqual(['东京', 'C++'])
    expect(found('commit 1525dd4fe234 🎉', 'dd4f 🎉')).toEqual(['dd4f', '🎉'])
  })
  it('may be none', () => expect(patternOf(' ?!')).toBeNull())
})
