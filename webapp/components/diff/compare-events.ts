import { align } from './align.ts'

/** An event as it is compared: its number, and what it has in common with events that do the same. */
export type Compared = { readonly n: number; readonly signature: string }

/** A part of a comparison: as many events of each that do the same, or events that only one has, next to those that only the other has. */
export type Stretch =
  | { readonly kind: 'same'; readonly base: number; readonly head: number; readonly count: number }
  | { readonly kind: 'differs'; readonly base: readonly number[]; readonly head: readonly number[] }

/** Compares what two transcripts or conversations do, in order. The numbers of a stretch are those of events. */
export const compareEvents = (base: readonly Compared[], head: readonly Compared[]): Stretch[] => {
  const numbers = new Map<string, number>()
  const numberOf = ({ signature }: Compared): number => {
    const known = numbers.get(signature) ?? numbers.size
    numbers.set(signature, known)
    return known
  }
  const pairs = align(base.map(numberOf), head.map(numberOf))
  const stretches: Stretch[] = []
  let [b, h] = [0, 0]
  const differ = (toBase: number, toHead: number): void => {
    if (toBase > b || toHead > h)
      stretches.push({
        kind: 'differs',
        base: base.slice(b, toBase).map(({ n }) => n),
        head: head.slice(h, toHead).map(({ n }) => n),
      })
  }
  for (const [i, j] of pairs) {
    differ(i, j)
    const last = stretches.at(-1)
    if (last?.kind === 'same' && b === i && h === j)
      stretches[stretches.length - 1] = { ...last, count: last.count + 1 }
    else stretches.push({ kind: 'same', base: base[i]?.n ?? 0, head: head[j]?.n ?? 0, count: 1 })
    b = i + 1
    h = j + 1
  }
  differ(base.length, head.length)
  return stretches
}

/** An event of a comparison: what it does in words, and whether it calls a tool. */
export type ComparedEvent = { readonly signature: string; readonly words: string; readonly isTool: boolean }

/** What is compared: its events by their numbers, in their order. It is cut if there are more. */
export type ComparedSide = {
  readonly events: ReadonlyMap<number, ComparedEvent>
  readonly isCut: boolean
  /** What was spent before an event, in words; empty if it is not known. */
  readonly spent?: (n: number) => string
}

/** Two sides and what they have in common. */
export type Comparison = {
  readonly base: ComparedSide
  readonly head: ComparedSide
  readonly stretches: readonly Stretch[]
}

/** The events of a side as they are compared. */
export const comparedEvents = ({ events }: ComparedSide): Compared[] =>
  [...events].map(([n, { signature }]) => ({ n, signature }))

/** Where the base is at a stretch: at its own first event there, or before the next one that it has; null at its end. */
export const placeAfter = (
  stretches: readonly Stretch[],
  at: number,
): { readonly n: number; readonly isBefore: boolean } | null => {
  const stretch = stretches[at]
  if (stretch?.kind === 'differs' && stretch.base[0] !== undefined) return { n: stretch.base[0], isBefore: false }
  const next = stretches[at + 1]
  return next?.kind === 'same' ? { n: next.base, isBefore: true } : null
}

/** Where two sides call tools differently for the first time: the numbers of the calls, null on a side that makes none at that place. */
export const firstOtherTool = ({
  base,
  head,
  stretches,
}: Comparison): { readonly base: number | null; readonly head: number | null } | null => {
  const toolOf = ({ events }: ComparedSide, numbers: readonly number[]): number | null =>
    numbers.find((n) => events.get(n)?.isTool) ?? null
  for (const stretch of stretches) {
    if (stretch.kind === 'same') continue
    const calls = { base: toolOf(base, stretch.base), head: toolOf(head, stretch.head) }
    if (calls.base !== null || calls.head !== null) return calls
  }
  return null
}
