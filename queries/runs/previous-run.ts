import { z } from 'zod'
import { SKIPPED } from '../../domain/series/change.ts'
import { LIKE_SHARE } from '../../domain/series/like-runs.ts'
import { isPassing, readOutline, type Outline } from '../../domain/series/outline.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { JudgeChange, readJudgeChanged } from '../reviews/judges.ts'
import { findOutline } from '../sets/outlines.ts'
import { findRun, type Run } from './run.ts'

const count = z.number().int()

/** The previous like run of a run. */
export const PreviousRun = z
  .object({
    run_id: z.string(),
    /** Null if no earlier run of the suite has the same providers and at least 60 % of the cases. */
    previous: z
      .object({
        id: z.string(),
        created_at: z.string(),
        note: z.string().nullable(),
        case_count: count,
        pass_count: count,
        /** Cases that both runs have. */
        shared: count,
        /** Passed before, fails or has an error now. */
        worse: count,
        /** Failed or had an error before, passes now. */
        better: count,
        /** Passed before, skipped now. */
        lost: count,
        /** Cases that only this run has, and cases that only the previous run has. */
        added: count,
        removed: count,
      })
      .nullable(),
    judge_changed: z
      .array(JudgeChange)
      .optional()
      .meta({ description: 'Metrics that another judge decided than in the previous run; absent if there is none' }),
  })
  .meta({ id: 'PreviousRun' })
export type PreviousRun = z.infer<typeof PreviousRun>

/** Maximum number of runs that are examined, so that a suite of unlike runs is not read to its end. */
const MAX_EXAMINED = 20
/** Outlines that one query reads: the previous run is usually the first. */
const RUNS_PER_QUERY = 4

const Earlier = z.object({
  run_no: count,
  id: z.string(),
  created_at: count,
  note: z.string().nullable(),
  case_count: count,
  pass_count: count,
  outline: z.instanceof(Buffer),
})
type Earlier = z.infer<typeof Earlier>

type Changes = Pick<NonNullable<PreviousRun['previous']>, 'shared' | 'worse' | 'better' | 'lost' | 'added' | 'removed'>

/** Counts what changed from one run to the next. Cases are paired by their key. */
const changes = (before: Outline, now: Outline): Changes => {
  const marks = new Map<number, string>()
  for (let i = 0; i < before.size; i++) marks.set(before.historyKey(i), before.mark(i))
  const found = { shared: 0, worse: 0, better: 0, lost: 0, added: 0, removed: 0 }
  for (let i = 0; i < now.size; i++) {
    const mark = marks.get(now.historyKey(i))
    if (mark === undefined) {
      found.added++
      continue
    }
    found.shared++
    const [was, is] = [isPassing(mark), isPassing(now.mark(i))]
    if (was === true && is === false) found.worse++
    if (was === false && is === true) found.better++
    if (was === true && now.mark(i) === SKIPPED) found.lost++
  }
  return { ...found, removed: before.size - found.shared }
}

/** The previous like run of a run, with its number; null if there is none. Reads outlines of many cases. */
export const findPreviousLike = async (
  reader: Reader,
  run: Run,
): Promise<{ readonly run_no: number; readonly previous: NonNullable<PreviousRun['previous']> } | null> => {
  const own = await reader.read(findOutline(run))
  // A run without a suite has no outline. Who sees a run of a suite sees all runs of the suite.
  if (!own) return null
  const outline = readOutline(own.outline)
  let last = { created_at: run.created_at, id: run.id }
  for (let examined = 0; examined < MAX_EXAMINED; examined += RUNS_PER_QUERY) {
    const rows: Earlier[] = await reader.read(
      any(sql.type(Earlier)`
        SELECT runs.run_no, runs.id, runs.created_at, runs.note, runs.case_count, runs.pass_count, o.outline
        FROM run_outlines o CROSS JOIN runs
        WHERE runs.run_no = o.run_no AND o.set_key = ${own.set_key} AND o.provider_key = ${own.provider_key}
          AND (o.created_at, o.run_id) < (${last.created_at}, ${last.id})
        ORDER BY o.created_at DESC, o.run_id DESC LIMIT ${RUNS_PER_QUERY}`),
    )
    for (const { run_no, id: previous, created_at, outline: bytes, ...counts } of rows) {
      last = { created_at, id: previous }
      const changed = changes(readOutline(bytes), outline)
      if (changed.shared < outline.size * LIKE_SHARE || changed.shared === 0) continue
      return { run_no, previous: { id: previous, created_at: rfc3339(created_at), ...counts, ...changed } }
    }
    if (rows.length < RUNS_PER_QUERY) break
  }
  return null
}

/** The previous like run of a run; null for an unknown or hidden run. */
export const findPreviousRun = async (reader: Reader, viewer: Viewer, id: string): Promise<PreviousRun | null> => {
  const run = await reader.read(findRun(viewer, id))
  if (!run) return null
  const found = await findPreviousLike(reader, run)
  if (!found) return { run_id: id, previous: null }
  const judge_changed = await readJudgeChanged(reader, found.run_no, run.run_no)
  return { run_id: id, previous: found.previous, ...(judge_changed.length > 0 && { judge_changed }) }
}
