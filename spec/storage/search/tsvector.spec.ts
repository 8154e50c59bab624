import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryTerms } from '../../../domain/search/tokenizer.ts'
import { spanTokens } from '../../../storage/search/run-blocks.ts'
import {
  prefixQuery,
  MARK,
  PHRASE_TOKENS,
  vectorsOf,
  withRunTokens,
  wordLexeme,
  wordQuery,
} from '../../../storage/search/tsvector.ts'
import type { Field, Vectors } from '../../../storage/search/tsvector.ts'

/** A vector in the server's text format. */
const textOf = (bytes: Buffer): string => {
  const entries: string[] = []
  let offset = 4
  for (let n = bytes.readInt32BE(); n > 0; n--) {
    const end = bytes.indexOf(0, offset)
    const positions = Array.from({ length: bytes.readUInt16BE(end + 1) }, (_, i) => bytes.readUInt16BE(end + 3 + i * 2))
    const weighted = positions.map((position) => `${position & 0x3fff}${['', 'C', 'B', 'A'][position >> 14]}`)
    entries.push(`'${bytes.toString('utf8', offset, end)}'${positions.length === 0 ? '' : ':'}${weighted.join(',')}`)
    offset = end + 3 + positions.length * 2
  }
  expect(offset).toBe(bytes.length)
  return entries.join(' ')
}

const output = (words: readonly string[]): Field[] => [{ words, weight: 'D' }]
const asText = ({ words, parts }: Vectors) => ({ words: textOf(words), parts })
const lexemes = (text: string): string[] => [...text.matchAll(/'([^']*)'/g)].map(([, lexeme]) => lexeme ?? '')

describe('vectorsOf', () => {
  it('returns the positions and weight of each word, with a gap between fields', () =>
    expect(
      asText(
        vectorsOf(
          [
            { words: ['red', 'fox'], weight: 'A' },
            { words: [], weight: 'B' },
            { words: ['fox', 'red'], weight: 'D' },
          ],
          ['scope'],
        ),
      ),
    ).toEqual({
      words: "'fox':2A,4 'red':1A,5 'scope'",
      parts: null,
    }))

  it('orders words by their bytes', () =>
    expect(
      lexemes(
        textOf(vectorsOf(output(['\u{1d7d8}', 'ﬀ', 'ab', 'b', 'a\u{1d7d8}', 'aﬀ', 'a', '語']), [`${MARK}s`]).words),
      ),
    ).toEqual(['a', 'ab', 'aﬀ', 'a\u{1d7d8}', 'b', '語', `${MARK}s`, 'ﬀ', '\u{1d7d8}']))

  it('leaves room for the tokens of a run: with them, the bytes are those of a vector of all tokens', () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('a', '語', 'ﬀ', '\u{1d7d8}', 'a\u{1d7d8}', 'q', 's'), fc.string()), {
          maxLength: 20,
        }),
        fc.subarray([`${MARK}p1`, `${MARK}s1`, `${MARK}fullycached`]),
        fc.nat({ max: 2 ** 30 }),
        fc.boolean(),
        (words, tokens, run_no, isSent) => {
          const open = vectorsOf(output(words), tokens)
          // Bytes that another thread sent are no Buffer any more.
          const sent = isSent ? structuredClone(open) : open
          expect(withRunTokens(sent, spanTokens(run_no))).toEqual(
            vectorsOf(output(words), [...tokens, ...spanTokens(run_no)]).words,
          )
        },
      ),
      { numRuns: 300 },
    ))

  it('returns parts if a word is too frequent or too far from the start', () => {
    const often = (count: number) => vectorsOf(output(Array.from({ length: count }, () => 'a')), []).parts
    expect([often(255) === null, often(256) === null]).toEqual([true, false])
    const far = (count: number) => vectorsOf(output(Array.from({ length: count }, (_, n) => `w${n}`)), []).parts
    expect([far(15_999) === null, far(16_000) === null]).toEqual([true, false])
  })

  it('loses no word or phrase: each phrase is complete in one of the parts', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 2_000 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 2, max: PHRASE_TOKENS }),
        fc.nat(),
        (count, kinds, length, seed) => {
          const words = [
            ...Array.from({ length: count }, (_, n) => `w${(n * n) % kinds}`),
            ...Array.from({ length: 256 }, () => 'many'),
          ]
          const { words: whole, parts } = vectorsOf(output(words), [])
          expect(new Set(lexemes(textOf(whole)))).toEqual(new Set(words))
          const from = seed % (words.length - length)
          const phrase = words.slice(from, from + length)
          const positionsByPart = (parts ?? '')
            .split('","')
            .map(
              (part) =>
                new Map(
                  [...part.matchAll(/'([^']*)':([\d,]+)/g)].map(([, word = '', positions = '']) => [
                    word,
                    new Set(positions.split(',').map(Number)),
                  ]),
                ),
            )
          for (const part of positionsByPart)
            for (const positions of part.values()) expect(positions.size).toBeLessThanOrEqual(255)
          const isWhole = (part: (typeof positionsByPart)[number]) =>
            [...(part.get(phrase[0] ?? '') ?? [])].some((first) =>
              phrase.every((word, n) => part.get(word)?.has(first + n)),
            )
          expect(positionsByPart.some(isWhole)).toBe(true)
        },
      ),
      { numRuns: 30 },
    ))

  it('keeps the weights of short fields, even in a long row', () => {
    const { words } = vectorsOf(
      [{ words: ['title'], weight: 'A' }, ...output(Array.from({ length: 300 }, () => 'a'))],
      ['scope'],
    )
    expect(textOf(words)).toBe("'a' 'scope' 'title':1A")
  })
})

describe('a long word', () => {
  const long = fc
    .tuple(fc.constantFrom('x', 'ß', '語', '\u{1d7d8}'), fc.integer({ min: 1, max: 6_000 }))
    .map(([unit, count]) => unit.repeat(count))

  it('becomes lexemes of at most 2046 bytes', () =>
    fc.assert(
      fc.property(long, (word) => {
        for (const lexeme of lexemes(textOf(vectorsOf(output([word]), []).words)))
          expect(Buffer.byteLength(lexeme)).toBeLessThanOrEqual(2046)
      }),
    ))

  it('is found by each of its prefixes, and by nothing else', () =>
    fc.assert(
      fc.property(long, long, (word, other) => {
        const storedLexemes = lexemes(textOf(vectorsOf(output([word]), []).words))
        const begins = (beginning: string) =>
          storedLexemes.some((lexeme) => lexeme.startsWith(lexemes(prefixQuery(beginning))[0] ?? ''))
        expect(begins(other)).toBe(word.startsWith(other))
        expect(begins(word.slice(0, Math.ceil(word.length / 2)).toWellFormed())).toBe(
          word.startsWith(word.slice(0, Math.ceil(word.length / 2)).toWellFormed()),
        )
        expect(storedLexemes.includes(lexemes(wordQuery(other))[0] ?? '')).toBe(word === other)
      }),
    ))

  it('cannot be searched for in its stored form', () =>
    expect(
      queryTerms(`${MARK}+abc ${wordLexeme('y'.repeat(5000))}`)
        .flat()
        .some((token) => token.includes(MARK)),
    ).toBe(false))
})

it('phrases are no longer than the overlap of parts allows', () =>
  expect(
    Math.max(...queryTerms(Array.from({ length: 1000 }, (_, n) => `w${n}`).join('-')).map(({ length }) => length)),
  ).toBe(PHRASE_TOKENS))
