import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { z } from 'zod'
import { hasAssertionTexts, sharedCase } from '../../domain/report/shared-case.ts'
import { hasWholeCases, type SharedExtra, type SharedPart, type SharedParts } from '../../domain/report/shared-parts.ts'
import { COLUMNS_BY, columnText, type Column } from '../../domain/lists/column.ts'
import { rowsIn } from '../../domain/lists/matrix-order.ts'
import { MATRIX_VALUES } from '../../domain/run/matrix-values.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { listItemWithLines, type CaseListRow } from '../cases/case-rows.ts'
import { readCases, readNormalCaseAt, type Row } from '../cases/cases.ts'
import { findDistribution, type Distribution } from '../cases/distribution.ts'
import { findMatrixOrder } from '../cases/matrix-order.ts'
import { listMatrixPage, type MatrixRows } from '../cases/matrix-rows.ts'
import { listCommentIds, listExportedComments } from '../runs/comments.ts'
import { findConfig } from '../runs/config.ts'
import { DocumentDeleted, type DocumentReader } from '../runs/documents.ts'
import { contentTag, type FirstPart, type Part } from '../parts.ts'
import { findCalibration, RunCalibration } from '../reviews/calibration.ts'
import { readJudges, unlessBeingBuilt } from '../reviews/judges.ts'
import { findRun, type Run } from '../runs/run.ts'
import { findRunDetail } from '../runs/run-detail.ts'
import type { RunInSuite } from '../runs/run-in-suite.ts'
import { listComparedCases, type ComparedCases } from '../statistics/compared-cases.ts'
import { MAX_COMPARED_CASES, readColumn, type ComparedPair } from '../statistics/outcomes.ts'
import { findComparedOrder } from '../statistics/compared-order.ts'
import { findLeaderboard, type Leaderboard } from '../statistics/leaderboard.ts'
import { findComparedGroups, type ComparedGroups } from '../statistics/compared-groups.ts'
import { findComparisonStatistics, type ComparisonStatistics } from '../statistics/comparison-statistics.ts'
import { dataElement } from './data-element.ts'

// Everything that a file with a run has, so that its page needs no server. Lists are whole, and the page filters and
// sorts them. It is made in parts, as elements of the page:
//
//   cases-R-B, rows-R-B   a block of the cases of run R: in full, one a line, and as rows of the list
//   run-R, matrix-R       the other facts of run R
//   comparison-C          the comparison, and the same with base and head swapped
//   file                  how many of them there are, and what is left out

/** A row of the case list, with the tags by which it can be filtered. */
export type SharedRow = CaseListRow & { readonly tags: readonly string[] }

type SharedMatrix = {
  /** As `domain/lists/matrix-order.ts` encodes it; null for what has no number. */
  readonly order: ReadonlyArray<number | null>
  readonly rows: ReadonlyArray<{
    readonly test_id: string
    readonly name: string | null
    readonly cells: ReadonlyArray<{
      /** By value, as in `MATRIX_VALUES`. */
      readonly values: ReadonlyArray<number | null>
      readonly passed: number
      readonly failed: number
      readonly total: number
      readonly case_key: string | null
    } | null>
  }>
}

/** A comment, without its id and who wrote it. `case_key` is null if it is on the run itself. */
export type SharedComment = {
  readonly case_key: string | null
  readonly text: string
  readonly at: string
}

/** What people say of the judge of a run: numbers and a state. None of their labels is in a file. */
export const SharedCalibration = RunCalibration.pick({
  ...{ state: true, reasons: true, sentence: true, judge_alone: true, rate: true },
}).extend({ labels: RunCalibration.shape.labels.pick({ newest_at: true }) })
export type SharedCalibration = z.infer<typeof SharedCalibration>

export type SharedRun = {
  readonly run: RunInSuite
  /** Null for a run whose judge no labels are about. */
  readonly calibration: SharedCalibration | null
  /** The newest first. */
  readonly comments: readonly SharedComment[]
  /** SHA-256 of the document, in hex, and its length. */
  readonly document: { readonly sha256: string; readonly bytes: number }
  readonly distribution: Distribution
  readonly matrix: SharedMatrix
  /** By column and by provider, against the best; none for a run of one column, or of too many cases. */
  readonly leaderboards: readonly Leaderboard[]
  /**
   * The configuration as `GET /runs/{id}/config` returns it, for a comparison; null without one, or if a part that it
   * repeats is left out.
   */
  readonly config: string | null
  readonly rows: readonly SharedRow[]
  /** The number of cases in each block: the cases of the blocks are those of `rows`, in the same order. */
  readonly blocks: readonly number[]
}

export type SharedComparison = {
  readonly base: string
  readonly head: string
  /** The columns that are compared, as addresses name them; null for all cases. */
  readonly base_column: string | null
  readonly head_column: string | null
  readonly statistics: ComparisonStatistics
  readonly cases: ComparedCases
  /** By tag; variables are not among the facts of a row. */
  readonly groups: ComparedGroups
}

/** What an element `run-R` has. */
export type SharedFacts = Omit<SharedRun, 'matrix' | 'rows'>

/** What the element `file` has. */
export type SharedContents = {
  readonly runs: number
  readonly comparisons: number
  readonly without: readonly SharedPart[]
  readonly max_output_bytes: number | null
  /** Whether an output was cut. */
  readonly is_cut: boolean
  /** The case of the first run with which the page opens; null for its first page. */
  readonly case_key: string | null
}

/** What a file has before a case is opened. */
export type SharedFile = Omit<SharedContents, 'runs' | 'comparisons'> & {
  /** The runs: the one that the file is about, and the one that it is compared with. */
  readonly runs: readonly SharedRun[]
  /** The comparison, and the same with base and head swapped. */
  readonly comparisons: readonly SharedComparison[]
}

/** What a file is asked to have. Outputs beyond `max_output_bytes` are cut; null for whole ones. */
export type SharedRequest = {
  readonly run_id: string
  /** The run that it is compared with; the run itself for two of its columns. */
  readonly base: string | null
  /** The columns that are compared, instead of all cases. */
  readonly base_column?: Column | undefined
  readonly head_column?: Column | undefined
  readonly without: readonly SharedPart[]
  /** What it has besides; `mayHaveComments` says whether it may. */
  readonly with: readonly SharedExtra[]
  readonly max_output_bytes: number | null
  readonly case_key: string | null
  /** The time that the ages of labels are from. */
  readonly now: number
}

/** The position in a file: its runs by their numbers, the step, and what is known of the cases of the present run. */
export type SharedPosition = {
  readonly run_nos: readonly number[]
  readonly step: number
  readonly cursor: string | undefined
  /** The number of cases in each block so far. */
  readonly blocks: readonly number[]
  readonly is_cut: boolean
  /** Of each run. */
  readonly calibrations: ReadonlyArray<SharedCalibration | null>
}

/** Cases of one block at most, and characters after which another block begins. */
const MAX_BLOCK_CASES = 200
const MAX_BLOCK_CHARACTERS = 512 * 1024

const ROWS_PER_QUERY = 500

type SharedReads = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly viewer: Viewer
  /** The comments on a run, the newest first, if they are not in the store. */
  readonly commentsOn?: (run_id: string) => readonly SharedComment[]
  /** What people say of the judge of a run, if their labels are not in the store. */
  readonly calibrationOf?: (run_id: string) => SharedCalibration | null
}

const readCalibration = async (
  { calibrationOf, ...context }: SharedReads,
  { id, run_no }: Run,
  now: number,
): Promise<SharedCalibration | null> => {
  if (calibrationOf) return calibrationOf(id)
  if ((await readJudges(context.reader, [run_no])).length === 0) return null
  const asked = { run_id: id, cluster_by: { by: 'test' }, now } as const
  const calibration = await unlessBeingBuilt(findCalibration(context, asked), () => null)
  return calibration === null || calibration.state === 'none' ? null : SharedCalibration.parse(calibration)
}

const readComments = async ({ reader, commentsOn }: SharedReads, { id, run_no }: Run): Promise<SharedComment[]> => {
  const found =
    commentsOn?.(id) ??
    (await listExportedComments(reader, run_no, new Set(await reader.read(listCommentIds(run_no))))).toReversed()
  return found.map(({ case_key, text, at }) => ({ case_key, text, at }))
}

/** What is made after what. */
const stepsOf = (request: SharedRequest) => [
  ...idsOf(request).flatMap((_, n) => (['cases', 'run', 'matrix'] as const).map((what) => ({ what, n }))),
  ...(request.base === null ? [] : [0, 1].map((n) => ({ what: 'comparison', n }) as const)),
  { what: 'file', n: 0 } as const,
]

const idsOf = ({ run_id, base }: SharedRequest): readonly string[] =>
  base === null || base === run_id ? [run_id] : [run_id, base]

const readRuns = async ({ reader, viewer }: SharedReads, request: SharedRequest): Promise<Run[] | null> => {
  const runs: Run[] = []
  for (const id of idsOf(request)) {
    const run = await reader.read(findRun(viewer, id))
    if (!run) return null
    runs.push(run)
  }
  return runs
}

/** Memory that a position takes: the sizes of the blocks of a run. */
const MEMORY_BYTES = 64 * 1024

/** The beginning of a file; null if a run is unknown or hidden. */
export const startShared = async (
  source: SharedReads,
  request: SharedRequest,
): Promise<FirstPart<SharedPosition> | null> => {
  const runs = await readRuns(source, request)
  if (!runs) return null
  // Refused before the file begins.
  const [head, base = head] = runs
  if (base && request.base_column)
    await readColumn(source.reader, source.viewer, base, 'base_column', request.base_column)
  if (head && request.head_column)
    await readColumn(source.reader, source.viewer, head, 'head_column', request.head_column)
  const said = request.with.includes('comments')
    ? await Promise.all(runs.map(({ run_no }) => source.reader.read(listCommentIds(run_no))))
    : []
  const calibrations: Array<SharedCalibration | null> = []
  for (const run of runs) calibrations.push(await readCalibration(source, run, request.now))
  const known = calibrations.some((each) => each !== null) ? [JSON.stringify(calibrations)] : []
  return {
    etag: contentTag('share', [...said.flat(), ...known], [...runs.map(({ document_sha256 }) => document_sha256)]),
    memoryBytes: MEMORY_BYTES,
    from: {
      run_nos: runs.map(({ run_no }) => run_no),
      step: 0,
      cursor: undefined,
      blocks: [],
      is_cut: false,
      calibrations,
    },
  }
}

/** The next elements of a file, as HTML; null if a run was deleted, hidden or replaced meanwhile. */
export const continueShared = async (
  source: SharedReads,
  request: SharedRequest,
  position: SharedPosition,
): Promise<Part<SharedPosition> | null> => {
  const runs = await readRuns(source, request)
  if (runs?.some(({ run_no }, n) => run_no !== position.run_nos[n]) !== false) return null
  const steps = stepsOf(request)
  const { what, n } = found(steps[position.step] ?? null)
  // Two columns of one run are compared in both directions, too.
  const run = found(runs[n] ?? runs[0] ?? null)
  const parts = { without: new Set(request.without), maxOutputBytes: request.max_output_bytes }
  const next = { ...position, step: position.step + 1 }
  switch (what) {
    case 'cases': {
      const block = await readBlock(source, run, parts, position.cursor)
      const blocks = block.rows.length === 0 ? position.blocks : [...position.blocks, block.rows.length]
      const at = `${n}-${position.blocks.length}`
      const is_cut = position.is_cut || block.isCut
      return {
        text:
          block.rows.length === 0
            ? ''
            : dataElement(`cases-${at}`, block.texts.join('\n')) +
              dataElement(`rows-${at}`, JSON.stringify(block.rows)),
        next:
          block.cursor === null ? { ...next, blocks, is_cut } : { ...position, blocks, is_cut, cursor: block.cursor },
      }
    }
    case 'run': {
      const facts = await readFacts(source, run, {
        ...parts,
        hasComments: request.with.includes('comments'),
        hasConfig: request.base !== null,
      })
      const calibration = position.calibrations[n] ?? null
      const text = JSON.stringify({ ...facts, calibration, blocks: position.blocks } satisfies SharedFacts)
      return { text: dataElement(`run-${n}`, text), next: { ...next, blocks: [], cursor: undefined } }
    }
    case 'matrix': {
      const matrix = await readMatrix(source, run, parts.without.has('vars'))
      return { text: dataElement(`matrix-${n}`, JSON.stringify(matrix)), next }
    }
    case 'comparison': {
      const [head, base = head] = runs
      const pair = {
        ...{ head: found(head ?? null), base: found(base ?? null) },
        ...{ base_column: request.base_column, head_column: request.head_column },
      }
      const comparison = await readComparison(source, n === 0 ? pair : swapped(pair), parts.without)
      return { text: dataElement(`comparison-${n}`, JSON.stringify(comparison)), next }
    }
    case 'file': {
      const contents: SharedContents = {
        runs: runs.length,
        comparisons: steps.filter((step) => step.what === 'comparison').length,
        without: request.without.toSorted(),
        max_output_bytes: request.max_output_bytes,
        is_cut: position.is_cut,
        case_key: request.case_key,
      }
      return { text: dataElement('file', JSON.stringify(contents)), next: null }
    }
  }
}

/** All elements of a file, one after the other. Throws if a run is deleted meanwhile. */
export async function* sharedElements(source: SharedReads, request: SharedRequest): AsyncGenerator<string> {
  for (let at: SharedPosition | null = found(await startShared(source, request)).from; at;) {
    const part: Part<SharedPosition> = found(await continueShared(source, request, at))
    yield part.text
    at = part.next
  }
}

const readFacts = async (
  source: SharedReads,
  run: Run,
  { hasComments, hasConfig, ...parts }: SharedParts & { readonly hasComments: boolean; readonly hasConfig: boolean },
): Promise<Omit<SharedFacts, 'blocks' | 'calibration'>> => {
  const { reader, viewer } = source
  const comments = hasComments ? await readComments(source, run) : []
  // What the store knows about an upload, or got later, is not about the run.
  const { added: _added, ...detail } = found(await reader.read(findRunDetail(viewer, run.id)))
  const distribution = found(await findDistribution(reader, viewer, run.id))
  const hasBoard = distribution.columns.length > 1 && run.stored_cases <= MAX_COMPARED_CASES
  return {
    run: {
      ...detail,
      uploaded_at: detail.created_at,
      uploaded_by: null,
      held: false,
      plan: null,
      set: null,
      previous: null,
      comments: comments.length,
    },
    comments,
    document: { sha256: run.document_sha256, bytes: run.document_bytes },
    distribution,
    leaderboards: hasBoard ? await readLeaderboards({ reader, viewer }, run.id) : [],
    config: hasConfig && hasWholeCases(parts) ? await findConfig(reader, viewer, run.id) : null,
  }
}

const found = <T>(value: T | null): T => {
  if (value === null) throw new DocumentDeleted('the run was deleted while it was read')
  return value
}

const readLeaderboards = async (
  { reader, viewer }: Pick<SharedReads, 'reader' | 'viewer'>,
  run_id: string,
): Promise<Leaderboard[]> => {
  const boards: Leaderboard[] = []
  for (const by of COLUMNS_BY) {
    await yieldToEventLoop()
    boards.push(found(await findLeaderboard(reader, viewer, { run_id, by })))
  }
  return boards
}

/** The next block of cases, in full and as rows. `cursor` is where the following one begins, null after the last. */
const readBlock = async (
  { reader, documents, viewer }: SharedReads,
  run: Run,
  parts: SharedParts,
  cursor: string | undefined,
) => {
  const page = found(await readCases(reader, documents, viewer, run, {}, { limit: MAX_BLOCK_CASES, cursor }))
  const rows: SharedRow[] = []
  const texts: string[] = []
  let characters = 0
  let isCut = false
  for (const row of page.rows) {
    const normal = await readNormalCaseAt(documents, { ...row, run_no: run.run_no })
    let isCaseCut = false
    const text = JSON.stringify(sharedCase(normal, parts, () => (isCaseCut = true)))
    if (texts.length > 0 && characters + text.length > MAX_BLOCK_CHARACTERS)
      return { rows, texts, isCut, cursor: String(row.n - 1) }
    isCut ||= isCaseCut
    characters += text.length
    texts.push(text)
    // A name that was made from variables would reveal them.
    const own = parts.without.has('vars') && { name: normal.name ?? null }
    rows.push({ ...listed(row, parts), ...own, tags: [...new Set(normal.tags ?? [])] })
  }
  return { rows, texts, isCut, cursor: page.next_cursor }
}

/** A row of the list without the texts of parts that are left out. */
const listed = (row: Row, parts: SharedParts): CaseListRow => {
  const item = JSON.parse(listItemWithLines(row)) as CaseListRow
  return {
    ...item,
    ...(parts.without.has('outputs') ? { output_preview: null, call: null } : {}),
    ...(hasAssertionTexts(parts) ? {} : { reason: null }),
  }
}

/** Names are left out if they may show variables. The page then has those of the rows. */
const readMatrix = async (
  { reader, viewer }: SharedReads,
  { id, run_no }: Run,
  isUnnamed: boolean,
): Promise<SharedMatrix> => {
  const order = found(await findMatrixOrder(reader, viewer, id))
  const pages = await Promise.all(
    MATRIX_VALUES.map(async (value) => {
      const rows: Array<MatrixRows['rows'][number]> = []
      for (let cursor: string | undefined; ;) {
        const asked = { run_id: id, run_no, order, value, sort: 'document', limit: ROWS_PER_QUERY, cursor } as const
        const page = found(await listMatrixPage(reader, viewer, asked))
        rows.push(...page.rows)
        await yieldToEventLoop()
        if (page.next_cursor === null) return rows
        cursor = page.next_cursor
      }
    }),
  )
  const [first = []] = pages
  if (first.length !== rowsIn(order, { value: 'score', sort: 'document' }).length)
    throw new DocumentDeleted('the matrix was changed while it was read')
  return {
    order: Array.from(order, (number) => (Number.isNaN(number) ? null : number)),
    rows: first.map(({ test_id, name, cells }, n) => ({
      test_id,
      name: isUnnamed ? null : name,
      cells: cells.map(
        (cell, column) =>
          cell && {
            values: pages.map((rows) => rows[n]?.cells[column]?.value ?? null),
            passed: cell.passed,
            failed: cell.failed,
            total: cell.total,
            case_key: cell.case_key,
          },
      ),
    })),
  }
}

/** Plans are known to the store alone. */
const withoutPlans = ({ base, head, ...statistics }: ComparisonStatistics): ComparisonStatistics => ({
  base: { ...base, plan_id: null },
  head: { ...head, plan_id: null },
  ...statistics,
})

type SharedPair = Omit<ComparedPair, 'base' | 'head'> & { readonly base: Run; readonly head: Run }
const swapped = ({ base, head, base_column, head_column }: SharedPair): SharedPair => ({
  ...{ base: head, head: base },
  ...{ base_column: head_column, head_column: base_column },
})

/** The comparison of two runs, or of a column of each. Names are left out if they may show variables. */
const readComparison = async (
  { reader, documents, viewer }: SharedReads,
  { base, head, base_column, head_column }: SharedPair,
  without: ReadonlySet<SharedPart>,
): Promise<SharedComparison> => {
  const pair = { base: base.id, head: head.id, base_column, head_column }
  const statistics = await findComparisonStatistics(reader, documents, viewer, { ...pair, cluster_by: { by: 'test' } })
  await yieldToEventLoop()
  const order = found(await findComparedOrder(reader, viewer, pair))
  await yieldToEventLoop()
  const groups = found(await findComparedGroups(reader, viewer, { ...pair, by: 'tag' }))
  const cases: Array<ComparedCases['cases'][number]> = []
  for (let cursor: string | undefined; ;) {
    const numbers = { base: base.id, head: head.id, base_no: base.run_no, head_no: head.run_no }
    const asked = { ...numbers, order, filter: 'all', cursor, limit: ROWS_PER_QUERY } as const
    const page: ComparedCases = found(await listComparedCases(reader, viewer, asked))
    cases.push(
      ...page.cases.map((item) => ({
        ...item,
        ...(without.has('vars') ? { name: null } : {}),
        // The name of an assertion is one of its criteria.
        ...(without.has('outputs') || without.has('vars')
          ? { flips: item.flips.map((flip) => ({ ...flip, name: null })) }
          : {}),
      })),
    )
    // Other reads of this thread go on meanwhile: here, and wherever a part is made of several reads.
    await yieldToEventLoop()
    if (page.next_cursor === null)
      return {
        ...{ base: base.id, head: head.id },
        base_column: base_column ? columnText(base_column) : null,
        head_column: head_column ? columnText(head_column) : null,
        statistics: withoutPlans(found(statistics)),
        cases: { ...page, cases },
        groups: { ...groups, fields: groups.fields.filter(({ field }) => field === 'tag') },
      }
    cursor = page.next_cursor
  }
}
