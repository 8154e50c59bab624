import type { CaseHistory } from '../../../../queries/cases/history.ts'
import type { RunListItem } from '../../../../queries/runs/run-list.ts'
import { passVerdict } from './test-columns.ts'
import { STATUSES, type Status } from '../../../runs/statuses.ts'

type Point = CaseHistory['points'][number]

/** A run of the suite, and the status of the case in it; null if the run does not contain the case. */
export type HistoryCell = {
  readonly run_id: string
  readonly created_at: string
  readonly note: string | null
  readonly status: Status | null
  readonly point: Point | null
  /** Whether the verdict differs from that in the last earlier run that has one. */
  readonly flipped: boolean
}

/** The number of runs that a strip shows. */
export const SHOWN_RUNS = 20

const parseStatus = (status: string): Status | null => STATUSES.find((each) => each === status) ?? null

/**
 * The newest runs of a suite, oldest first, with the status of the case in each. The open run is first if it is older
 * than all of them. `runs` and `points` are newest first, as in the responses.
 */
export const historyCells = (runs: readonly RunListItem[], points: readonly Point[], open: string): HistoryCell[] => {
  const pointOf = new Map(points.map((point) => [point.run_id, point]))
  const listedRuns: Array<{ id: string; created_at: string; note: string | null }> = runs
    .slice(0, SHOWN_RUNS)
    .map(({ id, created_at, note }) => ({ id, created_at, note }))
  const openPoint = pointOf.get(open)
  if (openPoint && !listedRuns.some(({ id }) => id === open))
    listedRuns.push({ id: open, created_at: openPoint.created_at, note: null })
  let lastVerdict: boolean | null = null
  return listedRuns.reverse().map(({ id, created_at, note }) => {
    const point = pointOf.get(id) ?? null
    const status = point && parseStatus(point.status)
    const verdict = status && passVerdict(status)
    const flipped = verdict !== null && lastVerdict !== null && verdict !== lastVerdict
    lastVerdict = verdict ?? lastVerdict
    return { run_id: id, created_at, note, status, point, flipped }
  })
}
