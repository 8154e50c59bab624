import { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { CASE_STATUSES, readSearchedTexts, type CaseStatus } from '../../domain/run/document.ts'
import { placedQuerySnippet, querySnippet } from '../../domain/search/query-snippet.ts'
import { idFields, readQuery, type SearchQuery } from '../../domain/search/query.ts'
import {
  casesAt,
  isEverywhere,
  searchEntry,
  listNewest,
  searchMatch,
  MAX_RANKED_HITS,
  searchRowid,
  runsAt,
} from '../../storage/search/search-index.ts'
import { any, prepared, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { rfc3339 } from '../../domain/wire.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { findRun } from '../runs/run.ts'
import { parseTupleCursor, tupleCursorText } from '../tuple-cursor.ts'
import { findSeesEverything } from './hidden.ts'
import { inSetOf, narrowVisibility } from './filters.ts'
import { idsFirst, prefixesOf, rankRows, readSearch, readTerms, readWindow } from './ranking.ts'

// Cases that contain all words, one line for each test. The newest matches are read in windows of `MAX_RANKED_HITS`
// cases, so a search costs the same however many cases match. Within a window the best tests are first, and the counts
// are those of the window.

const count = z.number().int()
const text = z.string().nullable()

/** The fields that a snippet can be of, in the order in which they are searched. */
const FIELDS = ['name', 'output', 'reason', 'error', 'tags', 'prompt'] as const
/** The same, and the id of a case or its test. */
const FOUND_FIELDS = [...FIELDS, 'id'] as const

const FoundCase = z.object({
  run_id: z.string(),
  /** What identifies the run: its note, else its suite and time. */
  run_note: text,
  case_key: z.string(),
  status: z.enum(CASE_STATUSES),
  score: z.number().nullable(),
  provider_id: text,
  prompt_id: text,
  repeat: count.nullable(),
  created_at: z.string(),
})

const FoundTest = z.object({
  project: text,
  suite: text,
  test_id: text,
  name: text,
  /** Where the words are in the best case, and the text around them. Matched words are between U+E000 and U+E001. */
  field: z.enum(FOUND_FIELDS).nullable(),
  snippet: z.string(),
  /** Number of cases in the window, by status. */
  counts: z.partialRecord(z.enum(CASE_STATUSES), count),
  /** The best cases first, at most `MAX_CASES`. */
  cases: z.array(FoundCase),
})

export const CaseSearch = z
  .object({
    tests: z.array(FoundTest),
    /** Cases of the window that match the words and all filters, and the tests that they are of. */
    case_count: count,
    test_count: count,
    /** Whether older cases contain the words too. Then the counts are those of the newest matches only. */
    more: z.boolean(),
    /**
     * False while a store of an earlier version is indexed again: more cases may contain text without spaces, symbols,
     * names such as C++, parts of ids, or an id.
     */
    complete: z.boolean(),
    /** Cases of the window by suite and by status, each without its own filter. */
    facets: z.object({
      suites: z.array(z.object({ project: text, suite: text, count })),
      statuses: z.array(z.object({ status: z.enum(CASE_STATUSES), count })),
    }),
    /** If nothing contains all of several words: each of the first ones alone, with the same filters. Otherwise null. */
    words: z
      .array(
        z.object({
          word: z.string(),
          case_count: count,
          /** Whether older cases contain the word too. */
          more: z.boolean(),
        }),
      )
      .nullable(),
    next_cursor: text,
  })
  .meta({ id: 'CaseSearch' })
export type CaseSearch = z.infer<typeof CaseSearch>

export type CaseSearchRequest = {
  readonly q: string
  readonly project?: string | undefined
  readonly suite?: string | undefined
  readonly status?: CaseStatus | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Maximum number of words that are searched alone. */
const MAX_WORDS = 6

/** Maximum number of cases of one test in a response. */
const MAX_CASES = 50

const Hit = z.object({
  ...CaseRow.pick({
    run_no: true,
    n: true,
    case_key: true,
    name: true,
    test_id: true,
    status: true,
    score: true,
    provider_id: true,
    prompt_id: true,
    repeat: true,
    created_at: true,
    document_offset: true,
    document_length: true,
  }).shape,
})
type Hit = z.infer<typeof Hit>
const COLUMNS = columnList('cases', Hit)

const Run = z.object({ run_no: count, id: z.string(), project: text, suite: text, note: text })
type Run = z.infer<typeof Run>
type Found = { readonly hit: Hit; readonly run: Run; readonly rank: number }

/**
 * Where a page starts: the case below which its window starts (null is the newest), and the number of tests before it.
 * The case is named by its run: a row number would show how many runs were uploaded that the viewer may not see.
 */
type Position = { readonly below: { readonly run_id: string; readonly n: number } | null; readonly tests: number }

const NEWEST = { run_id: '', n: 0 }
const positionText = ({ below, tests }: Position): string => {
  const { run_id, n } = below ?? NEWEST
  return tupleCursorText([run_id, n, tests])
}

const MAX_INDEX = 2 ** 20
const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < MAX_INDEX

const parseSearchCursor = (cursor: string | undefined): Position => {
  const [run_id, n, tests] = parseTupleCursor(cursor, ['', 0, 0]) ?? []
  if (typeof run_id !== 'string' || !isIndex(n) || !isIndex(tests)) return { below: null, tests: 0 }
  return { below: run_id === NEWEST.run_id ? null : { run_id, n }, tests }
}

/** Where a page starts, as a row of the index. If the run is deleted or hidden now, the list starts with the first page. */
const searchStart = async (
  reader: Reader,
  viewer: Viewer,
  { below, tests }: Position,
): Promise<{ readonly row: number | null; readonly tests: number }> => {
  if (below === null) return { row: null, tests }
  const run = await reader.read(findRun(viewer, below.run_id))
  return run ? { row: Number(searchRowid(run.run_no, below.n)), tests } : { row: null, tests: 0 }
}

/** The cases at some rows with their runs: those of `best` first, in its order. */
const readFound = async (
  reader: Reader,
  viewer: Viewer,
  rows: readonly number[],
  best: readonly number[],
): Promise<Found[]> => {
  if (rows.length === 0) return []
  const run_nos = [...new Set(rows.map((rowid) => searchEntry(rowid).run_no))]
  const { runs, hits } = await reader.readAll({
    runs: prepared(
      any(
        runsAt(
          run_nos,
          (wanted) => sql.type(Run)`
          SELECT runs.run_no, runs.id, runs.project, runs.suite, runs.note FROM ${wanted} wanted CROSS JOIN runs
          WHERE runs.run_no = wanted.run_no AND ${visible(viewer, 'runs')}`,
        ),
      ),
    ),
    hits: prepared(
      any(
        casesAt(
          rows,
          (places) => sql.type(Hit)`
          SELECT ${COLUMNS} FROM ${places} place CROSS JOIN cases
          WHERE cases.run_no = place.run_no AND cases.n = place.n`,
        ),
      ),
    ),
  })
  const runOf = new Map(runs.map((run) => [run.run_no, run]))
  const rankOf = new Map(best.map((rowid, rank) => [rowid, rank]))
  return hits
    .flatMap((hit) => {
      const run = runOf.get(hit.run_no)
      return run ? [{ hit, run, rank: rankOf.get(Number(searchRowid(hit.run_no, hit.n))) ?? best.length }] : []
    })
    .sort((a, b) => a.rank - b.rank)
}

/** The case of a window that was stored first. */
const oldestOf = (window: readonly Found[]): Found | null =>
  window.reduce<Found | null>(
    (oldest, each) =>
      oldest === null || searchRowid(each.hit.run_no, each.hit.n) < searchRowid(oldest.hit.run_no, oldest.hit.n)
        ? each
        : oldest,
    null,
  )

/** Counts items by key, the most frequent first. Equal counts are in the order of the keys, not of the ranking. */
const tally = <K>(items: readonly K[], key: (item: K) => string): Array<{ readonly item: K; readonly count: number }> =>
  [...Map.groupBy(items, key)]
    .flatMap(([name, group]) => (group[0] === undefined ? [] : [{ name, item: group[0], count: group.length }]))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))

/** The field of a case that contains the words, and the text around them. Without the document, neither is known. */
const excerpt = (
  { hit }: Found,
  slice: Buffer | null,
  query: SearchQuery,
): Pick<CaseSearch['tests'][number], 'field' | 'snippet'> => {
  if (!slice) return { field: null, snippet: '' }
  const { reasons, ...others } = readSearchedTexts(slice)
  const texts = { ...others, reason: reasons.join('\n') }
  const whole = placedQuerySnippet(
    FIELDS.map((name) => texts[name]),
    query,
    idFields(query, hit.test_id ?? '', hit.case_key),
  )
  const snippet = whole.text.toWellFormed()
  if (whole.field >= FIELDS.length) return { field: 'id', snippet }
  // The field is the first of which the excerpt is the same.
  const isOf = (name: (typeof FIELDS)[number], n: number): boolean =>
    n === whole.field || (texts[name] !== '' && querySnippet([texts[name]], query) === whole.text)
  return { field: FIELDS.find(isOf) ?? null, snippet }
}

/** The cases of one test, best first, as one entry. */
const foundTest = (group: readonly Found[], slice: Buffer | null, query: SearchQuery): CaseSearch['tests'] => {
  const [first] = group
  if (!first) return []
  return [
    {
      project: first.run.project,
      suite: first.run.suite,
      test_id: first.hit.test_id,
      name: first.hit.name,
      ...excerpt(first, slice, query),
      counts: Object.fromEntries(
        tally(group, ({ hit }) => hit.status).map(({ item, count: n }) => [item.hit.status, n]),
      ),
      cases: group.slice(0, MAX_CASES).map(({ hit, run }) => ({
        run_id: run.id,
        run_note: run.note,
        case_key: hit.case_key,
        status: hit.status,
        score: hit.score,
        provider_id: hit.provider_id,
        prompt_id: hit.prompt_id,
        repeat: hit.repeat,
        created_at: rfc3339(hit.created_at),
      })),
    },
  ]
}

/** Whether a case is in the sets, and has the status, of the filters. */
const filterOf = ({ status, ...sets }: CaseSearchRequest) => ({
  inSet: ({ run }: Found): boolean => inSetOf(sets)(run),
  hasStatus: ({ hit }: Found): boolean => status === undefined || hit.status === status,
})

/** How many cases contain each word of a query alone; null if it has one word. */
const countWords = async (reader: Reader, viewer: Viewer, asked: CaseSearchRequest): Promise<CaseSearch['words']> => {
  // Words with the same terms, such as “Zebra” and “zebra”, are one.
  const byTerms = new Map(asked.q.split(/\s+/).map((word) => [JSON.stringify(readQuery(word).wanted), word]))
  const words = [...byTerms.values()].filter((word) => readQuery(word).wanted.length > 0)
  if (words.length < 2) return null
  const { inSet, hasStatus } = filterOf(asked)
  const visibility = await narrowVisibility(reader, viewer, asked)
  const counts: NonNullable<CaseSearch['words']> = []
  for (const word of words.slice(0, MAX_WORDS)) {
    const { wanted } = await readSearch(reader, word)
    const { words: listed, whole } = await readTerms(reader, 'case', wanted)
    const match = searchMatch(whole ? listed : prefixesOf(wanted), visibility)
    const rows = await reader.read(listNewest('case', match, null))
    const found = (await readFound(reader, viewer, rows, [])).filter((each) => inSet(each) && hasStatus(each))
    counts.push({ word: word.toWellFormed(), case_count: found.length, more: rows.length === MAX_RANKED_HITS })
  }
  return counts
}

/** Cases that contain the words, folded by test. Reads documents, so it runs in a reader thread. */
export const searchCases = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  asked: CaseSearchRequest,
): Promise<CaseSearch> => {
  const query = await readSearch(reader, asked.q)
  const { wanted } = query
  const position = parseSearchCursor(asked.cursor)
  const none = { suites: [], statuses: [] }
  if (wanted.length === 0)
    return {
      tests: [],
      case_count: 0,
      test_count: 0,
      more: false,
      complete: true,
      facets: none,
      words: null,
      next_cursor: null,
    }
  const { row: below, tests: skipped } = await searchStart(reader, viewer, position)
  // The order by bm25 depends on the words of hidden rows, and would reveal them.
  const all = await reader.read(findSeesEverything(viewer))
  const { words: listed, whole } = await readTerms(reader, 'case', wanted)
  const words = whole ? listed : prefixesOf(wanted)
  const match = searchMatch(words, await narrowVisibility(reader, viewer, asked))
  const searched = await readWindow(reader, 'case', query, match, below)
  const { newest, rows } = searched
  const more = newest.length === MAX_RANKED_HITS
  const isAll = !more && below === null && isEverywhere(match)
  const ranked = await rankRows(reader, 'case', { rows, isFull: more, isAll }, words, query, all)
  const shownRows = idsFirst(searched, ranked, below)
  const everyCase = await readFound(reader, viewer, rows, shownRows)
  const isShown = new Set(shownRows)
  const window = everyCase.filter(({ hit }) => isShown.has(Number(searchRowid(hit.run_no, hit.n))))

  const { inSet, hasStatus } = filterOf(asked)
  const found = window.filter((each) => inSet(each) && hasStatus(each))
  const groups = [
    ...Map.groupBy(found, ({ hit, run }) =>
      JSON.stringify([run.project, run.suite, hit.test_id ?? hit.name ?? hit.case_key]),
    ).values(),
  ]
  const shown = groups.slice(skipped, skipped + asked.limit)
  const tests: CaseSearch['tests'] = []
  let n = 0
  // The document of a test is that of its best case.
  for await (const slice of documents.slices(shown.flatMap(([best]) => best?.hit ?? [])))
    tests.push(...foundTest(shown[n++] ?? [], slice, query))
  const isLastOfWindow = skipped + asked.limit >= groups.length
  const isNewest = new Set(newest)
  const oldest = oldestOf(everyCase.filter(({ hit }) => isNewest.has(Number(searchRowid(hit.run_no, hit.n)))))
  return {
    tests,
    case_count: found.length,
    test_count: groups.length,
    more,
    complete: query.isComplete,
    facets: {
      suites: tally(window.filter(hasStatus), ({ run }) => JSON.stringify([run.project, run.suite])).map(
        ({ item, count: n }) => ({ project: item.run.project, suite: item.run.suite, count: n }),
      ),
      statuses: tally(window.filter(inSet), ({ hit }) => hit.status).map(({ item, count: n }) => ({
        status: item.hit.status,
        count: n,
      })),
    },
    words: found.length === 0 && below === null && !more ? await countWords(reader, viewer, asked) : null,
    next_cursor: !isLastOfWindow
      ? positionText({ below: below === null ? null : position.below, tests: skipped + asked.limit })
      : more && oldest
        ? positionText({ below: { run_id: oldest.run.id, n: oldest.hit.n }, tests: 0 })
        : null,
  }
}
