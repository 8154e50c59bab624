import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertRegex, isJavaScriptRegex } from '../../../../engine/convert/promptfoo/regex.ts'
import { compileRegex } from '../../../../engine/text/regex.ts'
import { runCount } from '../../../support/random/runs.ts'

/** The pieces of patterns that differ between JavaScript and a suite, and what holds them together. */
const PIECES =
  'a b é 1 - ^ $ \\w \\W \\d \\D \\s [ ] [^ ( (?: (?<n> ) | * + ? {2} { } , \\x41 \\u0061 \\0 \\1 \\7 \\12 \\k<n> \\- \\] \\e \\c \\cA & && ~ \\p{L} \\/ = ! : < > # _ z A- \\\\ \\n [\\b]'.split(
    ' ',
  )
const TEXTS = 'a b é 1 - ^ A aa a1 ab & ~ e _ ] [ { } , c k<n> \\ \\c p{L} zz # / 1-a aab : < =! ٣ \u0001 \u0007 \b \0'
  .split(' ')
  .concat('', ' ', '\n')

const matches = (regex: { readonly test: (text: string) => boolean }): readonly string[] =>
  TEXTS.filter((text) => regex.test(text))

describe('a pattern of JavaScript', () => {
  it('matches the same texts in a suite as in JavaScript', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 }), (pieces) => {
        const source = pieces.join('')
        fc.pre(isJavaScriptRegex(source))
        const { pattern, differences } = convertRegex(source)
        fc.pre(differences.every(({ isRare }) => isRare))
        expect(matches(compileRegex(pattern))).toEqual(matches(new RegExp(source)))
      }),
      { numRuns: runCount(1000) },
    ))

  it.each([
    ['^\\d{3}-\\d{2}$', '^[0-9]{3}-[0-9]{2}$'],
    ['[\\w.-]+', '[0-9A-Za-z_.\\-]+'],
    ['[^\\W_]', '[^\\x{0}-\\x{2F}\\x{3A}-\\x{40}\\x{5B}-\\x{5E}\\x{60}\\x{7B}-\\x{10FFFF}_]'],
    ['\\u{3}', 'u{3}'],
    ['\\ud83d\\ude00', '\\x{1F600}'],
    ['\\A\\z\\Q', 'AzQ'],
    ['"a": \\{', '"a": \\{'],
    ['a{,2}', 'a\\{,2\\}'],
    ['[]', '[^\\x{0}-\\x{10FFFF}]'],
  ])('%s becomes %s', (source, pattern) => expect(convertRegex(source).pattern).toBe(pattern))

  it.each([
    ['(?=a)b', 'no look-around'],
    ['(?<!a)b', 'no look-around'],
    ['(a)\\1', 'no back-references'],
    ['(?<x>a)\\k<x>', 'no back-references'],
    ['\\bword', 'the letters of Unicode'],
    ['a.c', 'rare characters'],
    ['[^a]', 'rare characters'],
    ['[😀]', 'rare characters'],
    ['\\ud83d', 'half of a surrogate pair'],
  ])('%s differs, and says how', (source, how) =>
    expect(
      convertRegex(source)
        .differences.map(({ text }) => text)
        .join(),
    ).toContain(how),
  )

  it('without a difference has no note', () =>
    expect(convertRegex('^(?:yes|no)[,;] [a-z]+\\w*\\d$').differences).toEqual([]))
})
