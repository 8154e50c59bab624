import { deltaOf } from './comparison.ts'
import type { ComparisonSummary } from './comparison.ts'
import { CASE_STATUSES } from '../run/document.ts'
import type { CaseStatus } from '../run/document.ts'

/** What decides the place of a case in a comparison, and what the summary counts. `n` is its place in its run. */
export type CaseOutline = {
  readonly n: number
  readonly case_key: string
  readonly status: CaseStatus
  readonly output_hash: Uint8Array | null
}

/** The bytes of an output's hash, and of a key that are compared as one number. */
const HASH_BYTES = 32
const PREFIX_BYTES = 6

/** Marks in `pairs` a case that a run does not have. */
export const ABSENT = -1

/** The outlines of one run's cases: some 60 bytes and the key for each, outside of the heap. */
export type Outlines = ReturnType<typeof caseOutlines>

/** Gathers the outlines of at most `count` cases. Throws for one more. */
export const caseOutlines = (count: number) => {
  let keys = Buffer.allocUnsafeSlow(Math.max(64, count * 20))
  const ends = new Uint32Array(count)
  const prefixes = new Float64Array(count)
  const places = new Int32Array(count)
  const statuses = new Uint8Array(count)
  const hashes = new Uint8Array(count * HASH_BYTES)
  const hashed = new Uint8Array(count)
  let size = 0

  const start = (i: number): number => (i === 0 ? 0 : (ends[i - 1] ?? 0))
  const keep = (key: string): void => {
    const from = start(size)
    const end = from + Buffer.byteLength(key)
    if (end > keys.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, keys.length * 2))
      keys.copy(larger, 0, 0, from)
      keys = larger
    }
    keys.write(key, from, 'utf8')
    ends[size] = end
    let prefix = 0
    for (let at = from; at < from + PREFIX_BYTES; at++) prefix = prefix * 256 + (at < end ? (keys[at] ?? 0) : 0)
    prefixes[size] = prefix
  }

  return {
    add: ({ n, case_key, status, output_hash }: CaseOutline): void => {
      if (size === count) throw new Error(`a run has more cases than ${count}`)
      keep(case_key)
      places[size] = n
      statuses[size] = CASE_STATUSES.indexOf(status)
      if (output_hash) {
        hashes.set(output_hash, size * HASH_BYTES)
        hashed[size] = 1
      }
      size++
    },
    size: () => size,
    place: (i: number): number => places[i] ?? ABSENT,
    status: (i: number): CaseStatus => CASE_STATUSES[statuses[i] ?? 0] ?? 'error',
    hash: (i: number): Uint8Array | null =>
      hashed[i] === 1 ? hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES) : null,
    prefix: (i: number): number => prefixes[i] ?? 0,
    keys: () => keys,
    start,
    end: (i: number): number => ends[i] ?? 0,
  }
}

/** The order of the keys' UTF-8 bytes, which is that of their code points. */
const compareKeys = (a: Outlines, i: number, b: Outlines, j: number): number =>
  a.prefix(i) - b.prefix(j) || a.keys().compare(b.keys(), b.start(j), b.end(j), a.start(i), a.end(i))

/** Indexes in the order of the keys; of two cases with one key the first counts, as everywhere. */
const inOrder = (of: Outlines): Uint32Array => {
  const order = Uint32Array.from({ length: of.size() }, (_, i) => i).sort((i, j) => compareKeys(of, i, of, j))
  let kept = 0
  for (const i of order) if (kept === 0 || compareKeys(of, order[kept - 1] ?? 0, of, i) !== 0) order[kept++] = i
  return order.subarray(0, kept)
}

const sameOutput = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : Buffer.compare(a, b) === 0

/**
 * The cases of two runs by key: two numbers for each key, the place of its case in the base and in the head. They are
 * shared memory, so that threads pass them on without a copy.
 */
export const pairCases = (
  base: Outlines,
  head: Outlines,
): { readonly pairs: Int32Array<SharedArrayBuffer>; readonly summary: ComparisonSummary } => {
  const [before, after] = [inOrder(base), inOrder(head)]
  const pairs = new Int32Array(new SharedArrayBuffer((before.length + after.length) * 8))
  const summary = { newly_failing: 0, newly_passing: 0, still_failing: 0, output_changed: 0, added: 0, removed: 0 }
  let length = 0
  for (let b = 0, h = 0; b < before.length || h < after.length; length += 2) {
    const [i, j] = [before[b], after[h]]
    const order = i === undefined ? 1 : j === undefined ? -1 : compareKeys(base, i, head, j)
    pairs[length] = i !== undefined && order <= 0 ? base.place(i) : ABSENT
    pairs[length + 1] = j !== undefined && order >= 0 ? head.place(j) : ABSENT
    if (order < 0) summary.removed++
    else if (order > 0) summary.added++
    else if (i !== undefined && j !== undefined) {
      const delta = deltaOf(base.status(i), head.status(j))
      if (delta === 'newly_failing' || delta === 'newly_passing' || delta === 'still_failing') summary[delta]++
      if (!sameOutput(base.hash(i), head.hash(j))) summary.output_changed++
    }
    if (order <= 0) b++
    if (order >= 0) h++
  }
  return { pairs: pairs.subarray(0, length), summary }
}
