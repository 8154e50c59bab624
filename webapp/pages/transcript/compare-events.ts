import { align } from '../../components/diff/align.ts'
import type { OutlineItem } from './use-transcript.ts'

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

/** The events of a transcript by their numbers, in their order. */
export type Events = ReadonlyMap<number, OutlineItem>

/** Where two transcripts call tools differently for the first time: the numbers of the calls, null on a side that makes none at that place. */
export const firstOtherTool = (
  stretches: readonly Stretch[],
  base: Events,
  head: Events,
): { readonly base: number | null; readonly head: number | null } | null => {
  const toolOf = (events: Events, numbers: readonly number[]): number | null =>
    numbers.find((n) => events.get(n)?.type === 'tool') ?? null
  for (const stretch of stretches) {
    if (stretch.kind === 'same') continue
    const calls = { base: toolOf(base, stretch.base), head: toolOf(head, stretch.head) }
    if (calls.base !== null || calls.head !== null) return calls
  }
  return null
}

const plus = (sum: number | null, more: number | null): number | null => (more === null ? sum : (sum ?? 0) + more)

/** What was spent before an event: its tokens, its cost in US dollars and its time in ms; null where no event says it. */
export const spentBefore = (
  events: Events,
  n: number,
): Pick<OutlineItem, 'ms' | 'input_tokens' | 'output_tokens' | 'cost_usd'> => {
  const spent: ReturnType<typeof spentBefore> = { ms: null, input_tokens: null, output_tokens: null, cost_usd: null }
  let first: number | null = null
  for (const { n: at, type, ...item } of events.values()) {
    first ??= item.at
    if (at >= n) {
      if (first !== null && item.at !== null) spent.ms = Math.max(0, item.at - first)
      break
    }
    // What a span says is the sum of the events in it.
    if (type === 'span' || type === 'span_end') continue
    for (const name of ['input_tokens', 'output_tokens', 'cost_usd'] as const)
      spent[name] = plus(spent[name], item[name])
  }
  return spent
}
