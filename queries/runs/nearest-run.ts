import { z } from 'zod'
import { LIKE_SHARE } from '../../domain/series/like-runs.ts'
import { isPassing, readOutline, type Outline } from '../../domain/series/outline.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { any, mapped, one, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findOutline, type StoredOutline } from '../sets/outlines.ts'
import { findRun, type Run } from './run.ts'

const count = z.number().int()

/** The run with which the head of a comparison can be compared instead. */
export const NearestRun = z
  .object({
    base: z.string(),
    head: z.string(),
    /** Null if no other run of the suite has the same providers and shares at least 60 % of the cases. */
    nearest: z
      .object({
        id: z.string(),
        project: z.string().nullable(),
        suite: z.string().nullable(),
        note: z.string().nullable(),
        created_at: z.string(),
        case_count: count,
        /** Cases that passed or failed in both runs. */
        pairs: count,
      })
      .nullable(),
    /** What the suite of the head has besides the two runs; null for a run without a suite. */
    others: z
      .object({
        runs: count,
        /** Runs with the providers of the head that were examined, and the most cases that one of them shares with it. */
        same_providers: count,
        most_pairs: count,
      })
      .nullable(),
  })
  .meta({ id: 'NearestRun' })
export type NearestRun = z.infer<typeof NearestRun>

/** Runs that are examined on either side of the head, so that a suite of unlike runs is not read to its end. */
const MAX_EXAMINED = 12

const Other = z.object({
  id: z.string(),
  project: z.string().nullable(),
  suite: z.string().nullable(),
  note: z.string().nullable(),
  created_at: count,
  case_count: count,
  outline: z.instanceof(Buffer),
})
type Other = z.infer<typeof Other>

/** The runs of the suite with the same providers that are next to the head in time, the nearest first. */
const listNeighbours = (
  { set_key, provider_key }: StoredOutline,
  head: Run,
  base: Run,
  side: 'earlier' | 'later',
): Query<Other[]> => {
  const [before, order] =
    side === 'earlier'
      ? [sql.fragment`<`, sql.fragment`o.created_at DESC, o.run_id DESC`]
      : [sql.fragment`>`, sql.fragment`o.created_at, o.run_id`]
  return any(sql.type(Other)`
    SELECT runs.id, runs.project, runs.suite, runs.note, runs.created_at, runs.case_count, o.outline
    FROM run_outlines o CROSS JOIN runs
    WHERE runs.run_no = o.run_no AND o.set_key = ${set_key} AND o.provider_key = ${provider_key}
      AND (o.created_at, o.run_id) ${before} (${head.created_at}, ${head.id}) AND o.run_no <> ${base.run_no}
    ORDER BY ${order} LIMIT ${MAX_EXAMINED}`)
}

const Count = z.object({ n: count })
const countOthers = ({ set_key }: StoredOutline, head: Run, base: Run): Query<number> =>
  mapped(
    one(sql.type(Count)`
      SELECT count(*) AS n FROM run_outlines
      WHERE set_key = ${set_key} AND run_no <> ${head.run_no} AND run_no <> ${base.run_no}`),
    ({ n }) => n,
  )

/** The cases of an outline that passed or failed. */
const decidedIn = (outline: Outline): ReadonlySet<number> => {
  const decided = new Set<number>()
  for (let i = 0; i < outline.size; i++) if (isPassing(outline.mark(i)) !== null) decided.add(outline.historyKey(i))
  return decided
}

/**
 * The run that shares most cases with the head of a comparison, the base aside; of equal ones the nearest earlier run.
 * Null if the base or the head is unknown or hidden. Reads at most 24 outlines.
 */
export const findNearestRun = async (
  reader: Reader,
  viewer: Viewer,
  asked: { readonly base: string; readonly head: string },
): Promise<NearestRun | null> => {
  const { base, head } = await reader.readAll({ base: findRun(viewer, asked.base), head: findRun(viewer, asked.head) })
  if (!base || !head) return null
  const own = await reader.read(findOutline(head))
  // A run without a suite has no outline. Who sees a run of a suite sees all runs of the suite.
  if (!own) return { ...asked, nearest: null, others: null }
  const outline = readOutline(own.outline)
  const decided = decidedIn(outline)
  let nearest: NearestRun['nearest'] = null
  let [same_providers, most_pairs] = [0, 0]
  for (const side of ['earlier', 'later'] as const)
    for (const { outline: bytes, created_at, ...run } of await reader.read(listNeighbours(own, head, base, side))) {
      const other = readOutline(bytes)
      let pairs = 0
      for (const key of decidedIn(other)) if (decided.has(key)) pairs++
      same_providers++
      most_pairs = Math.max(most_pairs, pairs)
      if (pairs === 0 || pairs < Math.max(outline.size, other.size) * LIKE_SHARE) continue
      if (pairs > (nearest?.pairs ?? 0)) nearest = { ...run, created_at: rfc3339(created_at), pairs }
    }
  return {
    ...asked,
    nearest,
    others: { runs: await reader.read(countOthers(own, head, base)), same_providers, most_pairs },
  }
}
