import type { z } from 'zod'
import { CHANGES, isLost, type Change } from '../../domain/lists/changes.ts'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { decisionOf } from '../../domain/statistics/comparison.ts'
import { pairAsserts } from '../../domain/statistics/pair-asserts.ts'
import { chooseJoin, joinCases, JOINS, type Join, type JoinedCase } from '../../domain/statistics/pairing.ts'
import { any, constant, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnList } from '../columns.ts'
import { findRun } from '../runs/run.ts'
import { readColumn, type ComparedPair, type OutcomeRow } from './outcomes.ts'

/** The number of a case that a run does not have. */
export const ABSENT = -1

/** A pair of cases by their numbers. `at`: its position in the join. */
export type OrderedPair = {
  readonly base: number
  readonly head: number
  readonly at: number
  readonly change: Change
  readonly isLost: boolean
  readonly isFlipped: boolean
}

/**
 * All pairs of two runs in the order of the list. It depends on nothing but the two runs, which never change, so it is
 * found once for all filters and pages. As numbers, so that threads pass it on in shared memory: the join, then four
 * numbers for each pair.
 */
export type ComparedOrder = Int32Array
const FRONT = 1
const WIDTH = 4
/** Added to the place of the change. A pair is not both: flipped ones have a verdict in both runs. */
const FLIPPED = CHANGES.length
const LOST = 2 * CHANGES.length

const encodeOrder = (join: Join, pairs: readonly OrderedPair[]): ComparedOrder => {
  const order = new Int32Array(FRONT + pairs.length * WIDTH)
  order[0] = JOINS.indexOf(join)
  for (const [i, { base, head, at, change, ...pair }] of pairs.entries()) {
    const mark = pair.isLost ? LOST : pair.isFlipped ? FLIPPED : 0
    order.set([base, head, at, CHANGES.indexOf(change) + mark], FRONT + i * WIDTH)
  }
  return order
}

export const joinOf = (order: ComparedOrder): Join => JOINS[order[0] ?? 0] ?? 'case_key'

export const orderedPairs = (order: ComparedOrder): OrderedPair[] => {
  const pairs: OrderedPair[] = []
  for (let i = FRONT; i < order.length; i += WIDTH) {
    const [base = ABSENT, head = ABSENT, at = 0, mark = 0] = order.subarray(i, i + WIDTH)
    pairs.push({
      base,
      head,
      at,
      change: CHANGES[mark % CHANGES.length] ?? UNDECIDED,
      isLost: mark >= LOST,
      isFlipped: mark >= FLIPPED && mark < LOST,
    })
  }
  return pairs
}

const Verdicts = CaseRow.pick({ n: true, asserts: true })
type Verdicts = z.infer<typeof Verdicts>

/** Rows that one query reads. Their number is fixed, so that all such queries share one prepared text. */
const ROWS_PER_QUERY = 500

const listVerdicts = (run_no: number, numbers: readonly number[]): Query<Verdicts[]> => {
  if (numbers.length === 0) return constant([])
  const padded = Array.from({ length: ROWS_PER_QUERY }, (_, i) => numbers[i] ?? ABSENT)
  return any(sql.type(Verdicts)`
    SELECT ${columnList('cases', Verdicts)} FROM cases
    WHERE run_no = ${run_no} AND n IN (${sql.join(padded, sql.fragment`, `)})`)
}

const UNDECIDED: Change = 'undecided'
const pairChange = ({ base, head }: JoinedCase<OutcomeRow>): Change => {
  if (!base) return 'head_only'
  if (!head) return 'base_only'
  const [from, to] = [decisionOf(base.status), decisionOf(head.status)]
  if (from === 'neutral' || to === 'neutral') return UNDECIDED
  if (from === to) return from === 'passing' ? 'still_passing' : 'still_failing'
  return to === 'failing' ? 'worse' : 'better'
}

type Steady = { readonly pair: JoinedCase<OutcomeRow>; readonly base: OutcomeRow; readonly head: OutcomeRow }

/** The pairs with the same verdict in which an assertion has another. Reads the assertions of such pairs only. */
const findFlipped = async (
  reader: Reader,
  pairs: ReadonlyArray<JoinedCase<OutcomeRow>>,
  base_no: number,
  head_no: number,
): Promise<ReadonlySet<JoinedCase<OutcomeRow>>> => {
  const steady = pairs.flatMap((pair): Steady[] => {
    const { base, head } = pair
    const change = pairChange(pair)
    return base && head && (change === 'still_passing' || change === 'still_failing') ? [{ pair, base, head }] : []
  })
  const flipped = new Set<JoinedCase<OutcomeRow>>()
  for (let from = 0; from < steady.length; from += ROWS_PER_QUERY) {
    const part = steady.slice(from, from + ROWS_PER_QUERY)
    const { before, after } = await reader.readAll({
      before: listVerdicts(
        base_no,
        part.map(({ base }) => base.n),
      ),
      after: listVerdicts(
        head_no,
        part.map(({ head }) => head.n),
      ),
    })
    const [baseAsserts, headAsserts] = [before, after].map((rows) => new Map(rows.map((row) => [row.n, row.asserts])))
    for (const { pair, base, head } of part) {
      const [one, other] = [baseAsserts?.get(base.n), headAsserts?.get(head.n)]
      if (one && other && pairAsserts(one, other).some(([was, is]) => was.passed !== is.passed)) flipped.add(pair)
    }
  }
  return flipped
}

const scoreDelta = ({ base, head }: JoinedCase<OutcomeRow>): number =>
  !base || !head || base.score === null || head.score === null ? 0 : Math.abs(head.score - base.score)

/**
 * All cases of two runs, or of their columns, in pairs. Groups in their order; in them the largest change of the score first, then the order of the documents. Null if a run
 * is unknown, hidden or deleted. Reads all cases of both runs, so it must run on a reader thread.
 */
export const findComparedOrder = async (
  reader: Reader,
  viewer: Viewer,
  { base: base_id, head: head_id, base_column, head_column }: ComparedPair,
): Promise<ComparedOrder | null> => {
  const { base, head } = await reader.readAll({ base: findRun(viewer, base_id), head: findRun(viewer, head_id) })
  if (!base || !head) return null
  const before = await readColumn(reader, viewer, base, 'base_column', base_column)
  const after = await readColumn(reader, viewer, head, 'head_column', head_column)
  if (!before || !after) return null
  const join = chooseJoin([before, after])
  const joined = joinCases(before, after, join)
  const flipped = await findFlipped(reader, joined, base.run_no, head.run_no)
  const ranked = joined.map((pair, at) => {
    const change = pairChange(pair)
    return { pair, at, change, group: CHANGES.indexOf(change), delta: scoreDelta(pair) }
  })
  ranked.sort((a, b) => a.group - b.group || b.delta - a.delta || a.at - b.at)
  return encodeOrder(
    join,
    ranked.map(({ pair, at, change }) => ({
      base: pair.base?.n ?? ABSENT,
      head: pair.head?.n ?? ABSENT,
      at,
      change,
      isLost: isLost(pair.base?.status, pair.head?.status),
      isFlipped: flipped.has(pair),
    })),
  )
}
