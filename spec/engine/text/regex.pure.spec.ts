import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidRegex, compileRegex, compileSchemaRegex } from '../../../engine/text/regex.ts'

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

  it('replaces a group that does not exist by nothing', () =>
    expect(compileRegex('a').replaceAll('a', '[$7$constructor${toString}]')).toBe('[]'))

  it.each(['(?=a)', '(a)\\1', '(', '[a', 'a{2,1}', '*'])('refuses %s', (pattern) =>
    expect(() => compileRegex(pattern)).toThrow(InvalidRegex),
  )

  it('says what is wrong, and how long a pattern may be', () => {
    expect(() => compileRegex('a(')).toThrow('missing closing )')
    expect(() => compileRegex('a'.repeat(10_001))).toThrow('longer than 10000 characters')
  })

  it.each([
    ['\\w{3}', 'Grü', true],
    ['^[\\w-]+$', 'Straße-9', true],
    ['\\W|[\\W]', 'ü', false],
    ['[^\\W]', 'ü', true],
    ['\\s', '\u00a0', true],
    ['\\S|[\\S]', '\u2003', false],
    ['^\\d[\\d]$', '٣٤', true],
    ['\\D|[\\D]', '٣', false],
    ['\\bÄpfel\\b', 'zwei Äpfel.', true],
    ['\\bpfel', 'zwei Äpfel', false],
    ['\\Bpfel', 'zwei Äpfel', true],
    ['(?m)^\\bü$', 'x\nü\ny', true],
    ['^\\bü$', 'x\nü\ny', false],
    ['\\p{Letter}\\p{Script=Greek}\\p{lowercase_letter}\\pL', 'aαbc', true],
    ['\\u00e9\\u{1F600}', 'é😀', true],
    ['(?xi) a b # both\n [ c \\ ]', 'AB ', true],
    ['(?x: a b )c d', 'abc d', true],
    ['(?u)(?mu:^ü)', 'x\nü', true],
    ['\\Q\\w.\\E', '\\w.', true],
  ])('reads %s by Unicode: %j', (pattern, text, matches) => {
    expect(compileRegex(pattern).test(text)).toBe(matches)
  })

  it.each([
    ['[\\w&&[^x]]', '`&&` in a character class is not supported'],
    ['[a--b]', '`--` in a character class is not supported'],
    ['(?-u)\\w', 'cannot be switched off'],
    ['\\b{start}a', 'use `\\b`'],
    ['a{1,1001}', 'at most 1000'],
  ])('refuses %s and says why', (pattern, message) => {
    expect(() => compileRegex(pattern)).toThrow(message)
  })

  it('replaces between the words of Unicode', () => {
    expect(compileRegex('\\b(\\w)(?P<rest>\\w*)').replaceAll('über Öl, 😀ok', '${rest}$1')).toBe('berü lÖ, 😀ko')
    expect(compileRegex('\\B').replaceAll('ü😀a', '-')).toBe('ü😀a')
    expect(compileRegex('\\B').replaceAll('a😀😀', '-')).toBe('a😀-😀-')
  })

  it('finds the boundaries that the native engine finds with look-around', () => {
    const word = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]'
    const boundary = `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
    const atom = fc.constantFrom('a', 'ü', '.', '\\b', '^', '$', '[^a]', '(a|ü)', '(?:-ü)?', 'ü+', '😀')
    const texts = fc.array(fc.constantFrom('a', 'ü', ' ', '\n', '😀', '-')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(atom, { minLength: 1, maxLength: 5 }), texts, (atoms, text) => {
        const native = atoms.map((part) => (part === '\\b' ? boundary : part)).join('')
        expect(compileRegex(atoms.join('')).test(text)).toBe(new RegExp(native, 'u').test(text))
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('leaves the patterns of JSON Schemas to ASCII', () => {
    expect(compileSchemaRegex('^\\d$').test('٣')).toBe(false)
    expect(compileSchemaRegex('^\\u0041$').test('A')).toBe(true)
  })

  it('returns the pattern compiled earlier', () => expect(compileRegex('cached')).toBe(compileRegex('cached')))
})
