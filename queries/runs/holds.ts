import { z } from 'zod'
import { any, mapped, maybeOne, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { page, rfc3339 } from '../../domain/wire.ts'
import type { RunSet } from '../../domain/sets.ts'
import type { Viewer } from '../access/viewer.ts'
import { ofVisibleRun } from '../access/visible.ts'
import { IS_JUDGED } from '../reviews/judges.ts'
import { idInCursor } from '../tuple-cursor.ts'

// Legal holds. Only who sees everything reads them, and a hold decides for all, so queries of holds have no viewer.

const text = z.string().nullable()

const Hold = z.object({
  hold_id: z.string(),
  project: text,
  suite: text,
  run_id: text,
})
/** A standing hold: on one run, or on all runs of a project, or of one of its suites, with those to come. */
export type StandingHold = z.infer<typeof Hold>

/** Whether a hold is on a run. */
export const isHeldBy = (
  hold: StandingHold,
  run: { readonly id: string; readonly project: string | null; readonly suite: string | null },
): boolean =>
  hold.run_id === null
    ? hold.project === run.project && (hold.suite === null || hold.suite === run.suite)
    : hold.run_id === run.id

/** Every standing hold, the oldest first. */
export const listStandingHolds: Query<StandingHold[]> = any(
  sql.type(Hold)`SELECT hold_id, project, suite, run_id FROM holds WHERE lifted_at IS NULL ORDER BY hold_id`,
)

/** Whether a run of the table `runs` is held, as a condition. */
export const isHeld: Fragment = sql.fragment`(
  EXISTS (SELECT 1 FROM holds WHERE holds.run_id = runs.id AND holds.lifted_at IS NULL)
  OR EXISTS (
    SELECT 1 FROM holds
    WHERE holds.project = runs.project AND (holds.suite IS NULL OR holds.suite = runs.suite) AND holds.run_id IS NULL AND holds.lifted_at IS NULL))`

const HoldId = z.object({ hold_id: z.string() })

/** The oldest standing hold on a stored run; null if it is not held, or not stored. */
export const findHoldOfRun = (run_id: string): Query<string | null> =>
  mapped(
    maybeOne(sql.type(HoldId)`
      SELECT hold_id FROM (
        SELECT holds.hold_id FROM runs JOIN holds ON holds.run_id = runs.id WHERE runs.id = ${run_id} AND holds.lifted_at IS NULL
        UNION ALL
        SELECT holds.hold_id FROM runs JOIN holds ON holds.project = runs.project AND (holds.suite IS NULL OR holds.suite = runs.suite)
        WHERE runs.id = ${run_id} AND holds.run_id IS NULL AND holds.lifted_at IS NULL) held
      ORDER BY hold_id LIMIT 1`),
    (row) => row?.hold_id ?? null,
  )

const HeldRunRow = z.object({
  project: text,
  suite: text,
  hold_id: text,
  is_judged: z.union([z.boolean(), z.number()]),
})

/** The set of a run, and the holds that it is under. `is_judged`: its answers depend on other runs of its suite. */
export type HeldRun = RunSet & { readonly holds: readonly string[]; readonly is_judged: boolean }

const holdsToken = (isJudged: Fragment) =>
  ofVisibleRun(
    (condition) => sql.type(HeldRunRow)`
      SELECT runs.project, runs.suite, holds.hold_id, ${isJudged} AS is_judged
      FROM runs LEFT JOIN holds ON holds.lifted_at IS NULL AND (
        holds.run_id = runs.id
        OR (holds.run_id IS NULL AND holds.project = runs.project AND (holds.suite IS NULL OR holds.suite = runs.suite)))
      WHERE ${condition} ORDER BY holds.hold_id`,
  )
const TOKENS = { judged: holdsToken(IS_JUDGED), any: holdsToken(sql.fragment`FALSE`) } as const

/** The set of a visible run and the standing holds on it, or null. With `any`, `is_judged` is not read, and is false. */
export const findHoldsOfRun = (viewer: Viewer, run_id: string, which: keyof typeof TOKENS): Query<HeldRun | null> =>
  mapped(any(TOKENS[which](viewer, run_id)), (rows) => {
    const [run] = rows
    return run
      ? {
          project: run.project,
          suite: run.suite,
          holds: rows.flatMap(({ hold_id }) => hold_id ?? []),
          // SQLite has no booleans in expressions.
          is_judged: run.is_judged === true || run.is_judged === 1,
        }
      : null
  })

const HoldRow = Hold.extend({
  reference: z.string(),
  note: text,
  placed_at: z.number(),
  placed_by: text,
  lifted_at: z.number().nullable(),
  lifted_by: text,
})

export const HoldView = z
  .object({
    id: z.string(),
    project: text,
    suite: text,
    run_id: text,
    reference: z.string(),
    note: text,
    placed_at: z.string(),
    placed_by: text,
    lifted_at: text,
    lifted_by: text,
  })
  .meta({ id: 'Hold' })
export type HoldView = z.infer<typeof HoldView>

export const HoldList = z.object({ holds: z.array(HoldView), next_cursor: text }).meta({ id: 'HoldList' })
export type HoldList = z.infer<typeof HoldList>

const rows = (where: Fragment, limit: number) => sql.type(HoldRow)`
  SELECT holds.hold_id, holds.project, holds.suite, holds.run_id, holds.reference, hold_notes.note, holds.placed_at,
    coalesce(placer.label, holds.placed_by) AS placed_by, holds.lifted_at, coalesce(lifter.label, holds.lifted_by) AS lifted_by
  FROM holds LEFT JOIN hold_notes ON hold_notes.hold_id = holds.hold_id
    LEFT JOIN principals placer ON placer.id = holds.placed_by LEFT JOIN principals lifter ON lifter.id = holds.lifted_by
  WHERE ${where} ORDER BY holds.hold_id DESC LIMIT ${limit}`

const holdView = ({ hold_id, placed_at, lifted_at, ...hold }: z.infer<typeof HoldRow>): HoldView => ({
  id: hold_id,
  project: hold.project,
  suite: hold.suite,
  run_id: hold.run_id,
  reference: hold.reference,
  note: hold.note,
  placed_at: rfc3339(placed_at),
  placed_by: hold.placed_by,
  lifted_at: lifted_at === null ? null : rfc3339(lifted_at),
  lifted_by: hold.lifted_by,
})

/** One hold, standing or lifted, or null. */
export const findHold = (hold_id: string): Query<HoldView | null> =>
  mapped(maybeOne(rows(sql.fragment`holds.hold_id = ${hold_id}`, 1)), (row) => row && holdView(row))

/** A page of holds, newest first; `standing` selects those that stand, or those that were lifted. */
export const listHolds = async (
  reader: Reader,
  { standing }: { readonly standing?: boolean | undefined },
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<HoldList> => {
  const after = idInCursor(cursor)
  const conditions = [
    sql.fragment`TRUE`,
    ...(standing === undefined
      ? []
      : [standing ? sql.fragment`holds.lifted_at IS NULL` : sql.fragment`holds.lifted_at IS NOT NULL`]),
    ...(after === undefined ? [] : [sql.fragment`holds.hold_id < ${after}`]),
  ]
  const found = await reader.read(any(rows(sql.fragment`${sql.and(conditions)}`, limit + 1)))
  const { rows: shown, next_cursor } = page(found, limit, ({ hold_id }) => hold_id)
  return { holds: shown.map(holdView), next_cursor }
}

/** The standing hold of exactly this scope and reference, or null. */
export const findStandingHold = (
  { project, suite, run_id }: Omit<StandingHold, 'hold_id'>,
  reference: string,
): Query<string | null> => {
  const is = (column: Fragment, value: string | null): Fragment =>
    value === null ? sql.fragment`${column} IS NULL` : sql.fragment`${column} = ${value}`
  return mapped(
    maybeOne(sql.type(HoldId)`
      SELECT hold_id FROM holds
      WHERE lifted_at IS NULL AND ${is(sql.fragment`project`, project)} AND ${is(sql.fragment`suite`, suite)}
        AND ${is(sql.fragment`run_id`, run_id)} AND reference = ${reference} LIMIT 1`),
    (row) => row?.hold_id ?? null,
  )
}
