import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import {
  cutAfter,
  ftsQuery,
  indexText,
  queryTerms,
  spansFrom,
  tokenize,
  tokenSpans,
  tokensFrom,
} from '../../../domain/search/tokenizer.ts'

/**
 * The rule in its simplest form, without regard to speed. Lone surrogates remain separate, even if only a mark was
 * between them.
 */
const tokensByRule = (text: string) =>
  text
    .toWellFormed()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * Text that mixes scripts, marks, ligatures, symbols that decompose, separators of all kinds, lone surrogates and NUL.
 */
const pieces = fc.constantFrom(
  ...[
    'a',
    'Z',
    '7',
    ' ',
    '  ',
    '-',
    '_',
    '"',
    '*',
    '\n',
    '\0',
    '\u00a0',
    '\u3000',
    '\u200d',
    '…',
    '“',
    '，',
    '😀',
    '\ue000',
    '\ue001',
    '\ud800',
    '\udc00',
  ],
  ...['é', 'e\u0301', '\u0301', 'İ', 'Σ', 'ς', 'ß', 'ﬁ', '½', '™', '㎏', '①', '\ufdfa', '\u037a'],
  ...['退', '货', '각', 'ﾞ', 'ｶ', '한국', '𝒜', '\u0e33', 'क्षि', '🄰', '₨', '\ufe70'],
)
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
  fc.string(),
)

describe('the tokenizer', () => {
  it.each([
    ['Hello, World-42!', ['hello', 'world', '42']],
    ['snake_case', ['snake', 'case']],
    ['Crème Brûlée', ['creme', 'brulee']],
    ['ΟΔΥΣΣΕΥΣ Οδυσσεύς', ['οδυσσευσ', 'οδυσσευσ']],
    ['İstanbul', ['istanbul']],
    ['ﬁne ™ ½', ['fine', 'tm', '1', '2']],
    ['请联系，客服', ['请联系', '客服']],
    ['— … 😀', []],
    ['', []],
  ])('splits %j', (text, tokens) => expect(tokenize(text)).toEqual(tokens))

  it('follows the rule for all text', () =>
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenize(text)).toEqual(tokensByRule(text))
      }),
      { numRuns: 2000 },
    ))

  it('returns the same tokens for its own tokens', () =>
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenize(tokenize(text).join(' '))).toEqual(tokenize(text))
      }),
    ))

  it('finds the same tokens with and without positions', () =>
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenSpans(text).map(({ token }) => token)).toEqual(tokenize(text))
      }),
      { numRuns: 2000 },
    ))

  it('finds every character that can become part of a token', () => {
    // Mismatches are collected, because a million expectations would take minutes.
    const wrong: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code)
      if (/[\p{Cn}\p{Co}\p{Cs}]/u.test(character)) continue
      const text = `a${character}b`
      const tokens = tokensByRule(text).join(' ')
      if (
        tokenize(text).join(' ') !== tokens ||
        tokenSpans(text)
          .map(({ token }) => token)
          .join(' ') !== tokens
      )
        wrong.push(code.toString(16))
    }
    expect(wrong).toEqual([])
  })

  it('returns positions in the original text', () => {
    const text = 'Die Größe: ½ Cafe\u0301!'
    expect(tokenSpans(text).map(({ token, start, end }) => [token, text.slice(start, end)])).toEqual([
      ['die', 'Die'],
      ['große', 'Größe'],
      ['1', '½'],
      ['2', '½'],
      ['cafe', 'Cafe\u0301'],
    ])
  })

  it('returns ascending positions that are disjoint or equal', () =>
    fc.assert(
      fc.property(texts, (text) => {
        const spans = tokenSpans(text)
        for (const [n, { start, end }] of spans.entries()) {
          const previous = spans[n - 1]
          expect(start).toBeLessThan(end)
          expect(
            previous === undefined || previous.end <= start || (previous.start === start && previous.end === end),
          ).toBe(true)
        }
      }),
    ))

  it('can resume where a text may be cut', () =>
    fc.assert(
      fc.property(texts, fc.nat({ max: 30 }), (text, near) => {
        const cut = cutAfter(text, Math.min(near, text.length))
        const spans = tokenSpans(text)
        expect([...spansFrom(text, cut)]).toEqual(spans.filter(({ start }) => start >= cut))
        expect(spans.every(({ start, end }) => end <= cut || start >= cut)).toBe(true)
      }),
    ))

  it('reads the tokens of a range, and as many of the next as wanted', () =>
    fc.assert(
      fc.property(
        texts,
        fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 }), fc.nat({ max: 20 })),
        fc.nat({ max: 4 }),
        (text, [a, b, c], lookahead) => {
          const from = cutAfter(text, Math.min(a, text.length))
          const to = cutAfter(text, Math.min(from + b, text.length))
          const end = cutAfter(text, Math.min(to + c, text.length))
          const spans = tokenSpans(text).filter(({ start }) => start >= from && start < end)
          const { tokens, count } = tokensFrom(text, from, to, lookahead, end)
          expect(count).toBe(spans.filter(({ start }) => start < to).length)
          expect(tokens.length).toBeGreaterThanOrEqual(Math.min(spans.length, count + lookahead))
          for (let n = 0; n < tokens.length; n++)
            expect({ token: tokens.at(n), start: tokens.starts[n], end: tokens.ends[n] }).toEqual(spans[n])
        },
      ),
    ))

  it('compares tokens where they are as it does folded', () =>
    fc.assert(
      fc.property(texts, fc.array(texts, { maxLength: 3 }), fc.nat({ max: 5 }), (text, others, length) => {
        const own = tokenize(text)
        const words = [...own, ...own.map((word) => word.slice(0, length)), ...others.flatMap(tokenize)]
        const { tokens } = tokensFrom(text, 0, text.length)
        for (const word of words)
          for (const [n, token] of own.entries()) {
            expect(tokens.matches(n, word, true)).toBe(token === word)
            expect(tokens.matches(n, word, false)).toBe(token.startsWith(word))
          }
        expect(tokens.matches(own.length, '', false)).toBe(false)
      }),
    ))
})

describe('index text', () => {
  it('leaves plain ASCII text unchanged', () => expect(indexText('Foo_bar, 42 "x"\n')).toBe('Foo_bar, 42 "x"\n'))

  it('contains no NUL, which would end the text for SQLite', () => expect(indexText('a\0b')).toBe('a b'))

  it('gives the same tokens in the ascii tokenizer of FTS5', () => {
    const db = new Database(':memory:')
    db.exec(`CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'ascii', content = '', contentless_delete = 1)`)
    db.exec(`CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, instance)`)
    const insert = db.prepare('INSERT INTO words (rowid, text) VALUES (1, ?)')
    const list = db.prepare('SELECT term FROM vocabulary ORDER BY offset').pluck()
    const clear = db.prepare('DELETE FROM words')
    fc.assert(
      fc.property(texts, (text) => {
        insert.run(indexText(text))
        expect(list.all()).toEqual(tokenize(text))
        clear.run()
      }),
      { numRuns: 500 },
    )
    db.close()
  })
})

describe('a query', () => {
  it.each([
    ['foo bar', [['foo'], ['bar']]],
    ['foo bar-baz', [['foo'], ['bar', 'baz']]],
    ['"foo bar"', [['foo'], ['bar']]],
    ['fo"o', [['foo']]],
    ['AND OR NEAR(a,b)', [['and'], ['or'], ['near', 'a', 'b']]],
    ['-- * () "" ^ :', []],
    ['  \t\n ', []],
    ['', []],
    ['Crème\u00a0BRÛLÉE', [['creme'], ['brulee']]],
  ])('%j is read as literal terms', (q, terms) => expect(queryTerms(q)).toEqual(terms))

  it('is cut to 32 terms of 64 tokens', () => {
    expect(queryTerms(Array.from({ length: 100 }, (_, n) => `${n + 100}`).join(' '))).toHaveLength(32)
    expect(queryTerms('a-'.repeat(100))).toEqual([Array.from({ length: 64 }, () => 'a')])
  })

  it.each([
    ['a '.repeat(400), [['a']]],
    ['Err err ERR', [['err']]],
    ['err error er', [['error']]],
    ['error err errors', [['errors']]],
    ['out-of out-of-memory', [['out', 'of', 'memory']]],
    ['mem out-of-memory out-of', [['out', 'of', 'memory']]],
    ['out memory out-of-memory', [['out', 'of', 'memory']]],
    // Not implied: a beginning must end the term, and the words must follow each other.
    [
      'out-of-memory ou-of',
      [
        ['out', 'of', 'memory'],
        ['ou', 'of'],
      ],
    ],
    [
      'out-of-memory out-memory',
      [
        ['out', 'of', 'memory'],
        ['out', 'memory'],
      ],
    ],
    ['err warn', [['err'], ['warn']]],
  ])('%j is searched without terms that others imply', (q, terms) => expect(queryTerms(q)).toEqual(terms))

  it('has no effect on what is found when implied terms are dropped', () => {
    const words = fc.constantFrom('a', 'ab', 'abc', 'b', 'a-b', 'a-bc', 'ab-c', 'bc', 'a-b-c')
    const query = fc.array(words, { minLength: 1, maxLength: 6 })
    const finds = (text: readonly string[], terms: readonly (readonly string[])[]) =>
      terms.every((term) =>
        text.some((_, from) =>
          term.every((token, n) =>
            n === term.length - 1 ? text[from + n]?.startsWith(token) : text[from + n] === token,
          ),
        ),
      )
    fc.assert(
      fc.property(query, query, (asked, text) => {
        const terms = asked.map((word) => word.split('-'))
        const tokens = text.flatMap((word) => word.split('-'))
        expect(finds(tokens, queryTerms(asked.join(' ')))).toBe(finds(tokens, terms))
      }),
      { numRuns: 1000 },
    )
  })

  it('is written with the tokens of each term in quotes and the last one as a prefix', () =>
    expect(ftsQuery([['foo'], ['bar', 'baz']])).toBe('"foo" * AND "bar baz" *'))

  it('never fails in FTS5, and finds its own text', () => {
    const db = new Database(':memory:')
    db.exec(`CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'ascii', content = '', contentless_delete = 1)`)
    const insert = db.prepare('INSERT INTO words (rowid, text) VALUES (1, ?)')
    const find = db.prepare('SELECT rowid FROM words WHERE words MATCH ?').pluck()
    const clear = db.prepare('DELETE FROM words')
    fc.assert(
      fc.property(texts, (text) => {
        const terms = queryTerms(text)
        insert.run(indexText(text.replaceAll('"', '')))
        if (terms.length > 0) expect(find.all(ftsQuery(terms))).toEqual([1])
        clear.run()
      }),
      { numRuns: 500 },
    )
    db.close()
  })
})
