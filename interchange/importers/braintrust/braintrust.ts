import { sha256OfStream } from '../../document/identity.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { timeRange } from '../../document/time/time-range.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Look } from '../../read/look.ts'
import { records, shownRecords, storedJson, type JsonRecord } from '../../read/rows/records.ts'
import { openRowStore, type RowStore, type StoredRow } from '../../read/rows/row-store.ts'
import { jsonOrText } from '../../read/json/inner-json.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, RunHead, SourceRun } from '../importer.ts'
import { isFetchedPage, namedFiles, objectIn, otherPages, experimentHead } from '../pages.ts'
import { sampleOf } from '../table/sample.ts'
import { tableRows } from '../table/rows.ts'
import { braintrustCase } from './cases.ts'
import { textAt } from '../../read/members.ts'

/** Pages of the API have their events in this list. */
const PAGE = 'events'

const isEvent = (keys: readonly string[]): boolean =>
  keys.includes('_xact_id') && ['root_span_id', 'span_id', 'experiment_id'].some((key) => keys.includes(key))

const detect = (look: Look): Claim | null => {
  const reason = 'keys _xact_id, root_span_id'
  if (look.kind === 'text') {
    const columns = Object.keys(sampleOf(look)?.first ?? {})
    return isEvent(columns) ? { reason: 'columns _xact_id, root_span_id' } : null
  }
  if (look.kind !== 'lines' && look.kind !== 'json') return null
  if (isDescription(look)) return { reason: 'an experiment or a project', isCompanion: true }
  const [item] = shownRecords(look, PAGE)
  if (item !== undefined && isEvent(Object.keys(item))) return { reason }
  return isFetchedPage(look, 'events', PAGE) ? { reason: 'a page of events' } : null
}

/** What `ers fetch` writes about the experiment and its project. */
const EXPERIMENT_FILE = 'experiment.json'
const PROJECT_FILE = 'project.json'

/** Whether a file describes an experiment, or a project. */
const isDescription = ({ kind, keys, name }: Look): boolean =>
  kind === 'json' &&
  ((name === EXPERIMENT_FILE && ['id', 'name', 'project_id', 'public'].every((key) => keys.has(key))) ||
    (name === PROJECT_FILE && ['id', 'name', 'org_id'].every((key) => keys.has(key))))

const braintrustExperiment = (look: Look): unknown => shownRecords(look, PAGE)[0]?.['experiment_id']

/** The other pages of the events, and what describes the experiment. */
const companions = async (file: SourceFile, look: Look, folder: Folder): Promise<readonly SourceFile[]> => {
  if (look.kind !== 'json') return []
  const experiment = braintrustExperiment(look)
  const pages = await otherPages(file, folder, (other) => {
    const [item] = shownRecords(other, PAGE)
    if (isFetchedPage(other, 'events', PAGE)) return true
    return item !== undefined && isEvent(Object.keys(item)) && braintrustExperiment(other) === experiment
  })
  return [...pages, ...(await namedFiles(folder, [EXPERIMENT_FILE, PROJECT_FILE]))]
}

/** The newest version of each root span by experiment, and of the other spans by their root. */
type Stores = {
  readonly all: RowStore
  readonly roots: RowStore
  readonly spans: RowStore
  /** How many spans below a root each experiment has. */
  readonly spanCounts: Map<string, number>
}

const open: Importer['open'] = async function* (
  { file, look, companions: others },
  options,
): AsyncGenerator<SourceRun> {
  using all = openRowStore()
  using roots = openRowStore()
  using spans = openRowStore()
  const stores: Stores = { all, roots, spans, spanCounts: new Map() }
  const reading = newLosses()
  const content = await sha256OfStream(file.bytes())
  let number = 0
  for await (const event of eventsOf(file, look, others, reading)) {
    number += 1
    const [id, experiment] = [event['id'], event['experiment_id']]
    // Versions of one row have the same id.
    stores.all.add(textOr(experiment, ''), textOr(id, `row ${number}`), number, JSON.stringify(event))
  }
  for (const experiment of stores.all.runs()) sortSpans(experiment, stores, reading)
  const about = { experiment: await objectIn(others, EXPERIMENT_FILE), project: await objectIn(others, PROJECT_FILE) }
  const isOne = stores.all.runs().length === 1
  for (const experiment of stores.roots.runs()) {
    const own = about.experiment?.['id'] === experiment ? about : NOTHING
    const isAlone = isOne && (about.experiment === null || own === about)
    yield { ...experimentRun(experiment, { file, content, about: own }, stores, options, reading), isAlone }
  }
}

/** The events of a file and of the other pages. */
const eventsOf = async function* (
  file: SourceFile,
  { kind }: Look,
  others: readonly SourceFile[],
  losses: Losses,
): AsyncGenerator<JsonRecord> {
  yield* kind === 'text' ? csvEvents(file, losses) : records(file, kind, PAGE, losses)
  for (const page of others)
    if (page.name !== EXPERIMENT_FILE && page.name !== PROJECT_FILE) yield* records(page, 'json', PAGE, losses)
}

/** The experiment and its project, as files describe them. */
type About = { readonly experiment: JsonRecord | null; readonly project: JsonRecord | null }

const NOTHING: About = { experiment: null, project: null }

type SourceContent = { readonly file: SourceFile; readonly content: string; readonly about: About }

const experimentRun = (
  experiment: string,
  { file, content, about }: SourceContent,
  { roots, spans, spanCounts }: Stores,
  options: ImportOptions,
  reading: Losses,
): SourceRun => {
  let times = timeRange()
  return {
    part: experiment === '' ? null : experiment,
    identity: experiment === '' ? content : experiment,
    cases: async function* (losses) {
      times = timeRange({ ...options, timeZone: 'UTC' }, losses)
      losses.addAll(reading.all())
      let read = 0
      for (const { body } of roots.rowsOf(experiment)) {
        const event = storedJson(body)
        const root = textOr(event['root_span_id'], '')
        const children = root === '' ? [] : spans.allOf(root).map((stored) => storedJson(stored.body))
        read += children.length
        yield braintrustCase(rowOf(event, '*'), children, times, losses)
      }
      const others = (spanCounts.get(experiment) ?? 0) - read
      if (others > 0) losses.addBytes('left_out', '(spans)', 0, `${others} whose root is not there`)
    },
    // An event has the id of its experiment alone, not its name.
    head: () => ({
      ...describedBy(about),
      suite: textAt(about.project, 'name') ?? file.name.replace(/\.(?:jsonl?|csv)$/i, ''),
      startedAt: times.first(),
      finishedAt: times.last(),
    }),
  }
}

const describedBy = ({ experiment, project }: About): RunHead => {
  if (experiment === null) return {}
  const repository = experiment['repo_info']
  const isDirty = isObject(repository) ? repository['dirty'] : null
  return {
    ...experimentHead(experiment, project === null ? {} : { project }),
    git: {
      commit: textAt(repository, 'commit') ?? textAt(experiment, 'commit'),
      branch: textAt(repository, 'branch'),
      dirty: typeof isDirty === 'boolean' ? isDirty : null,
    },
  }
}

/** Puts the newest version of each row where it is found by its root. Rows that were deleted are left out. */
const sortSpans = (experiment: string, { all, roots, spans, spanCounts }: Stores, losses: Losses): void => {
  let newest: (StoredRow & { readonly event: JsonRecord }) | null = null
  const finish = () => {
    if (newest === null) return
    const { event, cell, number, body } = newest
    if (event['_object_delete'] === true) losses.add('left_out', '(deleted rows)', event, 'deleted in the tool')
    else if (isRoot(event)) roots.add(experiment, cell, number, body)
    else {
      spans.add(textOr(event['root_span_id'], ''), cell, number, body)
      spanCounts.set(experiment, (spanCounts.get(experiment) ?? 0) + 1)
    }
  }
  for (const row of all.rowsOf(experiment)) {
    const event = storedJson(row.body)
    if (newest !== null && newest.cell !== row.cell) {
      finish()
      newest = null
    }
    const isNewer: boolean = newest === null || isGreater(event['_xact_id'], newest.event['_xact_id'])
    const older: JsonRecord | null = isNewer ? (newest?.event ?? null) : event
    if (older !== null) losses.add('left_out', '(older versions)', older, 'an older version of a row')
    if (isNewer) newest = { ...row, event }
  }
  finish()
}

const isRoot = (event: JsonRecord): boolean => {
  if (typeof event['is_root'] === 'boolean') return event['is_root']
  const { root_span_id: root, span_id: span } = event
  return root === undefined || root === null || root === span
}

/** Compares numbers of transactions, which are too large for a double. */
const isGreater = (a: Json | undefined, b: Json | undefined): boolean => {
  const [left, right] = [digitsOf(a), digitsOf(b)]
  return left.length === right.length ? left > right : left.length > right.length
}

const digitsOf = (value: Json | undefined): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '')
  return text.replace(/^0+/, '')
}

const textOr = (value: Json | undefined, other: string): string =>
  typeof value === 'string' && value !== '' ? value : other

/** The rows of a CSV export, whose cells are JSON. */
const csvEvents = async function* (file: SourceFile, losses: Losses): AsyncGenerator<JsonRecord> {
  for await (const { values } of tableRows(file, { format: 'csv' }, losses)) {
    const event: JsonRecord = {}
    for (const [column, value] of Object.entries(values)) event[column] = TEXTS.has(column) ? value : parsed(value)
    yield event
  }
}

/** Columns that are no JSON. */
const TEXTS: ReadonlySet<string> = new Set([
  'id',
  '_xact_id',
  'span_id',
  'root_span_id',
  'experiment_id',
  'project_id',
  'created',
])

const parsed = (value: Json): Json => {
  if (typeof value !== 'string' || !/^(?:[[{"\d-]|true$|false$|null$)/.test(value)) return value
  return jsonOrText(value)
}

/** Reads experiments of Braintrust: the events of its API or its export, as JSON, JSON lines or CSV. */
export const braintrust: Importer = {
  format: 'braintrust',
  converter: 2,
  reads: 'the events of an experiment of Braintrust, as JSON, JSON lines or CSV',
  detect,
  companions,
  open,
}
