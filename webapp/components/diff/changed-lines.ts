import { align, type Pair } from './align.ts'
import { isSpoken, numbering, type Word } from './words.ts'

/** A part of a line that the other side lacks. */
export type Mark = readonly [start: number, end: number]
/** Lines from `start` up to `end`, which is not among them. */
export type LineRange = { readonly start: number; readonly end: number }

/** A line with a smaller share of common words is shown as changed as a whole: single common words say nothing. */
const MIN_SHARED = 1 / 3

/** A word of a changed part, its line, and the same word of the other side (null if there is none). */
type Placed = { readonly word: Word; readonly line: number; partner: Placed | null }

const placedWords = (words: readonly (readonly Word[])[], { start, end }: LineRange): Placed[] =>
  words.slice(start, end).flatMap((of, n) => of.map((word): Placed => ({ word, line: start + n, partner: null })))

const separate = (placed: Placed): void => {
  if (placed.partner) placed.partner.partner = null
  placed.partner = null
}

/**
 * Makes equal words partners. Signs alone between two changes stay without: a comma in both does not make two rewritten
 * sentences alike.
 */
const makePartners = (base: readonly Placed[], head: readonly Placed[]): void => {
  const number = numbering()
  const numbersOf = (placed: readonly Placed[]): number[] => placed.map(({ word }) => number(word.text))
  const pairs = align(numbersOf(base), numbersOf(head))
  let run: Pair[] = []
  const endRun = (isLast: boolean): void => {
    const [first] = run
    const isLone = !isLast && first !== undefined && (first[0] > 0 || first[1] > 0)
    if (!isLone || run.some(([i]) => isSpoken(base[i]?.word.text ?? '')))
      for (const [i, j] of run) {
        const [one, other] = [base[i], head[j]]
        if (one && other) [one.partner, other.partner] = [other, one]
      }
    run = []
  }
  for (const pair of pairs) {
    const last = run.at(-1)
    if (last && (last[0] + 1 !== pair[0] || last[1] + 1 !== pair[1])) endRun(false)
    run.push(pair)
  }
  const last = run.at(-1)
  endRun(last !== undefined && last[0] === base.length - 1 && last[1] === head.length - 1)
}

/** Separates the words of lines that have few common words. */
const separateOtherLines = (placed: readonly Placed[]): void => {
  for (const of of byLine(placed).values())
    if (of.filter(({ partner }) => partner).length < of.length * MIN_SHARED) of.forEach(separate)
}

const byLine = (placed: readonly Placed[]): Map<number, Placed[]> => {
  const lines = new Map<number, Placed[]>()
  for (const item of placed) {
    const line = lines.get(item.line)
    if (line) line.push(item)
    else lines.set(item.line, [item])
  }
  return lines
}

/** Lines that have common words, each in one pair at most: of two pairs of a line, the one with more words. */
const pairLines = (base: readonly Placed[]): Pair[] => {
  const counted: { readonly pair: Pair; count: number }[] = []
  for (const { line, partner } of base) {
    if (!partner) continue
    const last = counted.at(-1)
    if (last?.pair[0] === line && last.pair[1] === partner.line) last.count++
    else counted.push({ pair: [line, partner.line], count: 1 })
  }
  const chosen: typeof counted = []
  for (const next of counted) {
    const last = chosen.at(-1)
    if (last && (last.pair[0] === next.pair[0] || last.pair[1] === next.pair[1])) {
      if (last.count >= next.count) continue
      chosen.pop()
    }
    chosen.push(next)
  }
  return chosen.map(({ pair }) => pair)
}

/** The parts of a line without partners. White space between two such words is in the mark. */
const marksOf = (line: readonly Placed[]): Mark[] | 'whole' => {
  if (line.every(({ partner }) => !partner)) return 'whole'
  const marks: Mark[] = []
  for (const [n, { word, partner }] of line.entries()) {
    if (partner) continue
    const end = word.start + word.text.length
    const last = marks.at(-1)
    if (last && n > 0 && !line[n - 1]?.partner) marks[marks.length - 1] = [last[0], end]
    else marks.push([word.start, end])
  }
  return marks
}

/**
 * Compares two changed parts word by word, across their lines: a paragraph that is only wrapped elsewhere has no marks.
 * Returns the pairs of lines that belong together and the marks of each line that has words.
 */
export const compareWords = (
  baseWords: readonly (readonly Word[])[],
  headWords: readonly (readonly Word[])[],
  baseRange: LineRange,
  headRange: LineRange,
) => {
  const [base, head] = [placedWords(baseWords, baseRange), placedWords(headWords, headRange)]
  makePartners(base, head)
  separateOtherLines(base)
  separateOtherLines(head)
  const marks = (placed: readonly Placed[]) => new Map([...byLine(placed)].map(([line, of]) => [line, marksOf(of)]))
  return {
    pairs: pairLines(base),
    base: marks(base),
    head: marks(head),
    sameWords: base.filter(({ word, partner }) => partner && isSpoken(word.text)).length,
  }
}
