import { align, type Pair } from './align.ts'
import { compareWords, type LineRange, type Mark } from './changed-lines.ts'
import { isBlank, isSpoken, numbering, withoutSpacing, splitWords, type Word } from './words.ts'

/** A line of one side. `isWhole`: nothing in it is in the other side; then `marks` is empty. */
export type DiffLine = {
  /** From 1 on. */
  readonly number: number
  readonly text: string
  readonly isWhole: boolean
  readonly marks: readonly Mark[]
}
/** Lines that are shown at one height; null where the other side has no such line. `isSame` ignores white space. */
export type DiffRow = { readonly base: DiffLine | null; readonly head: DiffLine | null; readonly isSame: boolean }
export type TextDiff = {
  readonly rows: readonly DiffRow[]
  /** What is compared: words, or only lines in texts that are too long. */
  readonly unit: 'word' | 'line'
  /** Words (or lines) that both sides have, as a share of all. 1 if both are empty. */
  readonly sameShare: number
  /** `spacing`: the texts differ, but in white space alone. */
  readonly verdict: 'equal' | 'spacing' | 'different'
}

/** Words of a side up to which changed lines are compared word by word. */
export const MAX_WORDS = 20_000
/** A longer text is not split into words, only to find that it has too many. */
const MAX_WORD_CHARACTERS = 400_000

type Side = {
  readonly lines: readonly string[]
  /** Of each line; null if lines are compared as a whole. */
  words: readonly (readonly Word[])[] | null
}

const sideOf = (text: string): Side => {
  const lines = text === '' ? [] : text.split(/\r\n|\n/)
  if (text.length > MAX_WORD_CHARACTERS) return { lines, words: null }
  const words = lines.map(splitWords)
  return { lines, words: words.reduce((sum, { length }) => sum + length, 0) > MAX_WORDS ? null : words }
}

/** Leaves out pairs of lines without any word, such as empty lines, that stand alone between changed lines. */
const withoutLoneBlanks = (pairs: readonly Pair[], { lines }: Side, ends: Pair): Pair[] => {
  const kept: Pair[] = []
  for (let n = 0; n < pairs.length;) {
    let end = n + 1
    while (end < pairs.length && isNext(pairs[end - 1], pairs[end])) end++
    const run = pairs.slice(n, end)
    const isAtEdge = isNext([-1, -1], run[0]) || isNext(run.at(-1), ends)
    if (isAtEdge || run.some(([i]) => isSpoken(lines[i] ?? ''))) kept.push(...run)
    n = end
  }
  return kept
}
const isNext = (before: Pair | undefined, after: Pair | undefined): boolean =>
  before !== undefined && after !== undefined && before[0] + 1 === after[0] && before[1] + 1 === after[1]

const line = ({ lines }: Side, index: number, marks: readonly Mark[] | 'whole'): DiffLine => {
  const text = lines[index] ?? ''
  return { number: index + 1, text, isWhole: marks === 'whole', marks: marks === 'whole' ? [] : marks }
}

/** The rows of a changed part: lines that belong together at one height, the others in their order. */
const changedRows = (base: Side, head: Side, b: LineRange, h: LineRange): { rows: DiffRow[]; sameWords: number } => {
  const compared = base.words && head.words ? compareWords(base.words, head.words, b, h) : null
  const wholeUnlessBlank = (side: Side, index: number): 'whole' | [] =>
    isBlank(side.lines[index] ?? '') ? [] : 'whole'
  const baseLine = (i: number): DiffLine => line(base, i, compared?.base.get(i) ?? wholeUnlessBlank(base, i))
  const headLine = (j: number): DiffLine => line(head, j, compared?.head.get(j) ?? wholeUnlessBlank(head, j))
  const rows: DiffRow[] = []
  let [i, j] = [b.start, h.start]
  for (const [nextBase, nextHead] of [...(compared?.pairs ?? []), [b.end, h.end] as const]) {
    for (; i < nextBase || j < nextHead; i++, j++)
      rows.push({
        base: i < nextBase ? baseLine(i) : null,
        head: j < nextHead ? headLine(j) : null,
        isSame: i < nextBase && j < nextHead && isBlank(base.lines[i] ?? '') && isBlank(head.lines[j] ?? ''),
      })
    if (nextBase < b.end && nextHead < h.end)
      rows.push({ base: baseLine(nextBase), head: headLine(nextHead), isSame: false })
    ;[i, j] = [nextBase + 1, nextHead + 1]
  }
  return { rows, sameWords: compared?.sameWords ?? 0 }
}

/**
 * Compares two texts: first their lines, then the words of the lines that differ. White space alone is no difference. A
 * side of more than `MAX_WORDS` words is compared by lines only.
 */
export const diffTexts = (baseText: string, headText: string): TextDiff => {
  const [base, head] = [sideOf(baseText), sideOf(headText)]
  if (!base.words || !head.words) [base.words, head.words] = [null, null]
  const number = numbering()
  const numbersOf = ({ lines }: Side): number[] => lines.map((text) => number(withoutSpacing(text)))
  const ends: Pair = [base.lines.length, head.lines.length]
  const pairs = withoutLoneBlanks(align(numbersOf(base), numbersOf(head)), base, ends)

  const rows: DiffRow[] = []
  let [i, j, same] = [0, 0, 0]
  for (const [nextBase, nextHead] of [...pairs, ends]) {
    if (i < nextBase || j < nextHead) {
      const changed = changedRows(base, head, { start: i, end: nextBase }, { start: j, end: nextHead })
      for (const row of changed.rows) rows.push(row)
      same += 2 * changed.sameWords
    }
    if (nextBase < ends[0] && nextHead < ends[1]) {
      rows.push({ base: line(base, nextBase, []), head: line(head, nextHead, []), isSame: true })
      same += base.words ? 2 * spokenIn(base.words[nextBase]) : 2
    }
    ;[i, j] = [nextBase + 1, nextHead + 1]
  }
  const all = base.words && head.words ? countSpoken(base.words) + countSpoken(head.words) : ends[0] + ends[1]
  const hasMarks = rows.some((row) => isMarked(row.base) || isMarked(row.head))
  return {
    rows,
    unit: base.words ? 'word' : 'line',
    sameShare: all === 0 ? (hasMarks ? 0 : 1) : same / all,
    verdict: baseText === headText ? 'equal' : hasMarks ? 'different' : 'spacing',
  }
}

const isMarked = (of: DiffLine | null): boolean => of !== null && (of.isWhole || of.marks.length > 0)
const spokenIn = (words: readonly Word[] = []): number => words.filter(({ text }) => isSpoken(text)).length
const countSpoken = (words: readonly (readonly Word[])[]): number => words.reduce((sum, of) => sum + spokenIn(of), 0)
