import { hash } from 'node:crypto'
import type { RawRecord } from '../../storage/log/raw-records.ts'
import type { Finding } from './finding.ts'
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

const SALT_BYTES = 16

/** The number after `"run_no":` in a canonical body. Inside a string, the quotes of that text would be escaped. */
const runNumberIn = (content: Buffer): number => {
  const at = content.indexOf(RUN_NO, SALT_BYTES, 'latin1')
  return at < 0 ? Number.NaN : Number.parseInt(content.toString('latin1', at + RUN_NO.length, at + RUN_NO.length + 17), 10)
}
const RUN_NO = '"run_no":'
const PLAN_ID = '"plan_id":"'

/** Whether the canonical body ends with this stream and version, which are its last members. */
const endsWith = (content: Buffer, stream: string, version: number): boolean => {
  const end = `,"stream":${JSON.stringify(stream)},"version":${version}}`
  return (
    content.toString('latin1', content.length - end.length) === end ||
    content.subarray(SALT_BYTES).toString('utf8').endsWith(end)
  )
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
  const read: number[] = []
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
      const [seq, recorded_at, type, commitment, leaf, content, saltBytes, stream, version, hasPredecessor] = record
      if (seq !== expected) return fail(expected, 'missing', `record ${expected} is missing`)
      if (recorded_at < lastAt) return fail(seq, 'altered', `record ${seq} is older than the one before it`)
      if (seq === from + 1) firstAt = recorded_at
      lastAt = recorded_at
      const entry = `\0{"commitment":"${commitment}","recorded_at":${recorded_at}${entryEnds.get(type) ?? endOf(type)}`
      if (hash('sha256', entry, 'hex') !== leaf)
        return fail(seq, 'altered', `record ${seq} (${type}) does not fit its leaf`)
      if (content === null || stream === null || version === null) bodiless.push(seq)
      else {
        if (saltBytes !== SALT_BYTES || hash('sha256', content, 'hex') !== commitment)
          return fail(seq, 'altered', `record ${seq} (${type}, ${stream}) does not fit its commitment`)
        if (!endsWith(content, stream, version))
          return fail(seq, 'altered', `record ${seq} has another stream or version than its body`)
        if (!hasPredecessor) gaps.push(seq)
        if (type === 'RunIngested') {
          documents.push(runNumberIn(content), seq)
          if (content.indexOf(PLAN_ID, SALT_BYTES, 'latin1') >= 0) read.push(seq)
        } else if (type === 'RunDeleted') documents.push(runNumberIn(content), -seq)
        if (marked.has(type)) read.push(seq)
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
        marked: read,
        documents: Float64Array.from(documents),
      }
    },
  }
}
