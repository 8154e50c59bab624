import { SourceRefused } from '../../document/source-refused.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { lookAt, type Look } from '../../read/look.ts'
import { records, shownRecords, storedJson, type JsonRecord } from '../../read/rows/records.ts'
import { openRowStore, type RowStore } from '../../read/rows/row-store.ts'
import { rowOf, type Row } from '../../read/row.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, RunHead, SourceRun } from '../importer.ts'
import { isFetchedPage, listFacts, objectIn, otherPages, jsonFiles } from '../pages.ts'
import { itemOfRun, itemOfTrace } from './cases.ts'
import { langfuseEvidence } from './transcript.ts'
import { textAt } from '../../read/members.ts'

/** Pages of the API have their rows in this list. */
const PAGE = 'data'
/** A dataset run of version 3 has its items in this one. */
const RUN_PAGE = 'datasetRunItems'
/** The file of such a run, as `ers fetch` calls it. */
const RUN_FILE = 'dataset-run.json'

const pageOf = ({ head, keys }: Look): string => (!Array.isArray(head) && keys.has(RUN_PAGE) ? RUN_PAGE : PAGE)

type Part = 'experiment-items' | 'dataset-run-items' | 'traces' | 'scores' | 'dataset-items'

/** The keys that each part has. */
const PARTS: ReadonlyArray<readonly [Part, readonly string[]]> = [
  ['experiment-items', ['experimentId', 'experimentItemId']],
  ['dataset-run-items', ['datasetRunId', 'datasetItemId', 'traceId']],
  ['scores', ['traceId', 'name', 'value', 'dataType', 'source']],
  ['traces', ['id', 'timestamp', 'input', 'output', 'htmlPath']],
  ['dataset-items', ['id', 'datasetId', 'input', 'expectedOutput']],
]

const langfusePart = (look: Look): Part | null => {
  if (look.kind !== 'lines' && look.kind !== 'json') return null
  const [item] = shownRecords(look, pageOf(look))
  const found = PARTS.find(([, keys]) => item !== undefined && keys.every((key) => Object.hasOwn(item, key)))?.[0]
  if (found !== undefined) return found
  if (/^trace-.*\.json$/.test(look.name) && look.keys.has('id') && look.keys.has('timestamp')) return 'traces'
  return FETCHED.find((name) => isFetchedPage(look, name, PAGE)) ?? null
}

/** The lists that `ers fetch` writes. */
const FETCHED = ['experiment-items', 'dataset-items'] as const

const detect = (look: Look): Claim | null => {
  const part = langfusePart(look)
  if (part === null) return null
  if (part === 'experiment-items') return { reason: 'keys experimentId, experimentItemId' }
  if (part === 'dataset-run-items') return { reason: 'keys datasetRunId, datasetItemId, traceId' }
  // Scores alone, as the blob export has them, hold no cases.
  return { reason: `${part} without the items of a run`, isCompanion: true }
}

const langfuseRun = (look: Look): unknown => {
  const [item] = shownRecords(look, pageOf(look))
  return item?.['experimentId'] ?? item?.['datasetRunId']
}

/**
 * The other pages of the run; and what older versions keep in files of their own, while items of experiments have all of
 * it.
 */
const companions = async (file: SourceFile, look: Look, folder: Folder): Promise<readonly SourceFile[]> => {
  const [wanted, run] = [langfusePart(look), langfuseRun(look)]
  const pages = await otherPages(
    file,
    folder,
    (other) =>
      langfusePart(other) === wanted && (langfuseRun(other) === run || isFetchedPage(other, 'experiment-items', PAGE)),
  )
  if (wanted !== 'dataset-run-items') return pages
  const parts = ['traces', 'scores', 'dataset-items']
  return [...pages, ...(await jsonFiles(folder, (other) => parts.includes(langfusePart(other) ?? '')))]
}

type Stores = { readonly items: RowStore } & Readonly<Record<'traces' | 'scores' | 'dataset-items', RowStore>>

const open: Importer['open'] = async function* (
  { file, look, companions: others },
  options,
): AsyncGenerator<SourceRun> {
  const part = langfusePart(look)
  const shown = await Promise.all(others.map(async (other) => ({ other, look: await lookAt(other) })))
  if (part === 'dataset-run-items' && !shown.some((each) => langfusePart(each.look) === 'traces'))
    throw new SourceRefused(
      'dataset run items need their traces in the same folder, and their scores too if the run has results',
    )
  using items = openRowStore()
  using traces = openRowStore()
  using scores = openRowStore()
  using datasetItems = openRowStore()
  const stores: Stores = { items, traces, scores, 'dataset-items': datasetItems }
  const reading = newLosses()
  const list = listFacts({ total: 'meta.totalItems', cursors: ['meta.cursor', 'meta.nextCursor'] })
  let withoutId = 0
  let count = await fillItems(stores.items, file, look, reading, list.add)
  for (const { other, look: otherLook } of shown) {
    if (langfusePart(otherLook) === part)
      count = await fillItems(stores.items, other, otherLook, reading, list.add, count)
    else withoutId += await fillPart(stores, other, otherLook, reading)
  }
  list.compare(count, reading)
  const described = file.name === RUN_FILE ? await objectIn([file], RUN_FILE) : null
  const runs = stores.items.runs()
  const isAlone = runs.length === 1 && withoutId === 0 && isOfRun(stores, runs[0]!)
  for (const run of runs) {
    const about = described?.['id'] === run ? described : null
    const kind = { isExperiment: part === 'experiment-items', about }
    yield { ...sourceRun(run, stores, kind, options, reading), isAlone }
  }
}

/** Whether the traces, scores and dataset items are all of this run: a folder may have those of other runs too. */
const isOfRun = ({ items, traces, scores, 'dataset-items': datasetItems }: Stores, run: string): boolean => {
  const [ofTraces, ofItems] = [[...traces.runs(), ...scores.runs()], datasetItems.runs()]
  if (ofTraces.length + ofItems.length === 0) return true
  const [ownTraces, ownItems] = [new Set<Json | undefined>(), new Set<Json | undefined>()]
  for (const { body } of items.rowsOf(run)) {
    const item = storedJson(body)
    ownTraces.add(item['traceId'])
    ownItems.add(item['datasetItemId'])
  }
  return ofTraces.every((id) => ownTraces.has(id)) && ofItems.every((id) => ownItems.has(id))
}

/** `about` is the dataset run as its file describes it. */
type Kind = { readonly isExperiment: boolean; readonly about: JsonRecord | null }

const sourceRun = (
  run: string,
  stores: Stores,
  { isExperiment, about }: Kind,
  options: ImportOptions,
  reading: Losses,
): SourceRun => {
  let times = timeRange()
  let head: RunHead = {}
  return {
    part: run,
    identity: run,
    cases: async function* (losses) {
      times = timeRange({ ...options, timeZone: 'UTC' }, losses)
      head = {}
      const config: JsonRecord = {}
      losses.addAll(reading.all())
      for (const { body } of stores.items.rowsOf(run)) {
        const row = rowOf(storedJson(body), '*')
        // Read apart: the members of the case are taken from its own.
        const evidence =
          options.evidence === undefined ? null : langfuseEvidence(storedFor(stores.traces, row, 'traceId')[0] ?? null)
        const found = isExperiment
          ? itemOfRun(row, losses)
          : itemOfTrace(
              row,
              {
                trace: storedFor(stores.traces, row, 'traceId')[0] ?? null,
                item: storedFor(stores['dataset-items'], row, 'datasetItemId')[0] ?? null,
                scores: storedFor(stores.scores, row, 'traceId'),
              },
              losses,
            )
        times.add(found.start, found.end)
        takeConfig(row, config)
        head = { suite: head.suite ?? found.suite, description: head.description ?? found.description }
        yield evidence === null ? found.draft : { ...found.draft, evidence }
      }
      if (about !== null) head = describedBy(about, head)
      head = { ...head, config: Object.keys(config).length === 0 ? null : rowOf(config, '') }
    },
    head: () => ({ ...head, startedAt: times.first(), finishedAt: times.last() }),
  }
}

/** The items of a dataset run are cases: what else it has is about the run as a whole. */
const describedBy = (about: JsonRecord, head: RunHead): RunHead => {
  const { id: _, datasetName, [RUN_PAGE]: __, ...rest } = about
  return {
    ...head,
    suite: textAt({ datasetName }, 'datasetName') ?? head.suite ?? null,
    description: textAt(about, 'description') ?? textAt(about, 'name'),
    rest,
  }
}

/** What every item repeats of its experiment. */
const OF_THE_RUN = [
  'experimentName',
  'experimentMetadata',
  'datasetRunName',
  'environment',
  'experimentDatasetId',
] as const

/** Takes what the item says of its experiment, if it is what the first item said. */
const takeConfig = (row: Row, config: JsonRecord): void => {
  for (const key of OF_THE_RUN) {
    if (!row.has(key)) continue
    if (!Object.hasOwn(config, key)) config[key] = row.peek(key) as JsonRecord[string]
    if (JSON.stringify(config[key]) === JSON.stringify(row.peek(key))) row.take(key)
  }
}

const storedFor = (store: RowStore, row: Row, key: string): readonly JsonRecord[] => {
  const id = row.peek(key)
  return typeof id === 'string' ? store.allOf(id).map(({ body }) => storedJson(body)) : []
}

/** Returns the number of items after those of this file; `before` is that of the files before it. */
const fillItems = async (
  store: RowStore,
  file: SourceFile,
  look: Look,
  losses: Losses,
  onPage: (rest: JsonRecord) => void,
  before = 0,
): Promise<number> => {
  const isExperiment = langfusePart(look) === 'experiment-items'
  const [runKey, itemKey] = isExperiment
    ? (['experimentId', 'experimentItemId'] as const)
    : (['datasetRunId', 'datasetItemId'] as const)
  let number = before
  for await (const item of records(file, look.kind, pageOf(look), losses, onPage)) {
    number += 1
    const [run, datasetItem] = [item[runKey], item[itemKey]]
    if (typeof run !== 'string' || typeof datasetItem !== 'string')
      losses.add('left_out', '*', item, `without ${runKey} or ${itemKey}`)
    // Every item is a case of its own, in the order of the file.
    else store.add(run, String(number), number, JSON.stringify(item))
  }
  return number
}

/** Returns the number of rows without an id. */
const fillPart = async (stores: Stores, file: SourceFile, look: Look, losses: Losses): Promise<number> => {
  const part = langfusePart(look)
  if (part !== 'traces' && part !== 'scores' && part !== 'dataset-items') return 0
  let [number, withoutId] = [0, 0]
  for await (const item of records(file, look.kind, PAGE, losses)) {
    number += 1
    const id = item[part === 'scores' ? 'traceId' : 'id']
    if (typeof id === 'string') stores[part].add(id, '', number, JSON.stringify(item))
    else {
      withoutId += 1
      losses.add('left_out', `(${part})`, item, 'without an id')
    }
  }
  return withoutId
}

/** Reads experiments of Langfuse: items of experiments (version 4), or items of dataset runs with traces and scores. */
export const langfuse: Importer = {
  format: 'langfuse',
  converter: 2,
  hasTranscripts: true,
  reads: 'experiment items of Langfuse, or dataset run items with traces and scores in the same folder',
  detect,
  companions,
  open,
}
