import { serialize } from 'node:v8'
import type { CacheFilters } from '../domain/cache/listing.ts'
import type { ReadObject } from '../storage/objects/object-store.ts'
import type { Reader } from '../storage/storage.ts'
import { answerToolCall, type ToolCall } from './agents/answer.ts'
import type { ToolContext } from './agents/tool.ts'
import { findCacheEntry } from './cache/entry.ts'
import { listCacheFacets } from './cache/facets.ts'
import type { CacheOrder } from './cache/item.ts'
import { listCacheEntries } from './cache/list.ts'
import { findCacheReuse } from './cache/reuse.ts'
import { listCacheRuns } from './cache/runs.ts'
import { listMissing } from './evidence/staged.ts'
import { readAgreement } from './reviews/agreement.ts'
import { findCalibration, type CalibrationRequest } from './reviews/calibration.ts'
import { findComparedCalibration } from './reviews/compared-calibration.ts'
import { findSuiteJudges } from './reviews/judges.ts'
import { findImportCases, type ImportCasesRequest } from './reviews/import-cases.ts'
import { readLabelTable, type LabelFormat, type LabelWriters } from './reviews/label-rows.ts'
import { listMyQueues, readMyItems } from './reviews/my-items.ts'
import { listReviewQueues, type Page as QueuePage, type QueueFilters } from './reviews/queues.ts'
import { drawReviewSample, type SampleRequest } from './reviews/sample.ts'
import { findCaseInSuite } from './cases/case-in-suite.ts'
import { findCaseFields, type CaseFieldsRequest } from './cases/case-fields.ts'
import { listCaseRows, type RowsRequest } from './cases/case-rows.ts'
import { findNearestRun } from './runs/nearest-run.ts'
import { findPreviousRun } from './runs/previous-run.ts'
import { findCaseInRun, listCases, readCaseAt, type CaseFilters } from './cases/cases.ts'
import { listRunChanges } from './runs/run-changes.ts'
import { findRun } from './runs/run.ts'
import { startComparison, continueComparison, type ComparisonPosition } from './runs/compare.ts'
import { findConfig, findConfigs } from './runs/config.ts'
import { findDistribution } from './cases/distribution.ts'
import { findFlakiness } from './cases/flakiness.ts'
import { findGrid, type GridFilters } from './cases/grid.ts'
import { deletedAsNull, type DocumentReader } from './runs/documents.ts'
import type { ClusterBy } from './statistics/clusters.ts'
import { listComparedCases } from './statistics/compared-cases.ts'
import { findComparedGroups, type ComparedGroupsRequest } from './statistics/compared-groups.ts'
import { findComparedOrder } from './statistics/compared-order.ts'
import { findComparisonStatistics } from './statistics/comparison-statistics.ts'
import { findLeaderboard, type LeaderboardRequest } from './statistics/leaderboard.ts'
import { compareMany, type RowFilter } from './statistics/many-runs.ts'
import type { ComparedPair } from './statistics/outcomes.ts'
import { findTestOutputs } from './statistics/outputs.ts'
import { findRunStatistics } from './statistics/run-statistics.ts'
import { findTrend } from './statistics/trend.ts'
import { startMatrix, continueMatrix, type MatrixPosition } from './cases/matrix.ts'
import { findMatrixOrder } from './cases/matrix-order.ts'
import { listMatrixPage } from './cases/matrix-rows.ts'
import { exportRun, type Exporters } from './export/export-run.ts'
import { inParts, type AnswerPart, type AnswerPosition } from './parts.ts'
import {
  continueCasesCsv,
  continueRunsCsv,
  startCasesCsv,
  startRunsCsv,
  type CasesCsvRequest,
  type CsvPosition,
  type RunsCsvRequest,
} from './csv.ts'
import { findPartBytes } from './evidence/part-bytes.ts'
import type { CaseOrder } from './cases/sorted-cases.ts'
import { listRunsBy, type Cached, type RunFilters } from './runs/run-list.ts'
import type { RunOrder } from './runs/sorted-runs.ts'
import { searchCases, type CaseSearchRequest } from './search/case-search.ts'
import { searchComments, type CommentSearchRequest } from './search/comment-search.ts'
import { searchRuns, type RunSearchRequest } from './search/run-search.ts'
import { searchAll } from './search/search.ts'
import { continueShared, startShared, type SharedPosition, type SharedRequest } from './share/shared-file.ts'
import { findScore } from './sets/badge.ts'
import { findInTranscript } from './transcripts/find.ts'
import { readEvents } from './transcripts/list-events.ts'
import { readOutline } from './transcripts/list-outline.ts'
import { makeOutlineStep } from './transcripts/make-outline.ts'
import { readTranscript } from './transcripts/summary.ts'
import { findTranscript, type TranscriptName, unlessDeleted } from './transcripts/transcript.ts'
import type { Suite } from './sets/baselines.ts'
import { readSuiteStates } from './sets/suite-states.ts'
import { findStoreFacts, type ModelVersion } from './server.ts'
import { findRunOutcome, type OutcomeRequest } from './webhooks/outcome.ts'
import { findProjectSet, listProjects, listProjectSets, listSuites } from './sets/sets.ts'
import { listAllKeys, type KeyFilters, type KeyOrder } from './access/all-keys.ts'
import type { Viewer } from './access/viewer.ts'
import { isStillAllowed } from './access/current-access.ts'

type MatrixRequest = { readonly run_id: string; readonly limit: number; readonly cursor?: string | undefined }

type Context = {
  readonly reader: Reader
  readonly cache: Reader
  readonly documents: DocumentReader
  readonly exporters: Exporters
  readonly labelWriters: LabelWriters
  readonly readObject: ReadObject
  readonly viewer: Viewer
}

/**
 * The reads that can be long, by name. A reader thread runs them. They return finished JSON text or its start, or null
 * if nothing was found.
 */
export const longReads = {
  case: async ({ reader, documents, viewer }: Context, { run_id, case_key }: { run_id: string; case_key: string }) => {
    const place = await findCaseInRun(reader, viewer, run_id, case_key)
    return place && readCaseAt(documents, place)
  },

  caseInSuite: ({ reader, documents, viewer }: Context, asked: { run_id: string; case_key: string }) =>
    findCaseInSuite(reader, documents, viewer, asked),

  cases: async (
    { reader, documents, viewer }: Context,
    {
      run_id,
      filters,
      order,
      ...page
    }: { run_id: string; filters: CaseFilters; order: CaseOrder; limit: number; cursor?: string | undefined },
  ) => {
    const run = await reader.read(findRun(viewer, run_id))
    return run && listCases(reader, documents, viewer, run, filters, page, order)
  },

  caseRows: async (
    { reader, documents, viewer }: Context,
    { run_id, ...asked }: RowsRequest & { readonly run_id: string },
  ) => {
    const run = await reader.read(findRun(viewer, run_id))
    return run && listCaseRows(reader, documents, viewer, run, asked)
  },

  caseFields: async (
    { reader, documents, viewer }: Context,
    { run_id, ...asked }: CaseFieldsRequest & { readonly run_id: string },
  ) => asText(await findCaseFields(reader, documents, viewer, run_id, asked)),

  previous: async ({ reader, viewer }: Context, { run_id }: { run_id: string }) =>
    asText(await findPreviousRun(reader, viewer, run_id)),

  runChanges: async ({ reader, viewer }: Context, { runs }: { readonly runs: readonly string[] }) =>
    asText(await listRunChanges(reader, viewer, runs)),

  suiteJudges: async ({ reader, viewer }: Context, suite: Suite) =>
    asText(await findSuiteJudges(reader, viewer, suite)),

  reviewSample: async ({ reader, viewer }: Context, asked: SampleRequest) =>
    asText(await drawReviewSample(reader, viewer, asked)),

  importCases: async ({ reader, documents, viewer }: Context, asked: ImportCasesRequest) =>
    asText(await findImportCases(reader, documents, viewer, asked)),

  partBytes: async ({ reader }: Context, _: Record<never, never>) => asText(await reader.read(findPartBytes)),

  missingParts: async ({ reader, viewer }: Context, { sha256 }: { readonly sha256: readonly string[] }) =>
    asText({ missing: await reader.read(listMissing(viewer, sha256)) }),

  transcript: async ({ reader, viewer }: Context, asked: TranscriptName) =>
    asText(await readTranscript(reader, viewer, asked)),

  transcriptOutline: async ({ reader, viewer }: Context, asked: Parameters<typeof readOutline>[2]) =>
    asText(await readOutline(reader, viewer, asked)),

  transcriptEvents: (context: Context, asked: Parameters<typeof readEvents>[2]) =>
    unlessDeleted(context, context.viewer, asked, () => readEvents(context, context.viewer, asked)),

  transcriptMatches: async (context: Context, asked: Parameters<typeof findInTranscript>[2]) =>
    asText(await unlessDeleted(context, context.viewer, asked, () => findInTranscript(context, context.viewer, asked))),

  /** What the next step of an outline stores, for `storeOutline`. */
  outlineStep: async (context: Context, asked: TranscriptName) => {
    const part = await context.reader.read(findTranscript(context.viewer, asked))
    const step = part && (await unlessDeleted(context, context.viewer, asked, () => makeOutlineStep(context, part)))
    return step && new Uint8Array(serialize(step))
  },

  reviewQueues: async (
    { reader, viewer }: Context,
    { filters, page }: { readonly filters: QueueFilters; readonly page: QueuePage },
  ) => asText(await listReviewQueues(reader, viewer, filters, page)),

  myReviewQueues: async ({ reader }: Context, { user_id }: { readonly user_id: string }) =>
    asText(await listMyQueues(reader, user_id)),

  reviewItems: async (
    { reader, documents, viewer }: Context,
    asked: { readonly queue_id: string; readonly ns: readonly number[] },
  ) => asText({ items: await readMyItems(reader, documents, viewer, asked) }),

  /** Of a queue that is closed, and that the caller may see. */
  reviewAgreement: async ({ reader }: Context, { queue_id }: { readonly queue_id: string }) =>
    asText(await readAgreement(reader, queue_id)),

  /** The labels of such a queue. */
  labelExport: async (
    { reader, labelWriters }: Context,
    { queue_id, format }: { readonly queue_id: string; readonly format: LabelFormat },
  ) => labelWriters[format](await readLabelTable(reader, queue_id)),

  calibration: async (
    { reader, documents, viewer }: Context,
    asked: CalibrationRequest & { readonly run_id: string },
  ) => asText(await findCalibration({ reader, documents, viewer }, asked)),

  comparedCalibration: async (
    { reader, documents, viewer }: Context,
    asked: CalibrationRequest & { readonly base: string; readonly head: string },
  ) => asText(await findComparedCalibration({ reader, documents, viewer }, asked)),

  runOutcome: async ({ reader, viewer }: Context, asked: OutcomeRequest) =>
    asText(await findRunOutcome(reader, viewer, asked)),

  casesCsv: inParts<Context, CasesCsvRequest, CsvPosition>({
    begin: ({ reader, viewer }, asked) => startCasesCsv(reader, viewer, asked),
    part: ({ reader, documents, viewer }, asked, from) => continueCasesCsv(reader, documents, viewer, asked, from),
  }),

  sortedRuns: (
    { reader, viewer }: Context,
    { filters, order, ...page }: { filters: RunFilters; order: RunOrder; limit: number; cursor?: string | undefined },
  ) => listRunsBy(reader, viewer, filters, order, page),

  runsCsv: inParts<Context, RunsCsvRequest, CsvPosition>({
    begin: async () => startRunsCsv(),
    part: ({ reader, viewer }, asked, from) => continueRunsCsv(reader, viewer, asked, from),
  }),

  /** A run in another format, in parts. */
  exportRun,

  /** The data of a page that is one file, in parts. */
  share: inParts<Context, SharedRequest, SharedPosition>({ begin: startShared, part: continueShared }),

  config: ({ reader, viewer }: Context, { run_id }: { run_id: string }) => findConfig(reader, viewer, run_id),

  distribution: async ({ reader, viewer }: Context, { run_id }: { run_id: string }) =>
    asText(await findDistribution(reader, viewer, run_id)),

  matrix: inParts<Context, MatrixRequest, MatrixPosition>({
    begin: ({ reader, viewer }, asked) => startMatrix(reader, viewer, asked),
    part: ({ reader, viewer }, asked, from) => continueMatrix(reader, viewer, asked, from),
  }),

  matrixOrder: async ({ reader, viewer }: Context, { run_id }: { run_id: string }) =>
    asBytes(await findMatrixOrder(reader, viewer, run_id)),

  matrixRows: async ({ reader, viewer }: Context, asked: Parameters<typeof listMatrixPage>[2]) =>
    asText(await listMatrixPage(reader, viewer, asked)),

  compare: inParts<Context, { base: string; head: string }, ComparisonPosition>({
    begin: ({ reader, viewer }, asked) => startComparison(reader, viewer, asked),
    part: ({ reader, viewer }, asked, from) => continueComparison(reader, viewer, asked, from),
  }),

  runStatistics: async (
    { reader, documents, viewer }: Context,
    asked: { run_id: string; k?: number | undefined; cluster_by: ClusterBy },
  ) => asText(await findRunStatistics(reader, documents, viewer, asked)),

  compareStatistics: async ({ reader, documents, viewer }: Context, asked: ComparedPair & { cluster_by: ClusterBy }) =>
    asText(await findComparisonStatistics(reader, documents, viewer, asked)),

  leaderboard: async ({ reader, viewer }: Context, asked: LeaderboardRequest) =>
    asText(await findLeaderboard(reader, viewer, asked)),

  comparedConfigs: ({ reader, viewer }: Context, asked: { base: string; head: string }) =>
    findConfigs(reader, viewer, asked),

  nearestRun: async ({ reader, viewer }: Context, asked: { base: string; head: string }) =>
    asText(await findNearestRun(reader, viewer, asked)),

  comparedCases: async ({ reader, viewer }: Context, asked: Parameters<typeof listComparedCases>[2]) =>
    asText(await listComparedCases(reader, viewer, asked)),

  comparedGroups: async ({ reader, viewer }: Context, asked: ComparedGroupsRequest) =>
    asText(await findComparedGroups(reader, viewer, asked)),

  comparedOrder: async ({ reader, viewer }: Context, asked: ComparedPair) =>
    asBytes(await findComparedOrder(reader, viewer, asked)),

  compareMany: async (
    { reader, viewer }: Context,
    asked: { runs: readonly string[]; base: string; filter: RowFilter; limit: number; cursor?: string | undefined },
  ) => asText(await compareMany(reader, viewer, asked)),

  testOutputs: async (
    { reader, documents, viewer }: Context,
    asked: {
      runs: readonly string[]
      test_id: string
      against_run?: string | undefined
      against?: string | undefined
      cases?: readonly string[] | undefined
    },
  ) => asText(await findTestOutputs(reader, documents, viewer, asked)),

  trend: async ({ reader, viewer }: Context, asked: { project: string; suite: string; branch?: string | undefined }) =>
    asText(await findTrend(reader, viewer, asked)),

  runScore: async ({ reader, viewer }: Context, { run_id }: { run_id: string }) =>
    asText(await reader.read(findScore(viewer, run_id))),

  cacheEntries: async (
    { cache }: Context,
    {
      filters,
      order,
      ...page
    }: { filters: CacheFilters; order: CacheOrder; limit: number; cursor?: string | undefined },
  ) => asText(await listCacheEntries(cache, filters, order, page)),

  cacheEntry: async ({ cache }: Context, asked: { key: string; raw: boolean }) =>
    asText(await findCacheEntry(cache, asked)),

  cacheFacets: async ({ cache }: Context, _: Record<never, never>) => asText(await listCacheFacets(cache)),

  cacheReuse: async ({ reader, viewer }: Context, asked: { days: number; now: number }) =>
    asText(await reader.read(findCacheReuse(viewer, asked))),

  cacheRuns: async (
    { reader, viewer }: Context,
    { key, ...page }: { key: string; limit: number; cursor?: string | undefined },
  ) => asText(await listCacheRuns(reader, viewer, key, page)),

  searchCases: async ({ reader, documents, viewer }: Context, asked: CaseSearchRequest) =>
    asText(await searchCases(reader, documents, viewer, asked)),

  searchRuns: async ({ reader, viewer }: Context, asked: RunSearchRequest) =>
    asText(await searchRuns(reader, viewer, asked)),

  searchComments: async ({ reader, viewer }: Context, asked: CommentSearchRequest) =>
    asText(await searchComments(reader, viewer, asked)),

  search: async (
    { reader, documents, viewer }: Context,
    asked: { q: string; limit: number; cached?: Cached | undefined },
  ) => asText(await searchAll(reader, documents, viewer, asked)),

  allKeys: async (
    { reader, viewer }: Context,
    { filters, order, ...page }: { filters: KeyFilters; order: KeyOrder; limit: number; cursor?: string | undefined },
  ) => asText(await listAllKeys(reader, viewer, filters, order, page)),

  agentTool: (
    { reader, documents, readObject, viewer }: Context,
    { server, cache, now, ...call }: ToolCall & Pick<ToolContext, 'server' | 'cache' | 'now'>,
  ) => answerToolCall({ reader, documents, readObject, viewer, server, cache, now }, call),

  storeFacts: async ({ reader, cache, viewer }: Context, { models }: { models: readonly ModelVersion[] }) =>
    asText(await findStoreFacts(reader, cache, viewer, models)),

  projects: async ({ reader, viewer }: Context, _: Record<never, never>) =>
    asText(await reader.read(listProjects(viewer))),

  projectSets: async ({ reader, viewer }: Context, _: Record<never, never>) =>
    asText(await listProjectSets(reader, viewer)),

  projectSet: async ({ reader, viewer }: Context, { project }: { project: string }) =>
    asText(await findProjectSet(reader, viewer, project)),

  grid: async (
    { reader, viewer }: Context,
    { suite, filters, ...page }: { suite: Suite; filters: GridFilters; limit: number; cursor?: string | undefined },
  ) => asText(await findGrid(reader, viewer, suite, filters, page)),

  suiteStates: async ({ reader, viewer }: Context, { keys }: { keys: readonly string[] }) =>
    asText(await readSuiteStates(reader, viewer, keys)),

  flakiness: async ({ reader, viewer }: Context, asked: Suite & { window: number; branch?: string | undefined }) =>
    asText(await findFlakiness(reader, viewer, asked)),

  suites: async ({ reader, viewer }: Context, { project }: { project: string }) =>
    asText(await listSuites(reader, viewer, project)),
}

export type LongReadName = keyof typeof longReads

type ArgumentsOf<R> = R extends (context: Context, args: infer Arguments, from: AnswerPosition | null) => unknown
  ? Arguments
  : never

/**
 * A finished response: JSON text, with its ETag if the reader thread hashed it. A long response has a `rest`: `next`
 * builds the next part, or returns null if the run was deleted meanwhile. `memoryBytes` is the number of bytes of memory that
 * the positions of the parts need.
 */
export type LongReadAnswer = {
  readonly body: string | Uint8Array
  readonly etag: string | null
  readonly rest?: { readonly memoryBytes: number; readonly next: () => Promise<LongReadAnswer | null> }
}

export type LongRead<Arguments> = (
  viewer: Viewer,
  args: Arguments,
  signal?: AbortSignal,
) => Promise<LongReadAnswer | null>

/** Mapped over a type parameter, so that an editor goes from `longReads.cases` to the read itself. */
type LongReadsOf<Reads> = { readonly [N in keyof Reads]: LongRead<ArgumentsOf<Reads[N]>> }

/** Runs long reads outside of the main thread. If a read is aborted before it starts, it does not start. */
export type LongReads = LongReadsOf<typeof longReads>

/** What one call of a reader returns: a whole response, or a part of it and the position of the next part. */
export type LongReadStep = {
  readonly body: string | Uint8Array
  readonly etag: string | null
  readonly resumed: AnswerPosition | null
}

/** The reads, as one that gets its name and its arguments from another thread calls them. */
const steps: Readonly<
  Record<
    LongReadName,
    (context: Context, args: never, from: AnswerPosition | null) => Promise<string | Uint8Array | AnswerPart | null>
  >
> = longReads

/** Runs one step of a read in this thread. A later step returns null if the viewer has lost access. */
export const runLongReadStep = async (
  context: Context,
  name: LongReadName,
  args: never,
  from: AnswerPosition | null = null,
): Promise<LongReadStep | null> => {
  if (from && !(await isStillAllowed(context.reader, context.viewer))) return null
  const result = await steps[name](context, args, from).catch(deletedAsNull)
  if (result === null) return null
  if (typeof result === 'string' || result instanceof Uint8Array) return { body: result, etag: null, resumed: null }
  const { text, etag, memoryBytes, next } = result
  return { body: text, etag, resumed: next === null ? null : { etag, memoryBytes, next } }
}

const asBytes = (numbers: { readonly buffer: ArrayBufferLike } | null): Uint8Array | null =>
  numbers && new Uint8Array(numbers.buffer)
const asText = (body: unknown): string | null => (body === null ? null : JSON.stringify(body))
