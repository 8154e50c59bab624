import { z } from 'zod'
import { CaseRow, RunRow } from '../../domain/run/columns.ts'
import { outputText, promptProse, readCase } from '../../domain/run/document.ts'
import { snippet } from '../../domain/search/snippet.ts'
import { queryTerms } from '../../domain/search/tokenizer.ts'
import { listNewest, matchOf, entryOf, MAX_RANKED_HITS } from '../../storage/search/search-index.ts'
import type { Kind, Match, Visibility, Words } from '../../storage/search/search-index.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { columnsOf } from '../columns.ts'
import { deletedAsNull } from '../runs/documents.ts'
import type { DocumentReader } from '../runs/documents.ts'
import type { Cached } from '../runs/run-list.ts'
import { prefixesOf, ranked, readTerms, visibilityOf } from './ranking.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { findAnyRestriction } from './hidden.ts'
import { rfc3339 } from '../wire.ts'

const text = z.string().nullable()
const RunHit = z.object({
  id: z.string(),
  project: text,
  suite: text,
  created_at: z.string(),
  snippet: z.string(),
  cached: z.boolean().nullable(),
})
const CaseHit = z.object({
  run_id: z.string(),
  case_key: z.string(),
  name: text,
  status: z.string(),
  project: text,
  suite: text,
  snippet: z.string(),
  cached: z.boolean().nullable(),
})

/** Hits by kind. Matched words in snippets are between U+E000 and U+E001. */
export const SearchHits = z.object({ runs: z.array(RunHit), cases: z.array(CaseHit) }).meta({ id: 'SearchHits' })
export type SearchHits = z.infer<typeof SearchHits>

const FoundRun = RunRow.pick({
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
type FoundRun = z.infer<typeof FoundRun>
const RUN_COLUMNS = columnsOf('runs', FoundRun)

const FoundCase = CaseRow.pick({
  case_key: true,
  name: true,
  status: true,
  cached: true,
  document_offset: true,
  document_length: true,
})
const CASE_COLUMNS = columnsOf('cases', FoundCase)

type Request = { readonly q: string; readonly limit: number; readonly cached?: Cached | undefined }

/** Maximum number of hits, hidden ones included, whose runs are checked one by one. */
const MAX_CHECKED = 100

/**
 * Full-text search over the visible runs and cases. It ranks hits and reads documents, so it runs in a reader thread.
 * The function is long because its steps share the terms and what the viewer may see.
 */
export const searchAll = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { q, limit, cached }: Request,
): Promise<SearchHits> => {
  const terms = queryTerms(q)
  if (terms.length === 0) return { runs: [], cases: [] }
  // The order by bm25 depends on the words of hidden rows, and would reveal them.
  const all = viewer.sees_all || !(await reader.read(findAnyRestriction))
  const prefixes = prefixesOf(terms)
  const runs = new Map<number, FoundRun | null>()

  let visibility: Promise<Visibility> | undefined
  const readVisibility = (): Promise<Visibility> => (visibility ??= visibilityOf(reader, viewer))

  /**
   * All rows that contain the words; null if there are more than `MAX_CHECKED`. Checking the runs of a few rows is less
   * work than reading what is hidden.
   */
  const findFew = async (kind: Kind, words: Words): Promise<number[] | null> => {
    if (viewer.sees_all) return null
    const rows = await reader.read(listNewest(kind, matchOf(words, { hidden: [] }, cached), null, MAX_CHECKED + 1))
    return rows.length > MAX_CHECKED ? null : rows
  }

  const findVisibleRun = async (run_no: number): Promise<FoundRun | null> => {
    const cachedRun = runs.get(run_no)
    if (cachedRun !== undefined) return cachedRun
    const found = await reader.read(
      maybeOne(sql.type(FoundRun)`
        SELECT ${RUN_COLUMNS}
        FROM runs WHERE run_no = ${run_no} AND ${visible(viewer, 'runs')}`),
    )
    runs.set(run_no, found)
    return found
  }

  /** Up to `limit` hits. A hit that is deleted while it is read is skipped. */
  const collect = async <Hit>(kind: Kind, readHit: (rowid: number) => Promise<Hit | null>): Promise<Hit[]> => {
    const hits: Hit[] = []
    const seen = new Set<number>()
    const add = async (searched: Words) => {
      const few = await findFew(kind, searched)
      const match: Match | null = few ? null : matchOf(searched, await readVisibility(), cached)
      let below: number | null = null
      do {
        const rows: number[] = match ? await reader.read(listNewest(kind, match, below)) : (few ?? [])
        for (const rowid of await ranked(reader, kind, rows, searched, terms, all)) {
          if (hits.length === limit) return
          if (seen.has(rowid)) continue
          seen.add(rowid)
          const hit = await readHit(rowid)
          if (hit) hits.push(hit)
        }
        below = rows.length === MAX_RANKED_HITS ? (rows.at(-1) ?? null) : null
      } while (below !== null && hits.length < limit)
    }
    const { words, whole } = await readTerms(reader, kind, terms)
    // Hidden rows affect which words a partial lookup finds, and so they would affect the order of the hits.
    if (whole || all) await add(words)
    if (!whole && hits.length < limit) await add(prefixes)
    return hits
  }

  const found = await collect('run', async (rowid) => {
    const run = await findVisibleRun(entryOf(rowid).run_no)
    if (!run) return null
    const fields = [run.project, run.suite, run.git_branch, run.git_commit, run.note, run.tags.join(' ')].map(
      (field) => field ?? '',
    )
    const unknown = run.cache_hits === null || run.cache_misses === null
    return {
      id: run.id,
      project: run.project,
      suite: run.suite,
      created_at: rfc3339(run.created_at),
      snippet: snippet(fields, terms),
      cached: unknown ? null : run.fully_cached,
    }
  })

  const cases = await collect('case', async (rowid) => {
    const { run_no, n } = entryOf(rowid)
    const run = await findVisibleRun(run_no)
    if (!run) return null
    const row = await reader.read(
      maybeOne(sql.type(FoundCase)`SELECT ${CASE_COLUMNS} FROM cases WHERE run_no = ${run_no} AND n = ${n}`),
    )
    if (!row) return null
    const slice = await documents.slice(run_no, row.document_offset, row.document_length).catch(deletedAsNull)
    if (!slice) return null
    const full = readCase(slice)
    const prompt = full.prompt === undefined ? '' : promptProse(full.prompt)
    const fields = [
      full.name ?? '',
      outputText(full.output) ?? '',
      ...full.asserts.map(({ reason }) => reason),
      full.error ?? '',
      (full.tags ?? []).join(' '),
      prompt,
    ]
    const { case_key, name, status } = row
    return {
      run_id: run.id,
      case_key,
      name,
      status,
      project: run.project,
      suite: run.suite,
      snippet: snippet(fields, terms).toWellFormed(),
      cached: row.cached,
    }
  })

  return { runs: found, cases }
}
