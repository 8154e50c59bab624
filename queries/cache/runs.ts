import { z } from 'zod'
import { any, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { page, rfc3339 } from '../../domain/wire.ts'

const text = z.string().nullable()

const CacheUse = z.object({
  run_id: z.string(),
  project: text,
  suite: text,
  created_at: z.string(),
  case_key: z.string(),
  name: text,
  status: z.string(),
  cached: z.boolean(),
})

/** The cases whose provider call had this cache key, whether the call hit the cache or not. */
export const CacheRuns = z.object({ cases: z.array(CacheUse), next_cursor: text }).meta({ id: 'CacheRuns' })
export type CacheRuns = z.infer<typeof CacheRuns>

const Row = CacheUse.extend({ created_at: z.number(), cached: z.boolean().nullable() })
type Row = z.infer<typeof Row>

type Cursor = Pick<Row, 'created_at' | 'run_id' | 'case_key'>

/** The cursor of the run list plus the case key, because a run may have several cases with the same cache key. */
const cursorOf = ({ created_at, run_id, case_key }: Cursor): string =>
  `${created_at}:${encodeURIComponent(run_id)}:${encodeURIComponent(case_key)}`

const parseCursor = (cursor: string | undefined): Cursor | null => {
  const [, created_at, run_id, case_key] = /^(-?\d{1,16}):([^:]+):([^:]+)$/.exec(cursor ?? '') ?? []
  if (created_at === undefined || run_id === undefined || case_key === undefined) return null
  try {
    return {
      created_at: Number(created_at),
      run_id: decodeURIComponent(run_id),
      case_key: decodeURIComponent(case_key),
    }
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

const listUses = (viewer: Viewer, key: string, after: Cursor | null, limit: number): Query<Row[]> => {
  const start: Fragment = after
    ? sql.fragment`(cases.created_at, runs.id, cases.case_key) < (${after.created_at}, ${after.run_id}, ${after.case_key})`
    : sql.fragment`TRUE`
  return any(sql.type(Row)`
    SELECT runs.id AS run_id, runs.project, runs.suite, cases.created_at, cases.case_key, cases.name, cases.status, cases.cached
    FROM cases JOIN runs ON runs.run_no = cases.run_no
    WHERE cases.cache_key = ${key} AND ${start} AND ${visible(viewer, 'runs')}
    ORDER BY cases.created_at DESC, runs.id DESC, cases.case_key DESC
    LIMIT ${limit}`)
}

/** The cases with this cache key that the viewer may see, newest run first. The cache need not have an entry for it. */
export const listCacheRuns = async (
  reader: Reader,
  viewer: Viewer,
  key: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<CacheRuns> => {
  const { rows, next_cursor } = page(
    await reader.read(listUses(viewer, key, parseCursor(cursor), limit + 1)),
    limit,
    cursorOf,
  )
  return {
    cases: rows.map((row) => ({ ...row, created_at: rfc3339(row.created_at), cached: row.cached === true })),
    next_cursor,
  }
}
