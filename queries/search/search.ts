import { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { readSearchedTexts } from '../../domain/run/document.ts'
import { querySnippet } from '../../domain/search/query-snippet.ts'
import { idFields } from '../../domain/search/query.ts'
import {
  casesAt,
  firstRow,
  isEverywhere,
  searchEntry,
  listNewest,
  searchMatch,
  searchRowid,
  type Kind,
  type Match,
  type Visibility,
  type Words,
} from '../../storage/search/search-index.ts'
import { any, prepared, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { columnList } from '../columns.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { findRun } from '../runs/run.ts'
import type { Cached } from '../runs/run-list.ts'
import { idWords, prefixesOf, rankRows, readSearch, readTerms, visibilityOf } from './ranking.ts'
import type { Viewer } from '../access/viewer.ts'
import { findSeesEverything } from './hidden.ts'
import { listFoundRuns, RunHit, runHit, type FoundRun } from './run-hit.ts'

const text = z.string().nullable()
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

const FoundCase = CaseRow.pick({
  run_no: true,
  n: true,
  case_key: true,
  name: true,
  status: true,
  cached: true,
  document_offset: true,
  document_length: true,
})
type FoundCase = z.infer<typeof FoundCase>
const CASE_COLUMNS = columnList('cases', FoundCase)

type Request = { readonly q: string; readonly limit: number; readonly cached?: Cached | undefined }

/** Maximum number of hits, hidden ones included, whose runs are checked one by one. */
const MAX_CHECKED = 100

/** The number of newest hits that are ranked against each other. More take longer than the rest of the search. */
const MAX_OVERVIEW_HITS = 400

/** The newest rows with some words, and how to find older ones; null if these are all. */
type Newest = { readonly match: Match | null; readonly rows: readonly number[] }

/**
 * Full-text search over the visible runs and cases. It ranks hits and reads documents, so it runs in a reader thread.
 */
export const searchAll = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { q, limit, cached }: Request,
): Promise<SearchHits> => {
  const query = await readSearch(reader, q)
  const { wanted } = query
  if (wanted.length === 0) return { runs: [], cases: [] }
  // The order by bm25 depends on the words of hidden rows, and would reveal them.
  const all = await reader.read(findSeesEverything(viewer))
  const prefixes = prefixesOf(wanted)
  const runs = new Map<number, FoundRun | null>()

  let visibility: Promise<Visibility> | undefined
  const readVisibility = (): Promise<Visibility> => (visibility ??= visibilityOf(reader, viewer))

  /**
   * All rows that contain the words; null if there are more than `MAX_CHECKED`. Checking the runs of a few rows is less
   * work than reading what is hidden.
   */
  const findFew = async (kind: Kind, words: Words): Promise<number[] | null> => {
    if (viewer.sees_all) return null
    const rows = await reader.read(listNewest(kind, searchMatch(words, { hidden: [] }, cached), null, MAX_CHECKED + 1))
    return rows.length > MAX_CHECKED ? null : rows
  }

  /** Reads the runs of the rows that are not read yet; null for a run that the viewer may not see. */
  const readRuns = async (rows: readonly number[]): Promise<void> => {
    const missing = [...new Set(rows.map((rowid) => searchEntry(rowid).run_no))].filter((run_no) => !runs.has(run_no))
    if (missing.length === 0) return
    for (const run_no of missing) runs.set(run_no, null)
    const found = await reader.read(listFoundRuns(viewer, missing))
    for (const run of found) runs.set(run.run_no, run)
  }

  /**
   * The row of the run with the id. The table of runs has the ids of earlier runs also while the index of an earlier version
   * has none.
   */
  const findRunRow = async (): Promise<number[]> => {
    if (query.id === null || query.isComplete) return []
    const found = await reader.read(findRun(viewer, q.trim()))
    if (!found) return []
    await readRuns([Number(firstRow(found.run_no))])
    const run = runs.get(found.run_no)
    const isWanted = run && (cached === undefined || cached === 'all' || run.fully_cached === (cached === 'only'))
    return isWanted ? [Number(firstRow(run.run_no))] : []
  }

  /**
   * Up to `limit` hits, those of `first` before others. `readHits` reads the hits of some rows; a hit that is deleted meanwhile
   * is missing.
   */
  const collect = async <Hit>(
    kind: Kind,
    first: readonly number[],
    readHits: (rows: readonly number[]) => Promise<Hit[]>,
  ): Promise<Hit[]> => {
    const hits: Hit[] = await readHits(first)
    const seen = new Set<number>(first)
    /** The newest rows with the words; `match` is null if there are few, whose runs are checked one by one. */
    const findNewest = async (searched: Words): Promise<Newest> => {
      const few = await findFew(kind, searched)
      if (few) return { match: null, rows: few }
      const match = searchMatch(searched, await readVisibility(), cached)
      return { match, rows: await reader.read(listNewest(kind, match, null, MAX_OVERVIEW_HITS)) }
    }
    const add = async (searched: Words, { match, rows: newest }: Newest): Promise<void> => {
      for (let rows = newest; ;) {
        const isFull = rows.length === MAX_OVERVIEW_HITS
        const isAll = !isFull && rows === newest && match !== null && isEverywhere(match)
        const best = (await rankRows(reader, kind, { rows, isFull, isAll }, searched, query, all)).filter(
          (rowid) => !seen.has(rowid),
        )
        for (let from = 0; from < best.length && hits.length < limit;) {
          const next = best.slice(from, from + limit - hits.length)
          for (const rowid of next) seen.add(rowid)
          from += next.length
          hits.push(...(await readHits(next)))
        }
        const below = rows.at(-1)
        if (!isFull || match === null || below === undefined || hits.length >= limit) return
        rows = await reader.read(listNewest(kind, match, below, MAX_OVERVIEW_HITS))
      }
    }
    const { words, whole } = await readTerms(reader, kind, wanted)
    // Hidden rows affect which words a partial lookup finds, and so they would affect the order of the hits.
    const newest = whole || all ? await findNewest(words) : null
    const wholeId = idWords(query)
    // What has the id has the words too.
    const mayHaveId = !whole || newest === null || newest.rows.length > 0
    if (wholeId !== null && mayHaveId) await add(wholeId, await findNewest(wholeId))
    if (newest && hits.length < limit) await add(words, newest)
    if (!whole && hits.length < limit) await add(prefixes, await findNewest(prefixes))
    return hits
  }

  // A run to which something was added has two rows.
  const listed = new Set<number>()
  const found = await collect('run', await findRunRow(), async (rows) => {
    await readRuns(rows)
    return rows.flatMap((rowid) => {
      const { run_no } = searchEntry(rowid)
      const run = runs.get(run_no)
      if (!run || listed.has(run_no)) return []
      listed.add(run_no)
      return [runHit(run, query)]
    })
  })

  const caseHit = ({ case_key, status, ...row }: FoundCase, run: FoundRun, slice: Buffer): z.infer<typeof CaseHit> => {
    const { test_id, name, output, reasons, error, tags, prompt } = readSearchedTexts(slice)
    return {
      run_id: run.id,
      case_key,
      // A hit has no other place for the id of a test.
      name: row.name ?? (test_id || null),
      status,
      project: run.project,
      suite: run.suite,
      snippet: querySnippet(
        [name, output, ...reasons, error, tags, prompt],
        query,
        idFields(query, test_id, case_key),
      ).toWellFormed(),
      cached: row.cached,
    }
  }

  const cases = await collect('case', [], async (rows) => {
    await readRuns(rows)
    const wanted = rows.filter((rowid) => runs.get(searchEntry(rowid).run_no))
    if (wanted.length === 0) return []
    const stored = await reader.read(
      prepared(
        any(
          casesAt(
            wanted,
            (places) => sql.type(FoundCase)`
            SELECT ${CASE_COLUMNS} FROM ${places} place CROSS JOIN cases
            WHERE cases.run_no = place.run_no AND cases.n = place.n`,
          ),
        ),
      ),
    )
    const rowsByPlace = new Map(stored.map((row) => [Number(searchRowid(row.run_no, row.n)), row]))
    const found = wanted.flatMap((rowid) => {
      const [row, run] = [rowsByPlace.get(rowid), runs.get(searchEntry(rowid).run_no)]
      return row && run ? [{ row, run }] : []
    })
    const hits: Array<z.infer<typeof CaseHit>> = []
    let n = 0
    for await (const slice of documents.slices(found.map(({ row }) => row))) {
      const each = found[n++]
      if (slice && each) hits.push(caseHit(each.row, each.run, slice))
    }
    return hits
  })

  return { runs: found, cases }
}
