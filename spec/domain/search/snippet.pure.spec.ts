import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { MATCH_END, MATCH_START, snippet } from '../../../domain/search/snippet.ts'
import { queryTerms, tokenize, tokenSpans } from '../../../domain/search/tokenizer.ts'

/** The excerpt with readable markers. */
const shown = (fields: string[], q: string) =>
  snippet(fields, queryTerms(q)).replaceAll(MATCH_START, '[').replaceAll(MATCH_END, ']')

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `n${from + n}`).join(' ')

describe('a snippet', () => {
  it('is the whole short text, with marked matches', () => {
    expect(shown(['Yes, you can return it within 30 days.'], 'return days')).toBe(
      'Yes, you can [return] it within 30 [days].',
    )
  })

  it('is about twelve tokens around a match, with an ellipsis at each cut', () => {
    expect(shown([numbers(1, 100)], 'n50')).toBe('…n45 n46 n47 n48 n49 [n50] n51 n52 n53 n54 n55 n56…')
    expect(shown([numbers(1, 19)], 'n18')).toBe('…n8 n9 n10 n11 n12 n13 n14 n15 n16 n17 [n18] n19')
    expect(shown([numbers(1, 19)], 'n2')).toBe('n1 [n2] n3 n4 n5 n6 n7 n8 n9 n10 n11 n12…')
  })

  it('matches prefixes, ignoring case and marks', () =>
    expect(shown(['Die CAFÉS der Größe Cafe\u0301'], 'café grö')).toBe('Die [CAFÉS] der [Größe] [Cafe\u0301]'))

  it('does not match inside a word', () => expect(shown(['testing a sting'], 'sting')).toBe('testing a [sting]'))

  it('marks the words of a phrase only if they are adjacent', () => {
    expect(shown(['foo bar, foo_bar and foo-barbaz; bar'], 'foo-bar')).toBe(
      '[foo] [bar], [foo]_[bar] and [foo]-[barbaz]; bar',
    )
    expect(shown(['foo or bar; food bar'], 'foo-bar')).toBe('foo or bar; food bar')
  })

  it('is from the first field that matches the most terms', () => {
    expect(shown(['alpha', 'beta alpha', 'alpha beta gamma'], 'alpha beta')).toBe('[beta] [alpha]')
    expect(shown(['nothing', 'one alpha', 'two alpha'], 'alpha beta')).toBe('one [alpha]')
  })

  it('is from the place where the terms are closest', () => {
    const text = `alpha ${numbers(1, 40)} beta ${numbers(41, 80)} alpha so beta ${numbers(81, 99)}`
    expect(shown([text], 'alpha beta')).toMatch(/^….* \[alpha\] so \[beta\] .*…$/)
  })

  it('preserves the text between tokens, newlines included', () =>
    expect(shown(['a:\n\n  b\tc'], 'b')).toBe('a:\n\n  [b]\tc'))

  it('puts only one mark around a word that folds to several tokens', () =>
    expect(shown(['take ½ of 1½ ™'], '1 2 tm')).toBe('take [½] of [1½] [™]'))

  it('removes forged markers', () =>
    expect(snippet(['a \uE000forged\uE001 b\uE000it word'], [['word']])).toBe('a forged bit \uE000word\uE001'))

  it('is the start of the first field with text if nothing matches', () => {
    expect(shown(['', ' \n', numbers(1, 30), 'other'], 'zzz')).toBe('n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12…')
    expect(shown(['some text'], '')).toBe('some text')
    expect(shown(['', ''], 'a')).toBe('')
    expect(shown([], 'a')).toBe('')
  })

  it('is short in text without spaces', () => {
    const long = 'x'.repeat(5000)
    const texts = [
      `${long} needle ${long}`,
      `${' '.repeat(9000)}needle${'.'.repeat(9000)}`,
      `needle${long}`,
      '😀'.repeat(999),
      `a${'😀'.repeat(999)}`,
    ]
    for (const [n, text] of texts.entries()) {
      const found = shown([text], 'needle')
      expect(found.length).toBeLessThan(410)
      expect(found.isWellFormed()).toBe(true)
      expect(found.includes('[needle')).toBe(n < 3)
    }
  })

  it('shows the start of a phrase that is longer than an excerpt', () => {
    const phrase = Array.from({ length: 20 }, (_, n) => `w${n}`)
    expect(shown([`before ${phrase.join(' ')} after`], phrase.join('-'))).toMatch(/^…\[w0\] \[w1\].*\[w11\]…$/)
  })

  it('finds a match at the end of a megabyte', () => {
    expect(shown([`${'The quick brown fox; '.repeat(50_000)}a needle.`], 'needle')).toMatch(/a \[needle\]\.$/)
    expect(shown([`needle ${'The quick “brown” fox; '.repeat(50_000)}`], 'need quick')).toMatch(
      /^\[needle\] The \[quick\]/,
    )
  })

  it('finds phrases and close terms across blocks', () => {
    for (let pad = 4060; pad < 4110; pad++) {
      const text = `${'y'.repeat(20)} ${'z '.repeat(Math.floor(pad / 2) - 10)}${pad % 2 ? ' ' : ''}foo bar baz end`
      expect(shown([text], 'foo-bar end')).toContain('[foo] [bar] baz [end]')
    }
  })

  it('limits its work for hostile text and queries', () => {
    // Without limits each of these would take minutes, and the spec would fail at its timeout.
    const letters = 'abcdefghijklmnopqrstuvwxyzabcdef'
    const prefixes = Array.from({ length: 31 }, (_, n) => letters.slice(0, n + 1)).join(' ')
    expect(shown([`${letters} `.repeat(30_000)], `abc-zz ${prefixes}`)).toContain('[')
    expect(
      shown(
        Array.from({ length: 10 }, () => 'a '.repeat(500_000)),
        `${'a-'.repeat(63)}b `.repeat(32),
      ),
    ).toBe('a a a a a a a a a a a a…')
    expect(shown(['a '.repeat(500_000)], Array.from({ length: 32 }, (_, n) => 'a-'.repeat(64 - n)).join(' '))).toMatch(
      /^(\[a\] ){11}\[a\]…$/,
    )
    expect(shown(['退货'.repeat(500_000)], '退')).toMatch(/^\[[退货]+\]…$/)
  })

  const words = fc.constantFrom(
    'foo',
    'Foo',
    'food',
    'bar',
    'BÄR',
    'ba\u0308r',
    'x½',
    '™',
    'a',
    '退货',
    '😀',
    '\uE000',
    '\ud800',
  )
  const gaps = fc.constantFrom(' ', '  ', '-', '\n', '. ', ' … ', '，', '')
  const texts = fc.array(fc.tuple(words, gaps), { maxLength: 60 }).map((parts) => parts.flat().join(''))
  const queries = fc.constantFrom('foo', 'fo ba', 'foo-bar', 'bar x1', 'food tm a', '退', 'zzz', '2 foo-ba', 'a a')

  it('is a part of a field, except for its marks', () =>
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 3 }), queries, (fields, q) => {
        const found = snippet(fields, queryTerms(q)).replace(/[\uE000\uE001]/g, '')
        const bare = found.replace(/^…/, '').replace(/…$/, '')
        const stored = fields.map((field) => field.replace(/[\uE000\uE001]/g, '').toWellFormed())
        expect(found === '' || stored.some((field) => field.includes(bare.trimEnd()) || field.includes(found))).toBe(
          true,
        )
      }),
      { numRuns: 500 },
    ))

  it('is the same whether or not the tokens of its field are counted', () => {
    // A field of more than 5,000 units may use up the budget, so its tokens are counted.
    const ascii = fc.array(
      fc.tuple(
        fc.constantFrom('foo', 'Foo', 'food', 'bar', 'a', 'zfoo', 'x1'),
        fc.constantFrom(' ', '-', '\n', '. ', ''),
      ),
      { maxLength: 60 },
    )
    const plain = ascii.map((parts) => parts.flat().join(''))
    fc.assert(
      fc.property(fc.array(fc.oneof(plain, texts), { maxLength: 20 }), queries, (parts, q) => {
        const text = parts.join(' some other words between them ').slice(0, 4000)
        const snippets = [4900, 5100].map((length) => snippet([text.padEnd(length, '.')], queryTerms(q)))
        expect(snippets[0]).toBe(snippets[1])
      }),
      { numRuns: 500 },
    )
  })

  it('marks a match if a field has one, and nothing else', () =>
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 3 }), queries, (fields, q) => {
        const terms = queryTerms(q)
        const marked = [...snippet(fields, terms).matchAll(/\uE000([^\uE000\uE001]*)\uE001/g)].map(
          ([, text]) => text ?? '',
        )
        const words = terms.flat()
        expect(
          marked.every((text) => tokenize(text).some((token) => words.some((word) => token.startsWith(word)))),
        ).toBe(true)
        const matches = fields.some((field) => {
          const tokens = tokenSpans(field).map(({ token }) => token)
          return terms.some((term) =>
            tokens.some((_, index) =>
              term.every((word, n) =>
                n < term.length - 1 ? tokens[index + n] === word : tokens[index + n]?.startsWith(word),
              ),
            ),
          )
        })
        expect(marked.length > 0).toBe(matches)
      }),
      { numRuns: 500 },
    ))
})
