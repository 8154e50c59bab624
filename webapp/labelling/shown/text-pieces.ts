import { portionEnd } from '../../text/text-portions.ts'
import { visiblePieces } from '../../text/visible-text.ts'
import type { Mark } from '../answers.ts'

/**
 * A piece of a stored text as it is drawn, with its place in the text. `name`: it stands for invisible characters. `marks`: the
 * marks that it is in, by their number.
 */
export type TextPiece = {
  readonly text: string
  readonly name: string | null
  readonly start: number
  readonly end: number
  readonly marks: readonly number[]
}

/** The pieces of a text with their places. */
const placedPieces = (text: string): Array<Omit<TextPiece, 'marks'>> => {
  // A `\r\n` is drawn as one character, so places in the drawn text are not those in the stored one.
  const ends: number[] = []
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) ends.push(at - ends.length)
  const lines = text.replaceAll('\r\n', '\n')
  /** Places are asked for in ascending order. */
  let passed = 0
  const stored = (at: number): number => {
    while (passed > 0 && (ends[passed - 1] ?? 0) >= at) passed--
    while (passed < ends.length && (ends[passed] ?? 0) < at) passed++
    return at + passed
  }
  let from = 0
  const pieces = visiblePieces(text)
  return pieces.map((piece, n) => {
    // A mark ends where the next plain piece begins. Between two marks there is no visible character.
    const next = piece.name === null ? null : pieces.slice(n + 1).find(({ name }) => name === null)
    const isLast = piece.name === null || pieces[n + 1]?.name === null || n + 1 === pieces.length
    const end = piece.name === null ? from + piece.text.length : next ? lines.indexOf(next.text, from) : lines.length
    const placed = { ...piece, start: stored(from), end: stored(isLast ? end : from) }
    if (isLast) from = end
    return placed
  })
}

/** Characters of a part of a text. */
const PART = 8_000

/** Where the parts of a text begin. */
const partStarts = (text: string): number[] => {
  const starts = [0]
  for (let from = 0; from < text.length;) {
    from = portionEnd(text, from, from + PART)
    if (text[from] === '\n' && text[from - 1] === '\r') from++
    if (from < text.length) starts.push(from)
  }
  return starts
}

/** Pieces in the parts of their text: what a browser lays out at once. */
export const inParts = (text: string, pieces: readonly TextPiece[]): TextPiece[][] => {
  const parts: TextPiece[][] = []
  const starts = partStarts(text)
  for (const piece of pieces) {
    while ((starts[parts.length] ?? Infinity) <= piece.start) parts.push([])
    parts.at(-1)?.push(piece)
  }
  return parts.filter((part) => part.length > 0)
}

/** A text in pieces, cut where marks begin and end, and between its parts. */
export const textPieces = (text: string, marks: readonly Mark[]): TextPiece[] => {
  const places = [...marks.flatMap(({ start, end }) => [start, end]), ...partStarts(text)]
  const cuts = [...new Set(places)].toSorted((a, b) => a - b)
  return placedPieces(text).flatMap((piece) => {
    const { start, end } = piece
    const within = piece.name === null ? cuts.filter((at) => at > start && at < end) : []
    return [start, ...within].map((from, n) => {
      const to = within[n] ?? end
      const isIn = (mark: Mark): boolean => mark.start < Math.max(to, from + 1) && mark.end > from
      const shown = piece.name === null ? text.slice(from, to).replaceAll('\r\n', '\n') : piece.text
      return { ...piece, text: shown, start: from, end: to, marks: marks.flatMap((mark, i) => (isIn(mark) ? [i] : [])) }
    })
  })
}

/** The place in the stored text of a point of a selection within `root`, whose pieces have it in `data-at`; null if it is elsewhere. */
export const placeOf = (root: Element, text: string, node: Node, offset: number): number | null => {
  if (!root.contains(node)) return null
  const range = document.createRange()
  range.setStart(root, 0)
  range.setEnd(node, offset)
  const pieces = [...root.querySelectorAll<HTMLElement>('[data-at]')]
  // The last piece that the selection reaches into, and how far it reaches.
  const last = pieces.findLast((piece) => range.comparePoint(piece, 0) <= 0)
  if (!last) return 0
  const at = Number(last.dataset['at'])
  if (last.dataset['unseen'] !== undefined) return at
  const inside = document.createRange()
  inside.selectNodeContents(last)
  if (last.contains(node)) inside.setEnd(node, offset)
  let rest = inside.toString().length
  let place = at
  for (; rest > 0; rest--) place += text.startsWith('\r\n', place) ? 2 : 1
  return place
}
