import { hash } from 'node:crypto'
import type { RawRecord } from '../../../storage/log/raw-records.ts'
import type { Finding } from '../finding.ts'
import { growingTree } from './hex-tree.ts'

/**
 * The records of one range of the log, from `from` + 1 to `to`, as plain data for a thread. `sizes` are the sizes of trees,
 * above `from` and at most `to`, whose roots are needed. `marked` are the types that the rules read whole.
 */
export type Range = {
  readonly from: number
  readonly to: number
  readonly sizes: readonly number[]
  readonly marked: readonly string[]
}

/** What a thread says when it has opened the log. */
export const OPEN = 'open'

/** The subtrees of a tree that ends in a range, without the leaves before the range. `roots` are the largest first. */
type PartialTree = { readonly size: number; readonly roots: readonly string[] }

/** What the records of a range show. Positions are numbers of records. */
export type RangeResult = {
  readonly range: Range
  /** The first problem, and its record. */
  readonly finding: (Finding & { readonly seq: number }) | null
  readonly firstAt: number
  readonly lastAt: number
  /** The perfect subtrees of all leaves of the range. */
  readonly roots: readonly string[]
  readonly partial: readonly PartialTree[]
  /** The roots of the full subtrees of 256 leaves, of 65,536, and so on. */
  readonly nodes: readonly (readonly string[])[]
  /** Records without a body. */
  readonly bodiless: readonly number[]
  /** Records of a version above 1, before which no record has the version before it. */
  readonly gaps: readonly number[]
  /** Records of marked types, and runs that name a plan. */
  readonly marked: readonly number[]
  /** The number of each uploaded document and its record, and of each deleted one and its record, negated. */
  readonly documents: Float64Array<ArrayBuffer>
}

export type RangeScan = {
  /** Adds the next record; false after the first problem. */
  readonly add: (record: RawRecord) => boolean
  readonly end: () => RangeResult
}

const HASH_DIGITS = 64
const SALT_BYTES = 16

/** Salt and body of one record, for its commitment. Reused, because a buffer for each record takes longer than its hash. */
let opened = Buffer.alloc(64 * 1024)

/** SHA-256(salt ‖ body) in hex; null if salt or body do not have the lengths that they are stored with. */
const commitmentOf = (salt: string, body: string, bodyBytes: number): string | null => {
  if (salt.length !== 2 * SALT_BYTES) return null
  const length = SALT_BYTES + bodyBytes
  // Room for one character more: of a text that is longer than `bodyBytes`, more is written, and the lengths differ.
  if (opened.length < length + 4) opened = Buffer.alloc(2 * length)
  opened.write(salt, 0, SALT_BYTES, 'hex')
  if (opened.write(body, SALT_BYTES) !== bodyBytes) return null
  return hash('sha256', opened.subarray(0, length), 'hex')
}

// Inside a string of a canonical body, the quotes of these texts would be escaped. They begin with a letter, because a
// search for a quote stops at every member: it takes three times as long.
const RUN_NO = 'run_no":'
const PLAN_ID = 'plan_id":"'

const DIGIT_0 = 0x30

/** The number after `"run_no":` in a canonical body; NaN if there is none. */
const runNumberIn = (body: string): number => {
  const start = body.indexOf(RUN_NO) + RUN_NO.length
  let value = 0
  let at = start
  for (; ; at++) {
    const digit = body.charCodeAt(at) - DIGIT_0
    if (!(digit >= 0 && digit <= 9)) break
    value = value * 10 + digit
  }
  return start < RUN_NO.length || at === start ? Number.NaN : value
}

/**
 * Checks the records of a range one after another: numbers without a gap, times that never decrease, bodies that fit their
 * commitments, entries that fit their leaves, and columns that fit their bodies. Ends at the first problem. What only the
 * whole log shows is returned for the caller.
 */
export const scanRange = (range: Range): RangeScan => {
  const { from, to } = range
  const marked = new Set(range.marked)
  const sizes = new Set(range.sizes)
  const nodes: string[][] = []
  const tree = growingTree((level, node) => (nodes[level - 1] ??= []).push(node))
  const partial: PartialTree[] = []
  const bodiless: number[] = []
  const gaps: number[] = []
  const toRead: number[] = []
  const documents: number[] = []
  const entryEnds = new Map<string, string>()
  let finding: RangeResult['finding'] = null
  let expected = from + 1
  let firstAt = 0
  let lastAt = 0

  const fail = (seq: number, kind: Finding['kind'], message: string): false => {
    finding = { seq, kind, message }
    return false
  }
  const endOf = (type: string): string => {
    const text = `,"type":${JSON.stringify(type)}}`
    entryEnds.set(type, text)
    return text
  }

  return {
    add: (record) => {
      const [seq, recorded_at, type, hashes, body, bodyBytes, stream, version, hasPredecessor] = record
      if (seq !== expected) return fail(expected, 'missing', `record ${expected} is missing`)
      if (recorded_at < lastAt) return fail(seq, 'altered', `record ${seq} is older than the one before it`)
      if (seq === from + 1) firstAt = recorded_at
      lastAt = recorded_at
      const commitment = hashes.slice(0, HASH_DIGITS)
      const entry = `\0{"commitment":"${commitment}","recorded_at":${recorded_at}${entryEnds.get(type) ?? endOf(type)}`
      const leaf = hash('sha256', entry, 'hex')
      // `startsWith` and `endsWith` take several times as long as a comparison of slices.
      if (hashes.slice(HASH_DIGITS, 2 * HASH_DIGITS) !== leaf)
        return fail(seq, 'altered', `record ${seq} (${type}) does not fit its leaf`)
      if (body === null || bodyBytes === null || stream === null || version === null) bodiless.push(seq)
      else {
        // SQLite stores any type in a column.
        if (typeof body !== 'string' || commitmentOf(hashes.slice(2 * HASH_DIGITS), body, bodyBytes) !== commitment)
          return fail(seq, 'altered', `record ${seq} (${type}, ${stream}) does not fit its commitment`)
        // Its last members: a canonical body begins with its actor.
        const end = `,"stream":${JSON.stringify(stream)},"version":${version}}`
        if (body.slice(-end.length) !== end)
          return fail(seq, 'altered', `record ${seq} has another stream or version than its body`)
        if (!hasPredecessor) gaps.push(seq)
        if (type === 'RunIngested') {
          documents.push(runNumberIn(body), seq)
          if (body.includes(PLAN_ID)) toRead.push(seq)
        } else if (type === 'RunDeleted') documents.push(runNumberIn(body), -seq)
        if (marked.has(type)) toRead.push(seq)
      }
      tree.append(leaf)
      if (sizes.has(seq)) partial.push({ size: seq, roots: tree.roots() })
      expected++
      return true
    },
    end: () => {
      if (finding === null && expected <= to) fail(expected, 'missing', `record ${expected} is missing`)
      return {
        range,
        finding,
        firstAt,
        lastAt,
        roots: tree.roots(),
        partial,
        nodes,
        bodiless,
        gaps,
        marked: toRead,
        documents: Float64Array.from(documents),
      }
    },
  }
}
