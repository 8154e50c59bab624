import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { align } from '../../../../webapp/components/diff/align.ts'
import { foldRows } from '../../../../webapp/components/diff/fold-rows.ts'
import { oneColumn } from '../../../../webapp/components/diff/one-column.ts'
import { diffTexts, MAX_WORDS, type DiffLine, type DiffRow } from '../../../../webapp/components/diff/text-diff.ts'
import { splitWords } from '../../../../webapp/components/diff/words.ts'

const marked = (line: DiffLine | null): readonly string[] =>
  line === null ? [] : line.isWhole ? [line.text] : line.marks.map(([from, to]) => line.text.slice(from, to))
/** Of each row: what is marked in the base, and in the head. */
const marksOf = (base: string, head: string) =>
  diffTexts(base, head).rows.map((row) => [marked(row.base), marked(row.head)])
const numbersOf = ({ rows }: { readonly rows: readonly DiffRow[] }) =>
  rows.map(({ base, head }) => [base?.number ?? null, head?.number ?? null])

describe('the words of a line', () => {
  const texts = (line: string) => splitWords(line).map(({ text }) => text)
  it('are words and signs', () =>
    expect(texts('if (a.b) x_1 -= 2;')).toEqual(['if', '(', 'a', '.', 'b', ')', 'x_1', '-', '=', '2', ';']))
  it('are found in Chinese and in Thai, which write no spaces', () => {
    expect(texts('今天天气很好')).toEqual(['今天', '天气', '很好'])
    expect(texts('สวัสดีครับ').length).toBeGreaterThan(1)
  })
  it('are found in Arabic and Hebrew, with the marks of their vowels', () => {
    expect(texts('السلام عليكم')).toEqual(['السلام', 'عليكم'])
    expect(texts('שָׁלוֹם, עולם')).toEqual(['שָׁלוֹם', ',', 'עולם'])
  })
  it('split no emoji and no accent', () => expect(texts('👩‍👩‍👧 e\u0301a')).toEqual(['👩‍👩‍👧', 'e\u0301a']))
  it('are the text without its white space, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [line = ''] = text.split('\n')
        for (const { text: word, start } of splitWords(line)) expect(line.slice(start, start + word.length)).toBe(word)
      }),
    )
  })
})

describe('the difference of two texts', () => {
  it('marks the words that the other side lacks', () => {
    expect(marksOf('The flight leaves at nine in the morning', 'The flight leaves at ten in the evening')).toEqual([
      [
        ['nine', 'morning'],
        ['ten', 'evening'],
      ],
    ])
  })
  it('marks no white space, and says when nothing else differs', () => {
    const diff = diffTexts('a  b\n\tc\r\n', 'a b\nc\u00a0\n')
    expect([diff.verdict, diff.sameShare]).toEqual(['spacing', 1])
    expect(diff.rows.every(({ isSame }) => isSame)).toBe(true)
  })
  it('marks nothing in a paragraph that is wrapped elsewhere', () =>
    expect(diffTexts('one two three\nfour five six', 'one two\nthree four\nfive six').verdict).toBe('spacing'))
  it('marks a character that is invisible', () =>
    expect(marksOf('pay to bob', 'pay \u202eto bob')[0]?.[1]).toEqual(['\u202e']))
  it('puts lines that belong together at one height', () => {
    const diff = diffTexts('alpha one two\nbeta three four', 'new line here\n\nalpha one 2\nbeta three four five')
    expect(numbersOf(diff)).toEqual([
      [null, 1],
      [null, 2],
      [1, 3],
      [2, 4],
    ])
    expect(diff.rows.slice(2).map((row) => [marked(row.base), marked(row.head)])).toEqual([
      [['two'], ['2']],
      [[], ['five']],
    ])
  })
  it('marks a line as a whole if it shares few words', () => {
    const [row] = diffTexts('the quick brown fox jumps over a dog', 'the rain in Spain stays mainly elsewhere').rows
    expect([row?.base?.isWhole, row?.head?.isWhole]).toEqual([true, true])
  })
  it('does not match a comma alone', () =>
    expect(marksOf('start red, green end', 'start big, small end')).toEqual([[['red, green'], ['big, small']]]))
  it('compares Chinese by words', () => expect(marksOf('今天天气很好', '昨天天气很好')).toEqual([[['今天'], ['昨天']]]))
  it('compares lines of right-to-left text by words', () =>
    expect(marksOf('שלום עולם יפה', 'שלום עולם גדול')).toEqual([[['יפה'], ['גדול']]]))
  it('says how much is the same', () => {
    expect(diffTexts('a b c d', 'a b c e').sameShare).toBe(0.75)
    expect(diffTexts('', '')).toMatchObject({ sameShare: 1, verdict: 'equal', rows: [] })
    expect(diffTexts('', 'x')).toMatchObject({ sameShare: 0, verdict: 'different' })
    expect(diffTexts('?', '!')).toMatchObject({ sameShare: 0, verdict: 'different' })
  })
  it('compares lines only if a side has too many words', () => {
    expect(MAX_WORDS).toBe(20_000)
    const long = 'word '.repeat(MAX_WORDS)
    expect(diffTexts(long, long).unit).toBe('word')
    expect(diffTexts(`${long}more`, 'word')).toMatchObject({ unit: 'line', sameShare: 0 })
  })
  it('keeps every line of both sides, in order, whatever the texts are', () => {
    const text = fc
      .array(fc.constantFrom('a b', 'a c', '', ' ', 'x', '{', 'a  b'), { maxLength: 12 })
      .map((of) => of.join('\n'))
    fc.assert(
      fc.property(text, text, (base, head) => {
        const { rows } = diffTexts(base, head)
        const side = (of: 'base' | 'head') =>
          rows
            .flatMap((row) => row[of] ?? [])
            .map(({ text: line }) => line)
            .join('\n')
        expect([side('base'), side('head')]).toEqual([base, head])
      }),
    )
  })
  it('ends for large texts that have nothing in common, and for those of few words', () => {
    const text = (seed: number, words: number, lines: number) =>
      Array.from({ length: lines }, (_, n) => `w${((n + seed) * 7919) % words}`).join('\n')
    expect(diffTexts(text(0, 1e6, 60_000), text(700_000, 1e6, 60_000)).sameShare).toBe(0)
    expect(diffTexts(text(0, 13, 60_000), text(5, 13, 60_000)).rows.length).toBeGreaterThanOrEqual(60_000)
    expect(diffTexts('a'.repeat(2_000_000), 'b'.repeat(2_000_000)).rows).toHaveLength(1)
  })
})

it('aligns equal items in rising order, whatever the lists are', () => {
  const list = fc.array(fc.nat(6), { maxLength: 40 })
  fc.assert(
    fc.property(list, list, (base, head) => {
      let [i, j] = [-1, -1]
      for (const [nextBase, nextHead] of align(base, head)) {
        expect(nextBase).toBeGreaterThan(i)
        expect(nextHead).toBeGreaterThan(j)
        expect(base[nextBase]).toBe(head[nextHead])
        ;[i, j] = [nextBase, nextHead]
      }
    }),
  )
})

it('aligns by items that occur once where the shortest difference takes too long', () => {
  const base = Array.from({ length: 6_000 }, (_, n) => (n % 100 === 0 ? n : 1_000_000 + n))
  const head = Array.from({ length: 6_000 }, (_, n) => (n % 100 === 0 ? n : 2_000_000 + n))
  expect(align(base, head)).toEqual(Array.from({ length: 60 }, (_, n) => [n * 100, n * 100]))
})

describe('folding', () => {
  const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `line ${from + n}`).join('\n')
  const sizes = (base: string, head: string) =>
    foldRows(diffTexts(base, head).rows).map((part) => [part.kind === 'fold' ? part.of : 'rows', part.rows.length])
  it('folds unchanged lines away from changes', () =>
    expect(sizes(`${numbered(20)}\nx`, `${numbered(20)}\ny`)).toEqual([
      ['same', 18],
      ['rows', 3],
    ]))
  it('folds more than five lines of one side', () => {
    expect(sizes('a', `a\n${numbered(5)}`)).toEqual([['rows', 6]])
    expect(sizes('a', `a\n${numbered(6)}`)).toEqual([
      ['rows', 3],
      ['head', 4],
    ])
  })
  it('loses no row', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }).map((of) => of.join('\n'))
    fc.assert(
      fc.property(text, text, (base, head) => {
        const { rows } = diffTexts(base, head)
        expect(foldRows(rows).flatMap((part) => part.rows)).toEqual(rows)
      }),
    )
  })
})

it('puts the lines of the base first in one column, and compared lines next to each other', () => {
  const { rows } = diffTexts('same\nalpha one two\nold\nolder', 'same\nalpha one 2\nnew\nnewer')
  expect(oneColumn(rows).map(({ side, line }) => [side, line.text])).toEqual([
    ['same', 'same'],
    ['base', 'alpha one two'],
    ['head', 'alpha one 2'],
    ['base', 'old'],
    ['base', 'older'],
    ['head', 'new'],
    ['head', 'newer'],
  ])
})
