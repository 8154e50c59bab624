import { lookOrNull, type Look } from '../../read/look.ts'
import { isObject } from '../../read/row.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer } from '../importer.ts'
import { hostedRuns } from './hosted.ts'
import { recordedRun } from './records.ts'

const ITEM = 'eval.run.output_item'
/** Objects of the hosted product that describe a run. */
const DESCRIPTIONS: ReadonlySet<unknown> = new Set(['eval', 'eval.run'])
/** Files of one folder that may be pages of one run. */
const MAX_FILES = 10_000

const detect = (look: Look): Claim | null => {
  if (look.kind !== 'json' && look.kind !== 'lines') return null
  if (isRecordFile(look)) return { reason: 'a first line with spec.run_id' }
  const description = descriptionIn(look)
  if (description !== null) return { reason: `object ${description}`, isCompanion: true }
  return runIdIn(look) === null ? null : { reason: `object ${ITEM}` }
}

/** The file that oaieval writes: its first line is the specification of the run. */
const isRecordFile = ({ kind, head, lines }: Look): boolean => {
  const first = kind === 'lines' ? lines[0] : head
  const spec = isObject(first) ? first['spec'] : null
  return isObject(spec) && typeof spec['run_id'] === 'string' && 'eval_name' in spec
}

const descriptionIn = ({ kind, head }: Look): string | null => {
  const object = kind === 'json' && isObject(head) ? head['object'] : null
  return DESCRIPTIONS.has(object) ? (object as string) : null
}

/** The run of the first item: of a page, a list of pages, a list or lines of items. */
const runIdIn = ({ head, lines }: Look): string | null => {
  const first: unknown = lines.length > 0 ? lines[0] : Array.isArray(head) ? head[0] : head
  if (!isObject(first)) return null
  const data = first['data']
  const item: unknown = first['object'] === 'list' && Array.isArray(data) ? data[0] : first
  return isObject(item) && item['object'] === ITEM && typeof item['run_id'] === 'string' ? item['run_id'] : null
}

/** The other pages of the run, and the objects that describe it and its evaluation. */
const companions = async (file: SourceFile, look: Look, folder: Folder): Promise<readonly SourceFile[]> => {
  const runId = runIdIn(look)
  if (runId === null) return []
  const found: SourceFile[] = []
  for (const other of [...folder.files.values()].slice(0, MAX_FILES)) {
    if (other.path === file.path || !/\.(json|jsonl|ndjson)$/i.test(other.name)) continue
    const shown = await lookOrNull(other)
    if (shown === null) continue
    if (descriptionIn(shown) !== null || runIdIn(shown) === runId) found.push(other)
  }
  return found
}

/** Reads runs of OpenAI evals: record files of `oaieval`, and output items of the hosted product. */
export const openaiEvals: Importer = {
  format: 'openai-evals',
  converter: 3,
  hasTranscripts: true,
  reads: 'a record file of oaieval, or output items of the OpenAI evals API as JSON or JSON lines',
  detect,
  companions,
  open: (source, options) => (isRecordFile(source.look) ? recordedRun(source, options) : hostedRuns(source, options)),
}
