import { z } from 'zod'
import { usd } from '../../domain/wire.ts'
import { visible } from '../access/visible.ts'
import type { Viewer } from '../access/viewer.ts'
import { CacheStats } from './facets.ts'
import { any, mapped, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

const DAY_MS = 86_400_000
const count = z.number().int()

const Row = z.object({
  day: count,
  runs: count,
  counted: count,
  hits: count,
  misses: count,
  savings_micro: count,
  with_savings: count,
})

/**
 * How far runs reused earlier responses, as their documents say. `runs_counted` of the runs asked a cache, and
 * `runs_with_savings` of them recorded what was saved; `savings_usd` is null if none did.
 */
const Reuse = z.object({
  runs: count,
  runs_counted: count,
  cache_hits: count,
  cache_misses: count,
  runs_with_savings: count,
  savings_usd: z.number().nullable(),
})

/** `days` has only days with runs, oldest first, by the start of the run in UTC. */
export const CacheReuse = Reuse.extend({
  since: z.string(),
  until: z.string(),
  days: z.array(Reuse.extend({ day: z.string() })),
})
export type CacheReuse = z.infer<typeof CacheReuse>

/** What the cache has and what it saves. `local` is whether a directory on the server's disk is shown too. */
export const CacheOverview = CacheReuse.extend({
  cache: CacheStats,
  limits: z.object({ max_age_days: count, max_bytes: count }),
  local: z.boolean(),
}).meta({ id: 'CacheOverview' })
export type CacheOverview = z.infer<typeof CacheOverview>

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

const reuseOf = (rows: ReadonlyArray<z.infer<typeof Row>>): z.infer<typeof Reuse> => {
  const sum = (column: Exclude<keyof z.infer<typeof Row>, 'day'>): number =>
    rows.reduce((total, row) => total + row[column], 0)
  return {
    runs: sum('runs'),
    runs_counted: sum('counted'),
    cache_hits: sum('hits'),
    cache_misses: sum('misses'),
    runs_with_savings: sum('with_savings'),
    savings_usd: sum('with_savings') === 0 ? null : usd(sum('savings_micro')),
  }
}

/** The first cases of a run that show whether it asked a cache. So few are read in any run. */
const SHOWING_CASES = 20

/**
 * A value of runs that asked a cache; null for others. A run without a cache counts all its cases as misses, so only a hit,
 * or a case with the key of its response, shows that a cache was asked.
 */
const asked = (value: Fragment): Fragment =>
  sql.fragment`CASE WHEN runs.cache_hits > 0 OR (runs.cache_misses > 0 AND EXISTS (
    SELECT 1 FROM cases WHERE cases.run_no = runs.run_no AND cases.n < ${SHOWING_CASES} AND cases.cache_key IS NOT NULL
  )) THEN ${value} END`

/** The reuse in the runs that the viewer sees, over whole days in UTC: `days` of them, the last one with `now` in it. */
export const findCacheReuse = (
  viewer: Viewer,
  { days, now }: { readonly days: number; readonly now: number },
): Query<CacheReuse> => {
  const last = Math.floor(now / DAY_MS)
  const first = last - days + 1
  const rows = any(sql.type(Row)`
    SELECT runs.created_at / 86400000 AS day, count(*) AS runs, count(${asked(sql.fragment`1`)}) AS counted,
      coalesce(sum(runs.cache_hits), 0) AS hits, coalesce(sum(${asked(sql.fragment`runs.cache_misses`)}), 0) AS misses,
      coalesce(sum(runs.cache_savings_micro), 0) AS savings_micro, count(${asked(sql.fragment`runs.cache_savings_micro`)}) AS with_savings
    FROM runs WHERE runs.created_at >= ${first * DAY_MS} AND runs.created_at < ${(last + 1) * DAY_MS} AND ${visible(viewer, 'runs')}
    GROUP BY runs.created_at / 86400000 ORDER BY 1`)
  return mapped(rows, (found) => ({
    ...reuseOf(found),
    since: dayText(first),
    until: dayText(last),
    days: found.map((row) => ({ day: dayText(row.day), ...reuseOf([row]) })),
  }))
}
