import { z } from 'zod'
import { isEverywhere, searchEntry, firstRow, searchMatch, MAX_RANKED_HITS } from '../../storage/search/search-index.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findRun } from '../runs/run.ts'
import { parseTupleCursor, tupleCursorText } from '../tuple-cursor.ts'
import { inSetOf, narrowVisibility } from './filters.ts'
import type { SetFilters } from '../runs/sorted-runs.ts'
import { findSeesEverything } from './hidden.ts'
import { idsFirst, prefixesOf, rankRows, readSearch, readTerms, readWindow } from './ranking.ts'
import { listFoundRuns, RunHit, runHit } from './run-hit.ts'

// Runs that contain all words, with pages. The newest matches are read in windows of `MAX_RANKED_HITS` runs. Within a
// window the best runs are first, and the count is that of the window.

export const RunSearch = z
  .object({
    runs: z.array(RunHit),
    /** Runs of the window that match the words and all filters. */
    run_count: z.number().int(),
    /** Whether older runs contain the words too. Then the count is that of the newest matches only. */
    more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'RunSearch' })
export type RunSearch = z.infer<typeof RunSearch>

export type RunSearchRequest = SetFilters & {
  readonly q: string
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Where a page starts: the run below which its window starts (empty is the newest), and the number of runs before it. */
type Position = { readonly below: string; readonly skipped: number }

const parsePosition = (cursor: string | undefined): Position => {
  const [below, skipped] = parseTupleCursor(cursor, ['', 0]) ?? []
  return typeof below === 'string' && Number.isSafeInteger(skipped) && Number(skipped) >= 0
    ? { below, skipped: Number(skipped) }
    : { below: '', skipped: 0 }
}

/** Runs that contain the words. The filters apply before a page is cut, so each page is full. */
export const searchRuns = async (reader: Reader, viewer: Viewer, asked: RunSearchRequest): Promise<RunSearch> => {
  const query = await readSearch(reader, asked.q)
  const { wanted } = query
  if (wanted.length === 0) return { runs: [], run_count: 0, more: false, next_cursor: null }
  const position = parsePosition(asked.cursor)
  const start = position.below === '' ? null : await reader.read(findRun(viewer, position.below))
  // If the run of the cursor is deleted or hidden now, the list starts with the first page.
  const { below, skipped } = start || position.below === '' ? position : { below: '', skipped: 0 }
  // The order by bm25 depends on the words of hidden rows, and would reveal them.
  const all = await reader.read(findSeesEverything(viewer))
  const { words: listed, whole } = await readTerms(reader, 'run', wanted)
  const words = whole ? listed : prefixesOf(wanted)
  const match = searchMatch(words, await narrowVisibility(reader, viewer, asked))
  const from = start ? Number(firstRow(start.run_no)) : null
  const window = await readWindow(reader, 'run', query, match, from)
  const { newest, rows } = window
  const stored = await reader.read(
    listFoundRuns(
      viewer,
      rows.map((rowid) => searchEntry(rowid).run_no),
    ),
  )
  const runByNo = new Map(stored.map((run) => [run.run_no, run]))
  const more = newest.length === MAX_RANKED_HITS
  const isAll = !more && from === null && isEverywhere(match)
  const ranked = await rankRows(reader, 'run', { rows, isFull: more, isAll }, words, query, all)
  // A run to which something was added has two rows.
  const found = [...new Set(idsFirst(window, ranked, from).map((rowid) => searchEntry(rowid).run_no))]
    .flatMap((run_no) => runByNo.get(run_no) ?? [])
    .filter(inSetOf(asked))
  const oldest = newest.map((rowid) => runByNo.get(searchEntry(rowid).run_no)).findLast((run) => run !== undefined)
  const next = skipped + asked.limit
  return {
    runs: found.slice(skipped, next).map((run) => runHit(run, query)),
    run_count: found.length,
    more,
    next_cursor:
      next < found.length ? tupleCursorText([below, next]) : more && oldest ? tupleCursorText([oldest.id, 0]) : null,
  }
}
