import { statusDelta, type ComparisonSummary } from './comparison.ts'
import { CASE_STATUSES, type CaseStatus } from '../run/document.ts'

/** The fields of a case that define its position in a comparison and its share of the summary. `n` is its index. */
export type CaseOutline = {
  readonly n: number
  readonly case_key: string
  readonly status: CaseStatus
  readonly output_hash: Uint8Array | null
}

/** The number of bytes of an output's hash, and of the beginning of a key that is compared as one number. */
const HASH_BYTES = 32
const PREFIX_BYTES = 6

/** The value in `pairs` for a case that a run does not have. */
export const ABSENT = -1

/** The outlines of one run's cases: about 60 bytes and the key per case, outside of the heap. */
export type Outlines = ReturnType<typeof caseOutlines>

/** Collects the outlines of at most `count` cases. Throws if there are more. */
export const caseOutlines = (count: number) => {
  let keys = Buffer.allocUnsafeSlow(Math.max(64, count * 20))
  const ends = new Uint32Array(count)
  const prefixes = new Float64Array(count)
  const indexes = new Int32Array(count)
  const statuses = new Uint8Array(count)
  const hashes = new Uint8Array(count * HASH_BYTES)
  const hashed = new Uint8Array(count)
  let size = 0

  const start = (i: number): number => (i === 0 ? 0 : (ends[i - 1] ?? 0))
  const addKey = (key: string): void => {
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
    for (let i = from; i < from + PREFIX_BYTES; i++) prefix = prefix * 256 + (i < end ? (keys[i] ?? 0) : 0)
    prefixes[size] = prefix
  }

  return {
    add: ({ n, case_key, status, output_hash }: CaseOutline): void => {
      if (size === count) throw new Error(`a run has more cases than ${count}`)
      addKey(case_key)
      indexes[size] = n
      statuses[size] = CASE_STATUSES.indexOf(status)
      if (output_hash) {
        hashes.set(output_hash, size * HASH_BYTES)
        hashed[size] = 1
      }
      size++
    },
    size: () => size,
    index: (i: number): number => indexes[i] ?? ABSENT,
    status: (i: number): CaseStatus => CASE_STATUSES[statuses[i] ?? 0] ?? 'error',
    hash: (i: number): Uint8Array | null =>
      hashed[i] === 1 ? hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES) : null,
    prefix: (i: number): number => prefixes[i] ?? 0,
    keys: () => keys,
    start,
    end: (i: number): number => ends[i] ?? 0,
  }
}

/** Compares keys by their UTF-8 bytes, which is the order of their code points. */
const compareKeys = (a: Outlines, i: number, b: Outlines, j: number): number =>
  a.prefix(i) - b.prefix(j) || a.keys().compare(b.keys(), b.start(j), b.end(j), a.start(i), a.end(i))

/** Returns the indexes sorted by key. Of cases with the same key only the first is included, as in the read tables. */
const sortedByKey = (outlines: Outlines): Uint32Array => {
  const order = Uint32Array.from({ length: outlines.size() }, (_, i) => i).sort((i, j) =>
    compareKeys(outlines, i, outlines, j),
  )
  let count = 0
  for (const i of order)
    if (count === 0 || compareKeys(outlines, order[count - 1] ?? 0, outlines, i) !== 0) order[count++] = i
  return order.subarray(0, count)
}

const sameOutput = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : Buffer.compare(a, b) === 0

/**
 * Pairs the cases of two runs by key: for each key, the index of its case in the base run and in the head run. `pairs`
 * uses shared memory, so that threads pass it on without a copy.
 */
export const pairCases = (
  base: Outlines,
  head: Outlines,
): { readonly pairs: Int32Array<SharedArrayBuffer>; readonly summary: ComparisonSummary } => {
  const [before, after] = [sortedByKey(base), sortedByKey(head)]
  const pairs = new Int32Array(new SharedArrayBuffer((before.length + after.length) * 8))
  const summary = { newly_failing: 0, newly_passing: 0, still_failing: 0, output_changed: 0, added: 0, removed: 0 }
  let length = 0
  for (let b = 0, h = 0; b < before.length || h < after.length; length += 2) {
    const [i, j] = [before[b], after[h]]
    const order = i === undefined ? 1 : j === undefined ? -1 : compareKeys(base, i, head, j)
    pairs[length] = i !== undefined && order <= 0 ? base.index(i) : ABSENT
    pairs[length + 1] = j !== undefined && order >= 0 ? head.index(j) : ABSENT
    if (order < 0) summary.removed++
    else if (order > 0) summary.added++
    else if (i !== undefined && j !== undefined) {
      const delta = statusDelta(base.status(i), head.status(j))
      if (delta === 'newly_failing' || delta === 'newly_passing' || delta === 'still_failing') summary[delta]++
      if (!sameOutput(base.hash(i), head.hash(j))) summary.output_changed++
    }
    if (order <= 0) b++
    if (order >= 0) h++
  }
  return { pairs: pairs.subarray(0, length), summary }
}
