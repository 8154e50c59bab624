import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import { sha256OfStream } from '../../document/identity.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import type { Losses } from '../../document/losses.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { jsonRows } from '../../read/json/json-elements.ts'
import type { Look } from '../../read/look.ts'
import type { Row } from '../../read/row.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Companions, Importer, SourceRun } from '../importer.ts'
import { experimentHead, jsonFiles, namedFiles, objectIn, readableFiles } from '../pages.ts'
import { phoenixCase } from './cases.ts'
import { csvRows } from './csv-rows.ts'
import { isSpansPage, openSpans } from './spans.ts'
import { textAt, objectAt } from '../../read/members.ts'

const CSV_START = /^example_id,repetition_number,/

/** What `ers fetch` writes about the experiment and its dataset. */
const EXPERIMENT_FILE = 'experiment.json'
const DATASET_FILE = 'dataset.json'

/** Whether a file is the answer that describes an experiment, or a dataset. */
const isDescription = (head: Json): boolean => {
  const data = objectAt(head, 'data')
  const has = (keys: readonly string[]) => data !== null && keys.every((key) => Object.hasOwn(data, key))
  return has(['id', 'dataset_id', 'dataset_version_id', 'repetitions']) || has(['id', 'name', 'example_count'])
}

const isDownload = (look: Look): boolean => {
  const claim = detect(look)
  return claim !== null && claim.isCompanion === undefined
}

/**
 * What describes the experiment, which its download does not name, and spans. Where the folder has another download the spans are shared:
 * a span whose trace no row names may belong to either experiment.
 */
const companions = async (file: SourceFile, _: Look, folder: Folder): Promise<Companions> => {
  const descriptions = await namedFiles(folder, [EXPERIMENT_FILE, DATASET_FILE], ({ head }) => isDescription(head))
  const spans = await jsonFiles(folder, isSpansPage)
  const downloads = spans.length === 0 ? [] : await readableFiles([...folder.files.values()], isDownload)
  return downloads.every(({ path }) => path === file.path)
    ? { companions: [...descriptions, ...spans], shared: [] }
    : { companions: descriptions, shared: spans }
}

const detect = (look: Look): Claim | null => {
  const { kind, keys, head, text } = look
  if (kind === 'text' && CSV_START.test(text)) return { reason: 'columns example_id, repetition_number' }
  if (isSpansPage(look)) return { reason: 'spans of traces', isCompanion: true }
  if (kind === 'json' && isDescription(head)) return { reason: 'an experiment or a dataset', isCompanion: true }
  if (kind !== 'json' || !Array.isArray(head)) return null
  return ['example_id', 'repetition_number', 'annotations'].every((key) => keys.has(key))
    ? { reason: 'keys example_id, repetition_number, annotations' }
    : null
}

const phoenixRows = (file: SourceFile, isCsv: boolean, losses: Losses): AsyncIterable<Row> =>
  isCsv ? csvRows(file, losses) : jsonRows(file.bytes(), { arrays: [[]] }, losses)

const open: Importer['open'] = async function* (
  { file, look, companions: others, shared = [] },
  options: ImportOptions,
): AsyncGenerator<SourceRun> {
  const stamp = await sha256OfStream(file.bytes())
  const experiment = objectAt(await objectIn(others, EXPERIMENT_FILE), 'data')
  const dataset = objectAt(await objectIn(others, DATASET_FILE), 'data')
  using spans = await openSpans([...others, ...shared], options.evidence !== undefined)
  let times = timeRange()
  yield {
    identity: experiment === null ? stamp : (phoenixIdentity(experiment) ?? stamp),
    stamp: experiment === null ? stamp : null,
    cases: async function* (losses) {
      times = timeRange(options, losses)
      const named = new Set<string>()
      for await (const row of phoenixRows(file, look.kind === 'text', losses)) {
        const trace = textAt(row.value, 'trace_id') ?? ''
        named.add(trace)
        yield { ...phoenixCase(row, times, losses), evidence: spans.evidenceOf(trace) }
      }
      spans.recordOthers(named, losses)
    },
    // The download does not name the experiment.
    head: () => ({
      ...(experiment !== null && experimentHead(experiment, dataset === null ? {} : { dataset })),
      suite: textAt(dataset, 'name') ?? file.name.replace(/\.(?:json|csv)$/i, ''),
      startedAt: times.first(),
      finishedAt: times.last(),
    }),
  }
}

/**
 * The id of an experiment counts from 1 on each server. Its project has a random name; without it, the time of the experiment
 * distinguishes servers. Null without an id.
 */
const phoenixIdentity = (experiment: Readonly<Record<string, Json>>): string | null => {
  const id = textAt(experiment, 'id')
  return id && canonicalJson([id, textAt(experiment, 'project_name') ?? textAt(experiment, 'created_at')])
}

/** Reads experiments of Phoenix (Arize), as its download gives them: JSON or CSV. */
export const phoenix: Importer = {
  format: 'phoenix',
  converter: 2,
  hasTranscripts: true,
  reads: 'an experiment of Phoenix, as its download gives it: JSON or CSV, with spans in the same folder',
  detect,
  companions,
  open,
}
