import { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { querySnippet } from '../../domain/search/query-snippet.ts'
import { idFields, type SearchQuery } from '../../domain/search/query.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { runsAt } from '../../storage/search/search-index.ts'
import { any, prepared, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { ADDED_COLUMNS, ADDED_JOIN, addedOf, AddedRow, RunAdded } from '../runs/annotations.ts'

const text = z.string().nullable()

/** A run that contains the words. Matched words in the snippet are between U+E000 and U+E001. */
export const RunHit = z.object({
  id: z.string(),
  project: text,
  suite: text,
  created_at: z.string(),
  snippet: z.string(),
  cached: z.boolean().nullable(),
  added: RunAdded.optional(),
})

const Row = RunRow.pick({
  run_no: true,
  id: true,
  project: true,
  suite: true,
  created_at: true,
  git_branch: true,
  git_commit: true,
  note: true,
  tags: true,
  fully_cached: true,
  cache_hits: true,
  cache_misses: true,
})
const Found = Row.extend(AddedRow.shape)
export type FoundRun = z.infer<typeof Found>
const COLUMNS = columnList('runs', Row)

/** Those of the runs that the viewer may see. */
export const listFoundRuns = (viewer: Viewer, run_nos: readonly number[]): Query<FoundRun[]> =>
  prepared(
    any(
      runsAt(
        run_nos,
        (wanted) => sql.type(Found)`
        SELECT ${COLUMNS}, ${ADDED_COLUMNS} FROM ${wanted} wanted CROSS JOIN runs ${ADDED_JOIN}
        WHERE runs.run_no = wanted.run_no AND ${visible(viewer, 'runs')}`,
      ),
    ),
  )

export const runHit = (run: FoundRun, query: SearchQuery): z.infer<typeof RunHit> => {
  const { project, suite, git_branch, git_commit, note, tags } = run
  const added = addedOf(run)
  const ofAdded = added ? [added.title, added.note, added.tags.join(' ')] : []
  const fields = [project, suite, git_branch, git_commit, ...ofAdded, note, tags.join(' ')]
  const unknown = run.cache_hits === null || run.cache_misses === null
  return {
    id: run.id,
    project: run.project,
    suite: run.suite,
    created_at: rfc3339(run.created_at),
    snippet: querySnippet(
      fields.map((field) => field ?? ''),
      query,
      idFields(query, run.id),
    ),
    cached: unknown ? null : run.fully_cached,
    ...(added && { added }),
  }
}
