import { diffArrays } from 'diff'

/** Pairs of equal items: `[index in base, index in head]`, both rising. */
export type Pair = readonly [base: number, head: number]

/** Edits after which a search for the shortest difference ends; its time grows with their square. */
const MAX_EDITS = 3_000
/** The same between two anchors, where many searches follow one another. */
const MAX_EDITS_BETWEEN = 400

type Range = { readonly start: number; readonly end: number }

/** The pairs of a shortest difference of two ranges; null if it needs more than `maxEdits`. */
const shortest = (base: readonly number[], head: readonly number[], b: Range, h: Range, maxEdits: number) => {
  const changes = diffArrays(base.slice(b.start, b.end), head.slice(h.start, h.end), { maxEditLength: maxEdits })
  if (!changes) return null
  const pairs: Pair[] = []
  let [i, j] = [b.start, h.start]
  for (const { added, removed, count } of changes) {
    if (added) j += count
    else if (removed) i += count
    else for (let n = 0; n < count; n++) pairs.push([i++, j++])
  }
  return pairs
}

/** Items that occur once in each range, in the longest order that both share (the patience difference of B. Cohen). */
const anchors = (base: readonly number[], head: readonly number[], b: Range, h: Range): Pair[] => {
  const places = new Map<number, { base: number; head: number }>()
  const place = (item: number) => {
    const known = places.get(item) ?? { base: -1, head: -1 }
    places.set(item, known)
    return known
  }
  // -1: not seen; -2: seen more than once.
  for (let i = b.start; i < b.end; i++) {
    const known = place(base[i] ?? -1)
    known.base = known.base === -1 ? i : -2
  }
  for (let j = h.start; j < h.end; j++) {
    const known = place(head[j] ?? -1)
    known.head = known.head === -1 ? j : -2
  }
  // The map is in the order of the base; the longest rising run of places in the head is found by patience sorting.
  const unique = [...places.values()].filter((known) => known.base >= 0 && known.head >= 0)
  const piles: number[] = []
  const before: number[] = []
  for (const [n, { head: place }] of unique.entries()) {
    let [low, high] = [0, piles.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((unique[piles[middle] ?? 0]?.head ?? 0) < place) low = middle + 1
      else high = middle
    }
    before[n] = piles[low - 1] ?? -1
    piles[low] = n
  }
  const chain: Pair[] = []
  for (let n = piles.at(-1) ?? -1; n >= 0; n = before[n] ?? -1) {
    const known = unique[n]
    if (known) chain.push([known.base, known.head])
  }
  return chain.toReversed()
}

/**
 * Aligns two lists of numbers: pairs of equal items. The shortest difference (E. Myers) as long as it needs few edits;
 * else items that occur once are anchors, and the parts between them are aligned on their own. The time is bounded for
 * any input.
 */
export const align = (base: readonly number[], head: readonly number[]): Pair[] => {
  let start = 0
  while (start < base.length && start < head.length && base[start] === head[start]) start++
  let [baseEnd, headEnd] = [base.length, head.length]
  while (baseEnd > start && headEnd > start && base[baseEnd - 1] === head[headEnd - 1]) {
    baseEnd--
    headEnd--
  }
  const same = (length: number, b: number, h: number): Pair[] => Array.from({ length }, (_, n): Pair => [b + n, h + n])
  const [b, h] = [
    { start, end: baseEnd },
    { start, end: headEnd },
  ]
  const middle =
    b.start === b.end || h.start === h.end
      ? []
      : (shortest(base, head, b, h, MAX_EDITS) ?? betweenAnchors(base, head, b, h))
  return [...same(start, 0, 0), ...middle, ...same(base.length - baseEnd, baseEnd, headEnd)]
}

const betweenAnchors = (base: readonly number[], head: readonly number[], b: Range, h: Range): Pair[] => {
  const pairs: Pair[] = []
  let [i, j] = [b.start, h.start]
  for (const [nextBase, nextHead] of [...anchors(base, head, b, h), [b.end, h.end] as const]) {
    if (i < nextBase && j < nextHead)
      for (const pair of shortest(
        base,
        head,
        { start: i, end: nextBase },
        { start: j, end: nextHead },
        MAX_EDITS_BETWEEN,
      ) ?? [])
        pairs.push(pair)
    if (nextBase < b.end) pairs.push([nextBase, nextHead])
    ;[i, j] = [nextBase + 1, nextHead + 1]
  }
  return pairs
}
