import { describe, expect, it } from 'vitest'
import { InvalidRegex, compileRegex } from '../../../engine/text/regex.ts'

describe('compileRegex', () => {
  it('searches anywhere in the text', () => {
    expect(compileRegex('b+').test('abbc')).toBe(true)
    expect(compileRegex('^b').test('abbc')).toBe(false)
    expect(compileRegex('(?i)GRÜSSE|\\p{Lu}$').test('grüsse')).toBe(true)
    expect(compileRegex('^.$').test('😀')).toBe(true)
  })

  it('replaces every match, with groups by number and by name', () => {
    expect(compileRegex('(\\w)(?P<n>\\d)').replaceAll('a1 b2', '$2${n}-$1$$')).toBe('11-a$ 22-b$')
    expect(compileRegex('x*').replaceAll('axb', '-')).toBe('-a-b-')
    expect(compileRegex('(a)|b').replaceAll('ab', '[$1]')).toBe('[a][]')
  })

  it('replaces a group that does not exist by nothing', () => {
    expect(compileRegex('a').replaceAll('a', '[$7$constructor${toString}]')).toBe('[]')
  })

  it.each(['(?=a)', '(a)\\1', '(', '[a', 'a{2,1}', '*'])('refuses %s', (pattern) => {
    expect(() => compileRegex(pattern)).toThrow(InvalidRegex)
  })

  it('says what is wrong, and how long a pattern may be', () => {
    expect(() => compileRegex('a(')).toThrow('missing closing )')
    expect(() => compileRegex('a'.repeat(10_001))).toThrow('longer than 10000 characters')
  })

  it('returns the pattern compiled earlier', () => {
    expect(compileRegex('cached')).toBe(compileRegex('cached'))
  })
})
