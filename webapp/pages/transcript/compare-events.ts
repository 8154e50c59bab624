import { align } from '../../components/diff/align.ts'

/** An event as it is compared: its number, and what it has in common with events that do the same. */
export type Compared = { readonly n: number; readonly signature: string }

/** A part of two transcripts: as many events of each that do the same, or events that only one has, next to those that only the other has. */
export type Stretch =
  | { readonly kind: 'same'; readonly base: number; readonly head: number; readonly count: number }
  | { readonly kind: 'differs'; readonly base: readonly number[]; readonly head: readonly number[] }

/** Compares what two transcripts do, in order. The numbers of a stretch are those of events. */
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
