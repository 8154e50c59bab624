import { z } from 'zod'
import { outputText, promptProse, readCase } from '../engine/run-document.ts'
import { snippet } from '../engine/snippet.ts'
import { ftsQuery, queryTerms } from '../engine/tokenizer.ts'
import { matchExpression, placeOf, SEARCH_WEIGHTS } from '../storage/search.ts'
import { any, maybeOne, sql } from '../storage/sql.ts'
import type { Query, Reader } from '../storage/storage.ts'
import { DocumentGone } from './documents.ts'
import type { DocumentReader } from './documents.ts'
import type { Cached } from './runs.ts'
import type { Viewer } from './viewer.ts'
import { listHidden, visible } from './visible.ts'
import { rfc3339 } from './wire.ts'

const text = z.string().nullable()
const RunHit = z.object({ id: z.string(), project: text, suite: text, created_at: z.string(), snippet: z.string(), cached: z.boolean().nullable() })
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

/** Hits by kind. Matched words in snippets stand between U+E000 and U+E001. */
export const SearchHits = z.object({ runs: z.array(RunHit), cases: z.array(CaseHit) }).meta({ id: 'SearchHits' })
export type SearchHits = z.infer<typeof SearchHits>

/** Ranking looks at this many of the newest hits: the bound may reorder, it never hides a hit while fewer than `limit` are found. */
const WINDOW = 1000

const Ranked = z.object({ rowid: z.number() })

/** Hits of one expression, best first within the window of the newest. `beyond` continues below a row already seen. */
const listRanked = (expression: string, limit: number, below: number | null): Query<Array<{ rowid: number }>> => {
  const weights = sql.list(SEARCH_WEIGHTS)
  const until = below === null ? sql.fragment`TRUE` : sql.fragment`rowid < ${BigInt(below)}`
  return any(sql.type(Ranked)`
    SELECT rowid FROM search
    WHERE search MATCH ${expression} AND ${until} AND rowid >= (
      SELECT coalesce(min(rowid), 0) FROM (SELECT rowid FROM search WHERE search MATCH ${expression} AND ${until} ORDER BY rowid DESC LIMIT ${Math.max(WINDOW, limit)}))
    ORDER BY bm25(search, ${weights})
    LIMIT ${limit}`)
}

const RunRow = z.object({
  run_no: z.number(),
  id: z.string(),
  project: text,
  suite: text,
  created_at: z.number(),
  git_branch: text,
  git_commit: text,
  note: text,
  tags: z.array(z.string()),
  fully_cached: z.boolean(),
  cache_hits: z.number().nullable(),
  cache_misses: z.number().nullable(),
})
type RunRow = z.infer<typeof RunRow>

const CaseRow = z.object({ case_key: z.string(), name: text, status: z.string(), cached: z.boolean().nullable(), document_offset: z.number(), document_length: z.number() })

const matchesCached = (run: RunRow, cached: Cached | undefined): boolean => (cached === 'only' ? run.fully_cached : cached === 'exclude' ? !run.fully_cached : true)

type Asked = { readonly q: string; readonly limit: number; readonly cached?: Cached | undefined }

/** Full-text search over the visible runs and cases. Ranks and reads documents: for a reader thread. */
export const searchAll = async (reader: Reader, documents: DocumentReader, viewer: Viewer, { q, limit, cached }: Asked): Promise<SearchHits> => {
  const terms = queryTerms(q)
  if (terms.length === 0) return { runs: [], cases: [] }
  const words = ftsQuery(terms)
  const hidden = await reader.read(listHidden(viewer))
  const runs = new Map<number, RunRow | null>()

  const runOf = async (run_no: number): Promise<RunRow | null> => {
    const known = runs.get(run_no)
    if (known !== undefined) return known
    const found = await reader.read(
      maybeOne(sql.type(RunRow)`
        SELECT run_no, id, project, suite, created_at, git_branch, git_commit, note, tags, fully_cached, cache_hits, cache_misses
        FROM runs WHERE run_no = ${run_no} AND ${visible(viewer, 'runs')}`),
    )
    runs.set(run_no, found)
    return found
  }

  /** Hits until there are `limit` of them or no more: rows that `keep` drops make place for the next. */
  const collect = async <Hit>(kind: 'run' | 'case', keep: (rowid: number) => Promise<Hit | null>): Promise<Hit[]> => {
    const expression = matchExpression(kind, words, hidden)
    const hits: Hit[] = []
    for (let below: number | null = null; hits.length < limit; ) {
      // A filter that the index does not hold may drop hits, so then the whole window is looked at.
      const wanted = cached === undefined || cached === 'all' ? limit : WINDOW
      const ranked: Array<{ rowid: number }> = await reader.read(listRanked(expression, wanted, below))
      for (const { rowid } of ranked) {
        const hit = hits.length < limit ? await keep(rowid) : null
        if (hit) hits.push(hit)
      }
      if (ranked.length < wanted) return hits
      below = Math.min(...ranked.map(({ rowid }) => rowid))
    }
    return hits
  }

  const found = await collect('run', async (rowid) => {
    const run = await runOf(placeOf(rowid).run_no)
    if (!run || !matchesCached(run, cached)) return null
    const fields = [run.project, run.suite, run.git_branch, run.git_commit, run.note, run.tags.join(' ')].map((field) => field ?? '')
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
    const { run_no, n } = placeOf(rowid)
    const run = await runOf(run_no)
    if (!run || !matchesCached(run, cached)) return null
    const row = await reader.read(
      maybeOne(sql.type(CaseRow)`SELECT case_key, name, status, cached, document_offset, document_length FROM cases WHERE run_no = ${run_no} AND n = ${n}`),
    )
    if (!row) return null
    const slice = await documents.slice(run_no, row.document_offset, row.document_length).catch(goneAsNull)
    if (!slice) return null
    const full = readCase(slice)
    const prompt = full.prompt === undefined ? '' : promptProse(full.prompt)
    const fields = [full.name ?? '', outputText(full.output) ?? '', ...full.asserts.map(({ reason }) => reason), full.error ?? '', (full.tags ?? []).join(' '), prompt]
    const { case_key, name, status } = row
    return { run_id: run.id, case_key, name, status, project: run.project, suite: run.suite, snippet: snippet(fields, terms).toWellFormed(), cached: row.cached }
  })

  return { runs: found, cases }
}

/** A run deleted while its hits are read is no hit any more. */
const goneAsNull = (error: unknown): null => {
  if (error instanceof DocumentGone) return null
  throw error
}
