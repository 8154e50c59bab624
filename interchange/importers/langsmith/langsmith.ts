import { newLosses, type Losses } from '../../document/losses.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { readTimeMs } from '../../document/time/times.ts'
import { lookAt, type Look } from '../../read/look.ts'
import { records, shownRecords, storedJson, type JsonRecord } from '../../read/rows/records.ts'
import { openRowStore, type RowStore } from '../../read/rows/row-store.ts'
import { rowOf } from '../../read/row.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { isFetchedPage, listFacts, namedFiles, objectIn, otherPages, jsonFiles } from '../pages.ts'
import { langsmithCase } from './cases.ts'
import { langsmithEvidence } from './transcript.ts'
import { textAt } from '../../read/members.ts'

/** The member of a page of the API that holds its runs. */
const PAGE = 'runs'

const has = (item: JsonRecord | undefined, keys: readonly string[]): boolean =>
  item !== undefined && keys.every((key) => Object.hasOwn(item, key))

/** A page of the steps in runs, as `ers fetch` names it. */
const isStepsPage = (look: Look): boolean => isFetchedPage(look, 'steps', PAGE)

const langsmithPart = (look: Look): 'runs' | 'feedback' | 'examples' | null => {
  if (look.kind !== 'lines' && look.kind !== 'json') return null
  const [item] = shownRecords(look, PAGE)
  if (has(item, ['session_id', 'reference_example_id', 'run_type'])) return 'runs'
  if (has(item, ['run_id', 'key', 'score', 'feedback_source'])) return 'feedback'
  if (has(item, ['id', 'dataset_id', 'inputs', 'outputs'])) return 'examples'
  if (isFetchedPage(look, 'runs', PAGE) || isStepsPage(look)) return 'runs'
  return isFetchedPage(look, 'examples', null) ? 'examples' : isFetchedPage(look, 'feedback', null) ? 'feedback' : null
}

/** What `ers fetch` writes about the experiment and its dataset. */
const SESSION_FILE = 'session.json'
const DATASET_FILE = 'dataset.json'

/** Whether a file describes an experiment, or a dataset. */
const isDescription = ({ kind, keys }: Look): boolean =>
  kind === 'json' &&
  (['id', 'name', 'reference_dataset_id', 'start_time'].every((key) => keys.has(key)) ||
    ['id', 'name', 'data_type', 'session_count'].every((key) => keys.has(key)))

const detect = (look: Look): Claim | null => {
  const part = langsmithPart(look)
  if (part === null) return isDescription(look) ? { reason: 'a session or a dataset', isCompanion: true } : null
  if (isStepsPage(look)) return { reason: 'steps of runs', isCompanion: true }
  if (part === 'runs') return { reason: 'keys session_id, reference_example_id, run_type' }
  return { reason: part === 'feedback' ? 'feedback of runs' : 'examples of a dataset', isCompanion: true }
}

const sessionOf = (look: Look): unknown => shownRecords(look, PAGE)[0]?.['session_id']

/** The other pages of the runs, and the feedback and the examples of the same folder. Each is optional. */
const companions = async (file: SourceFile, look: Look, folder: Folder): Promise<readonly SourceFile[]> => {
  const session = sessionOf(look)
  const pages = await otherPages(
    file,
    folder,
    (other) => langsmithPart(other) === 'runs' && (sessionOf(other) === session || isFetchedPage(other, 'runs', PAGE)),
  )
  const parts = await jsonFiles(folder, (other) => ['feedback', 'examples'].includes(langsmithPart(other) ?? ''))
  const steps = await jsonFiles(folder, isStepsPage)
  return [...pages, ...steps, ...(await namedFiles(folder, [SESSION_FILE, DATASET_FILE])), ...parts]
}

/** The runs by session and example, in the order of their start; feedback by run, and examples by id. */
type Stores = {
  readonly runs: RowStore
  readonly feedback: RowStore
  readonly examples: RowStore
  /** The steps of runs, by the run that they are in; null if no evidence is kept. */
  readonly steps: RowStore | null
  readonly roots: Set<string>
  /** How much feedback each session has. */
  readonly feedbackCounts: Map<string, number>
}

const open: Importer['open'] = async function* (
  { file, look, companions: others },
  options,
): AsyncGenerator<SourceRun> {
  using runs = openRowStore()
  using feedback = openRowStore()
  using examples = openRowStore()
  using steps = options.evidence === undefined ? null : openRowStore()
  const stores: Stores = { runs, feedback, examples, steps, roots: new Set(), feedbackCounts: new Map() }
  const reading = newLosses()
  const list = listFacts({ cursors: ['cursors.next'] })
  let count = await fill(stores, file, look, reading, list.add)
  const about = { session: await objectIn(others, SESSION_FILE), dataset: await objectIn(others, DATASET_FILE) }
  for (const other of others) {
    const shown = await lookAt(other)
    const part = langsmithPart(shown)
    if (part === 'runs') count += await fill(stores, other, shown, reading, list.add)
    else if (part !== null) await fill(stores, other, shown, reading)
  }
  list.compare(count, reading)
  for (const trace of steps?.runs() ?? [])
    if (!stores.roots.has(trace))
      for (const { body } of steps?.allOf(trace) ?? [])
        reading.add('left_out', '(child runs)', storedJson(body), 'a step of a run of no example')
  for (const session of stores.runs.runs())
    yield sessionRun(session, stores, about.session?.['id'] === session ? about : NOTHING, options, reading)
}

/** The experiment and its dataset, as files describe them. */
type About = { readonly session: JsonRecord | null; readonly dataset: JsonRecord | null }

const NOTHING: About = { session: null, dataset: null }

const sessionRun = (
  session: string,
  { runs, feedback, examples, steps, feedbackCounts }: Stores,
  about: About,
  options: ImportOptions,
  reading: Losses,
): SourceRun => {
  let times = timeRange()
  let [dataset, revision]: (string | null)[] = [null, null]
  return {
    part: session,
    identity: session,
    cases: async function* (losses) {
      // LangSmith writes times in UTC, without a zone.
      times = timeRange({ ...options, timeZone: 'UTC' }, losses)
      losses.addAll(reading.all())
      let read = 0
      for (const { cell, body } of runs.rowsOf(session)) {
        const row = rowOf(storedJson(body), '*')
        times.add(row.peek('start_time'), row.peek('end_time'))
        const [example] = examples.allOf(cell).map((stored) => storedJson(stored.body))
        const id = row.peek('id')
        const given = feedback.allOf(typeof id === 'string' ? id : '').map((stored) => storedJson(stored.body))
        read += given.filter(({ session_id }) => session_id === session).length
        const found = langsmithCase(row, given, example ?? null, losses)
        dataset ??= found.dataset
        revision ??= found.revision
        const root = steps && storedJson(body)
        const inside = steps?.allOf(traceOf(storedJson(body))).map((stored) => storedJson(stored.body)) ?? []
        yield { ...found.draft, evidence: root && langsmithEvidence(root, inside) }
      }
      const others = (feedbackCounts.get(session) ?? 0) - read
      if (others > 0)
        losses.addBytes('left_out', '(feedback)', 0, `${others} on steps of runs, or on runs of no example`)
    },
    head: () => ({
      suite: textAt(about.dataset, 'name') ?? dataset ?? null,
      description: textAt(about.session, 'description') ?? textAt(about.session, 'name'),
      ...(about.session !== null && {
        rest: { session: about.session, ...(about.dataset && { dataset: about.dataset }) },
      }),
      startedAt: times.first(),
      finishedAt: times.last(),
      git: { commit: revision ?? null },
    }),
  }
}

/** The trace of a root run, which is itself if it names none. */
const traceOf = (item: JsonRecord): string => textAt(item, 'trace_id') ?? textAt(item, 'id') ?? ''

/** Returns the number of rows of the file. */
const fill = async (
  stores: Stores,
  file: SourceFile,
  look: Look,
  losses: Losses,
  onPage?: (rest: JsonRecord) => void,
): Promise<number> => {
  const part = langsmithPart(look)
  let number = 0
  for await (const item of records(file, look.kind, PAGE, losses, onPage)) {
    number += 1
    const text = (key: string): string => (typeof item[key] === 'string' ? item[key] : '')
    if (part === 'feedback') {
      stores.feedback.add(text('run_id'), '', number, JSON.stringify(item))
      const session = text('session_id')
      stores.feedbackCounts.set(session, (stores.feedbackCounts.get(session) ?? 0) + 1)
    } else if (part === 'examples') stores.examples.add(text('id'), '', number, JSON.stringify(item))
    else if (text('parent_run_id') !== '' && stores.steps !== null && text('trace_id') !== '')
      stores.steps.add(text('trace_id'), '', number, JSON.stringify(item))
    else if (text('parent_run_id') !== '') losses.add('left_out', '(child runs)', item, 'a step of a run')
    else if (text('reference_example_id') === '') losses.add('left_out', '(traces)', item, 'a run of no example')
    else if (text('session_id') === '') losses.add('left_out', '(runs)', item, 'a run of no experiment')
    else {
      // Runs of one example are trials in the order of their start.
      const start = readTimeMs(text('start_time'))
      stores.roots.add(traceOf(item))
      stores.runs.add(
        text('session_id'),
        text('reference_example_id'),
        Number.isNaN(start) ? number : start,
        JSON.stringify(item),
      )
    }
  }
  return number
}

/** Reads experiments of LangSmith: their runs, with feedback and examples of the same folder. */
export const langsmith: Importer = {
  format: 'langsmith',
  converter: 2,
  hasTranscripts: true,
  reads:
    'runs of an experiment of LangSmith as JSON lines, a list or pages of its API, with feedback and examples in the same folder',
  detect,
  companions,
  open,
}
