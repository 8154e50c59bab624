import { isObject } from '../plain/is-object.ts'
import type { NormalCase } from '../run/document.ts'
import {
  criterionDigest,
  isJudgedKind,
  judgeId,
  judgeKey,
  judgeOf,
  judgingSnapshot,
  metricOf,
  sha256,
  type Judge,
  type JudgedAssertion,
  type JudgedKind,
} from './judge-id.ts'

// The slots of a run, and what the judge of each said about each case. A slot is a metric with one judge: a metric that two judges
// decided has two. The cases of a slot are packed, 21 bytes a case, integers unsigned and little-endian:
//
//   0  4 bytes  index of the case in the run
//   4  1 byte   verdict: 0 failed, 1 passed, 2 none
//   5  8 bytes  score, a double; NaN without a verdict
//  13  8 bytes  digest of the criterion; zeros without one

const RECORD_BYTES = 21
const NO_VERDICT = 2
const CRITERION_HEX = 16

/** A metric with more judges than this has no judge that could be checked: they are one slot, whose judge is not known. */
const MAX_JUDGES = 16
/** Further metrics of a run are left out. */
const MAX_METRICS = 256

/** A slot as the read tables store it. Counts are of cases; `other` has no verdict. */
export type JudgeSlot = {
  readonly metric: string
  readonly kind: JudgedKind
  readonly judge_id: string | null
  readonly judge: Judge
  readonly passed: number
  readonly failed: number
  readonly other: number
  readonly cases: Buffer
}

type Entry = {
  readonly n: number
  verdict: number
  weight: number
  /** Sum of weight × score. */
  weighted: number
  /** Sum of scores. */
  sum: number
  count: number
  criterion: string | null
}
type Slot = { readonly judge: Judge; readonly judge_id: string | null; readonly entries: Entry[] }
type Metric = {
  readonly name: string
  readonly kind: JudgedKind
  readonly slots: Slot[]
  /** By what assertions say of their judge. */
  readonly known: Map<string, Slot>
  /** Where its judges are too many. */
  unknown: Slot | null
  /** Where no judge answered. */
  unanswered: Slot | null
}

/** All must pass: one that failed decides, and one without a verdict leaves the case without one. */
const merged = (entries: Entry[], entry: Entry): void => {
  const last = entries.at(-1)
  if (last?.n !== entry.n) {
    entries.push(entry)
    return
  }
  last.verdict = last.verdict === 0 || entry.verdict === 0 ? 0 : Math.max(last.verdict, entry.verdict)
  last.weight += entry.weight
  last.weighted += entry.weighted
  last.sum += entry.sum
  last.count += entry.count
  if (last.criterion !== entry.criterion)
    last.criterion = sha256(`${last.criterion} ${entry.criterion}`).slice(0, CRITERION_HEX)
}

type Assertion = JudgedAssertion & Pick<NormalCase['asserts'][number], 'status' | 'score' | 'weight'>

const entryOf = (n: number, { status, score, weight }: Assertion, criterion: string | null): Entry =>
  status === 'pass' || status === 'fail'
    ? { n, verdict: status === 'pass' ? 1 : 0, weight, weighted: weight * score, sum: score, count: 1, criterion }
    : { n, verdict: NO_VERDICT, weight: 0, weighted: 0, sum: 0, count: 0, criterion }

/** The entries of several slots as those of one. */
const joined = (...slots: ReadonlyArray<Slot | null>): Entry[] => {
  const found: Entry[] = []
  for (const entry of slots.flatMap((slot) => slot?.entries ?? []).toSorted((a, b) => a.n - b.n)) merged(found, entry)
  return found
}

const NOT_KNOWN = { type: null, model: null, params: {}, template: null, program: null } as const

/** A judge that did not answer is not known to be another one than that which answered elsewhere. */
const isAnswered = ({ status, details }: Assertion): boolean =>
  status === 'pass' || status === 'fail' || (isObject(details) && details['judge'] !== undefined)

/** Collects the slots of a run, case by case in ascending order. `config_snapshot` is that of the run. */
export const judgeSlots = (config_snapshot: unknown) => {
  const snapshot = judgingSnapshot(config_snapshot)
  const metrics = new Map<string, Metric>()
  /** Digests by criterion: many cases have the same. */
  const criteria = new Map<string, string | null>()

  const criterionOf = (assertion: Assertion): string | null => {
    const value = isObject(assertion.criteria) ? assertion.criteria['value'] : undefined
    if (typeof value !== 'string') return criterionDigest(assertion)
    let digest = criteria.get(value)
    if (digest === undefined) criteria.set(value, (digest = criterionDigest(assertion)))
    return digest
  }

  const slotOf = (metric: Metric, assertion: Assertion): Slot => {
    if (metric.unknown) return metric.unknown
    const key = judgeKey(assertion)
    const found = metric.known.get(key)
    if (found) return found
    const judge = judgeOf(assertion, snapshot)
    const judge_id = judgeId(judge)
    if (!isAnswered(assertion)) return (metric.unanswered ??= { judge, judge_id, entries: [] })
    // Another text may mean the same judge.
    let slot = metric.slots.find((each) => each.judge_id === judge_id)
    if (!slot && metric.slots.length === MAX_JUDGES)
      return (metric.unknown = { judge: { ...judge, ...NOT_KNOWN }, judge_id: null, entries: [] })
    if (!slot) metric.slots.push((slot = { judge, judge_id, entries: [] }))
    metric.known.set(key, slot)
    return slot
  }

  return {
    add: (n: number, asserts: readonly Assertion[]): void => {
      for (const assertion of asserts) {
        const { kind } = assertion
        if (!isJudgedKind(kind)) continue
        const name = metricOf(assertion)
        const key = `${kind} ${name}`
        let metric = metrics.get(key)
        if (!metric) {
          if (metrics.size === MAX_METRICS) continue
          metrics.set(key, (metric = { name, kind, slots: [], known: new Map(), unknown: null, unanswered: null }))
        }
        merged(slotOf(metric, assertion).entries, entryOf(n, assertion, criterionOf(assertion)))
      }
    },

    /** Each metric in the order in which the run first has it. */
    slots: (): JudgeSlot[] =>
      [...metrics.values()].flatMap(({ name, kind, slots: [first, ...others], unknown, unanswered }) => {
        const found = unknown
          ? [{ ...unknown, entries: joined(first ?? null, ...others, unknown, unanswered) }]
          : first
            ? [unanswered ? { ...first, entries: joined(first, unanswered) } : first, ...others]
            : unanswered
              ? [unanswered]
              : []
        return found.map((slot) => ({ metric: name, kind, ...packed(slot) }))
      }),
  }
}

const packed = ({ judge, judge_id, entries }: Slot): Omit<JudgeSlot, 'metric' | 'kind'> => {
  const cases = Buffer.alloc(entries.length * RECORD_BYTES)
  const counts = [0, 0, 0]
  for (const [i, { n, verdict, weight, weighted, sum, count, criterion }] of entries.entries()) {
    const at = i * RECORD_BYTES
    counts[verdict]!++
    cases.writeUInt32LE(n, at)
    cases[at + 4] = verdict
    cases.writeDoubleLE(verdict === NO_VERDICT ? NaN : weight > 0 ? weighted / weight : sum / count, at + 5)
    if (criterion !== null) cases.write(criterion, at + 13, 'hex')
  }
  const [failed = 0, passed = 0, other = 0] = counts
  return { judge_id, judge, passed, failed, other, cases }
}

/** What the judge of a slot said about one case. */
export type JudgedCase = {
  /** Index of the case in the run. */
  readonly n: number
  /** 1 passed, 0 failed, null if it gave no verdict. */
  readonly verdict: 0 | 1 | null
  /** The weighted mean of its assertions; null without a verdict. */
  readonly score: number | null
  /** 16 hex digits; null without a criterion. */
  readonly criterion: string | null
}

/** Yields the cases of a packed slot, by ascending index. */
export function* judgedCases(bytes: Buffer): Generator<JudgedCase> {
  for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
    const verdict = bytes[at + 4]
    const score = bytes.readDoubleLE(at + 5)
    const criterion = bytes.toString('hex', at + 13, at + RECORD_BYTES)
    yield {
      n: bytes.readUInt32LE(at),
      verdict: verdict === 0 || verdict === 1 ? verdict : null,
      score: Number.isNaN(score) ? null : score,
      criterion: /^0+$/.test(criterion) ? null : criterion,
    }
  }
}
