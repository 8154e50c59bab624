import { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { likeRuns, type Unit } from '../../domain/series/like-runs.ts'
import { readOutline } from '../../domain/series/outline.ts'
import { any, maybeOne, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'

const count = z.number().int()

const OutlinedRun = z.object({
  set_key: z.string(),
  run_no: count,
  run_id: z.string(),
  created_at: count,
  case_count: count,
  pass_count: count,
  outline: z.instanceof(Buffer),
})
export type OutlinedRun = z.infer<typeof OutlinedRun>

const StoredOutline = z.object({ set_key: z.string(), provider_key: z.string(), outline: z.instanceof(Buffer) })
export type StoredOutline = z.infer<typeof StoredOutline>

/** The outline of a run that the viewer may see; null if the run has no suite. */
export const findOutline = ({ run_no }: { readonly run_no: number }): Query<StoredOutline | null> =>
  maybeOne(sql.type(StoredOutline)`SELECT set_key, provider_key, outline FROM run_outlines WHERE run_no = ${run_no}`)

const Measured = z.object({
  run_no: count,
  measures: z.instanceof(Buffer).nullable(),
  pass_interval: RunRow.shape.pass_interval,
})

/** What the cases of two runs measured, and the intervals of their pass rates; null for what an earlier version stored. */
export const listMeasures = (run_no: number, other: number): Query<Array<z.infer<typeof Measured>>> =>
  any(sql.type(Measured)`
    SELECT o.run_no, o.measures, runs.pass_interval FROM run_outlines o LEFT JOIN runs ON runs.run_no = o.run_no
    WHERE o.run_no IN (${run_no}, ${other})`)

/** Maximum number of runs that are examined for likeness, so that a suite of unlike runs is not read to its end. */
const MAX_EXAMINED = 200

const newestProviders = (key: string, branch: Fragment): Fragment => sql.fragment`(
  SELECT newest.provider_key FROM run_outlines newest
  WHERE newest.set_key = ${key} AND ${branch}
  ORDER BY newest.created_at DESC, newest.run_id DESC LIMIT 1)`

const onBranch = (table: string, branch: string | undefined): Fragment =>
  branch === undefined ? sql.fragment`TRUE` : sql.fragment`${sql.identifier([table, 'git_branch'])} = ${branch}`

/** The newest runs of a suite with the providers of its newest run, newest first, as a part of a query. */
const sameProviders = (key: string, limit: number, after: OutlinedRun | undefined, branch?: string): Fragment => {
  const older = after
    ? sql.fragment`(o.created_at, o.run_id) < (${after.created_at}, ${after.run_id})`
    : sql.fragment`TRUE`
  return sql.fragment`
    SELECT * FROM (
      SELECT o.set_key, o.run_no, o.run_id, o.created_at, o.case_count, o.pass_count, o.outline FROM run_outlines o
      WHERE o.set_key = ${key} AND o.provider_key = ${newestProviders(key, onBranch('newest', branch))}
        AND ${onBranch('o', branch)} AND ${older}
      ORDER BY o.created_at DESC, o.run_id DESC LIMIT ${limit}) part`
}

/** The newest runs of several suites, each with the providers of the suite's newest run. */
export const listSameProviders = (keys: readonly string[], limit: number): Query<OutlinedRun[]> =>
  any(
    sql.type(OutlinedRun)`${sql.join(
      keys.map((key) => sameProviders(key, limit, undefined)),
      sql.fragment` UNION ALL `,
    )}`,
  )

/** The runs like the newest of a suite, newest first, and the units of all of them. */
export type Series = {
  readonly runs: readonly OutlinedRun[]
  readonly units: readonly Unit[]
  /** The run of a unit's `run`. */
  readonly runOf: (unit: Unit) => OutlinedRun
}

/**
 * The newest runs of a suite that are like its newest one; the caller has checked that the viewer may see the suite.
 * `first` holds the newest `window` runs with the same providers if they are read already.
 */
export const readSeries = async (
  reader: Reader,
  key: string,
  { window, branch, first }: { window: number; branch?: string | undefined; first?: readonly OutlinedRun[] },
): Promise<Series> => {
  const like = likeRuns()
  const examined: OutlinedRun[] = []
  const runs: OutlinedRun[] = []
  let rows = first
  for (;;) {
    rows ??= await reader.read(any(sql.type(OutlinedRun)`${sameProviders(key, window, examined.at(-1), branch)}`))
    for (const row of rows) {
      if (runs.length === window) break
      examined.push(row)
      if (like.add(readOutline(row.outline))) runs.push(row)
    }
    if (rows.length < window || runs.length === window || examined.length >= MAX_EXAMINED) break
    rows = undefined
  }
  return {
    runs,
    units: like.units(),
    runOf: (unit) => {
      const run = examined[unit.run]
      if (!run) throw new Error('a unit is in a run of its series')
      return run
    },
  }
}
