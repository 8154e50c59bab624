import type { CaseHistory } from '../../../../queries/cases/history.ts'
import type { RunListItem } from '../../../../queries/runs/run-list.ts'
import { STATUSES } from '../../../runs/statuses.ts'
import type { Status } from '../../../runs/statuses.ts'

type Point = CaseHistory['points'][number]

/** A run of the suite, and how the case ended in it; a null status means that the run does not hold the case. */
export type HistoryCell = {
  readonly run_id: string
  readonly created_at: string
  readonly note: string | null
  readonly status: Status | null
  readonly point: Point | null
  /** The verdict is another than in the run before that has one. */
  readonly flipped: boolean
}

/** How many runs a strip shows. */
export const SHOWN_RUNS = 20

const known = (status: string): Status | null => STATUSES.find((each) => each === status) ?? null

/** Whether a status is a verdict, and which: a case that was skipped has none. Errors count as not passed. */
const passed = (status: Status | null): boolean | null =>
  status === null || status === 'skip' ? null : status === 'pass' || status === 'xpass'

/**
 * The newest runs of a suite, oldest first, with what became of the case in each. The run that is open comes first when
 * it is older than all of them. Runs and points are given newest first, as they are answered.
 */
export const historyCells = (runs: readonly RunListItem[], points: readonly Point[], open: string): HistoryCell[] => {
  const pointOf = new Map(points.map((point) => [point.run_id, point]))
  const listed: Array<{ id: string; created_at: string; note: string | null }> = runs
    .slice(0, SHOWN_RUNS)
    .map(({ id, created_at, note }) => ({ id, created_at, note }))
  const opened = pointOf.get(open)
  if (opened && !listed.some(({ id }) => id === open))
    listed.push({ id: open, created_at: opened.created_at, note: null })
  let before: boolean | null = null
  return listed.reverse().map(({ id, created_at, note }) => {
    const point = pointOf.get(id) ?? null
    const status = point && known(point.status)
    const verdict = passed(status)
    const flipped = verdict !== null && before !== null && verdict !== before
    before = verdict ?? before
    return { run_id: id, created_at, note, status, point, flipped }
  })
}
