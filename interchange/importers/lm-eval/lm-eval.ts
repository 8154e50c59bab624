import type { CaseDraft } from '../../document/case/case-draft.ts'
import { type ToolCounts } from '../../document/tool-counts.ts'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeMsOf } from '../../document/time/times.ts'
import { sha256, sha256OfStream } from '../../document/identity.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Look } from '../../read/look.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import type { Claim, Importer, RunHead, SourceRun } from '../importer.ts'
import { headOfTask, lmEvalModel, readSeconds } from './head.ts'
import { readTask, sampleCases, totalsOfTask } from './cases.ts'
import { numberAt, objectAt, textAt, requireObject } from '../../read/members.ts'

/** A metric with its filter, as results name it: `exact_match,none`. */
const METRIC_KEY = /^[^,]{1,200},[^,]{1,200}$/

const detect = (look: Look): Claim | null => {
  const { keys, head } = look
  if (keys.has('doc_id') && keys.has('resps') && keys.has('filtered_resps'))
    return { reason: 'samples with doc_id and filtered_resps, of a results_*.json', isCompanion: true }
  if (look.kind !== 'json' || !isObject(head)) return null
  const results = objectAt(head, 'results')
  if (results === null) return null
  if (keys.has('configs') && keys.has('n-shot')) return { reason: 'keys results, configs, n-shot' }
  // The results of many tasks may fill the beginning of the file.
  const isResults = Object.values(results).some(
    (task) => isObject(task) && Object.keys(task).some((key) => METRIC_KEY.test(key)),
  )
  if (isResults) return { reason: 'results of metrics with their filter' }
  return null
}

/** The time in the names of the files of one run. */
const DATE = /_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl?$/

const companions: Importer['companions'] = async (file, _look, { files }) => {
  const date = DATE.exec(file.name)?.[1]
  return [...files.values()].filter(
    ({ name }) =>
      /^samples_.*\.jsonl?$/.test(name) && (date === undefined ? !DATE.test(name) : DATE.exec(name)?.[1] === date),
  )
}

const open: Importer['open'] = async function* (source, options): AsyncGenerator<SourceRun> {
  const bytes = await wholeJson(source.file)
  const top = () => requireObject(parseJson(bytes, newLosses(), ''))
  const first = top()
  const configs = objectAt(first, 'configs') ?? objectAt(first, 'versions') ?? {}
  const samples = new Map(source.companions.map((file) => [taskOf(file, source.file), file]))
  const tasks = Object.keys(configs).map((name) => ({ name, file: samples.get(name) ?? samples.get(fileName(name)) }))
  const withSamples = tasks.filter(({ file }) => file !== undefined)
  const wanted = options.aggregates ? tasks : withSamples
  if (wanted.length === 0)
    throw new SourceRefused(
      'holds totals only: put its samples_*.jsonl next to it (lm_eval --log_samples), or import the totals with --aggregates',
    )
  const missing = options.aggregates ? [] : tasks.filter(({ file }) => file === undefined).map(({ name }) => name)
  const resultsHash = sha256(bytes)
  const unknown = source.companions.filter((file) => !tasks.some((task) => task.file === file))
  // Totals and samples of other tasks are of other runs.
  const names = new Set([...tasks.map(({ name }) => name), ...Object.keys(objectAt(first, 'results') ?? {})])
  const isAlone = names.size === 1 && unknown.length === 0
  for (const [index, { name, file }] of wanted.entries()) {
    const toRecord = index === 0 ? { missing, unknown } : { missing: [], unknown: [] }
    const run = await runOfTask(name, file, top, resultsHash, toRecord, options)
    yield { ...run, isAlone }
  }
}

/** A task in the name of a file: slashes are not possible there. */
const fileName = (task: string) => task.replaceAll('/', '__')

const taskOf = (file: SourceFile, results: SourceFile): string => {
  const date = DATE.exec(results.name)?.[1]
  const end = file.name.endsWith('l') ? '.jsonl' : '.json'
  return file.name.slice('samples_'.length, -end.length - (date === undefined ? 0 : date.length + 1))
}

type ToRecord = { readonly missing: readonly string[]; readonly unknown: readonly SourceFile[] }

const runOfTask = async (
  task: string,
  file: SourceFile | undefined,
  top: () => Record<string, unknown>,
  resultsHash: string,
  { missing, unknown }: ToRecord,
  options: ImportOptions,
): Promise<SourceRun> => {
  const value = top()
  const model = lmEvalModel(value)
  const date = readSeconds(value['date'])
  const samplesHash = file === undefined ? '' : await sha256OfStream(file.bytes())
  const read = readTask(value, task, model)
  return {
    part: task,
    // All that the tool says of the run: it has no id.
    identity: canonicalJson([model, task, date, textAt(objectAt(value, 'task_hashes'), task)]),
    stamp: sha256(`${resultsHash}\n${samplesHash}`),
    timeMs: timeMsOf(sourceTime(date, options, newLosses(), '')),
    cases: (losses): AsyncIterable<CaseDraft> =>
      file === undefined ? fromList(totalsOfTask(value, task, model)) : sampleCases(file, read, losses),
    head: (losses: Losses): RunHead => {
      const head = headOfTask(top() as Record<string, NonNullable<unknown> | null>, task, missing, options, losses)
      for (const { name, size } of unknown) losses.addBytes('left_out', name, size, 'samples of no task of this run')
      return { ...head, counts: file === undefined ? null : lmEvalCounts(value, task) }
    },
  }
}

/** The number of documents that the results say were evaluated: all of the task, or as many as its limit. */
const lmEvalCounts = (top: Record<string, unknown>, task: string): ToolCounts => ({
  path: `n-samples.${task}.effective`,
  cases: numberAt(objectAt(objectAt(top, 'n-samples'), task), 'effective'),
})

const fromList = async function* <T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

/** Reads results of lm-evaluation-harness with their samples. */
export const lmEval: Importer = {
  format: 'lm-eval',
  converter: 2,
  reads: 'results of lm-evaluation-harness (results_*.json), with their samples_*.jsonl in the same folder',
  detect,
  companions,
  open,
}
