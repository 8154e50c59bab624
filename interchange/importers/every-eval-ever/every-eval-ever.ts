import { createHash, getHashes } from 'node:crypto'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import { contradiction, type ToolCounts } from '../../document/tool-counts.ts'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import { sha256, sha256OfStream } from '../../document/identity.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeMsOf } from '../../document/time/times.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import type { Look } from '../../read/look.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { headOfResult, readSeconds } from './head.ts'
import { ROW_PATH, eeeCase, totalOfResult } from './cases.ts'
import { numberAt, objectsAt, textAt, requireObject } from '../../read/members.ts'

const detect = ({ kind, keys }: Look): Claim | null => {
  if (kind === 'json' && ['schema_version', 'evaluation_id', 'evaluation_results'].every((key) => keys.has(key)))
    return { reason: 'keys schema_version, evaluation_id, evaluation_results' }
  if (['sample_id', 'evaluation_id', 'evaluation'].every((key) => keys.has(key)))
    return { reason: 'rows with sample_id and evaluation', isCompanion: true }
  // The results of many metrics may fill the beginning of the file.
  return kind === 'json' && keys.has('schema_version') && keys.has('evaluation_id') && keys.has('source_metadata')
    ? { reason: 'keys schema_version, evaluation_id, source_metadata' }
    : null
}

const companions: Importer['companions'] = async (file, _look, { files }) => {
  const top = await topMembers(file)
  const path = textAt(top, 'detailed_evaluation_results', 'file_path') ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  const samples = files.get(name) ?? files.get(file.name.replace(/\.json$/, '_samples.jsonl'))
  return samples === undefined || samples.path === file.path ? [] : [samples]
}

const topMembers = async (file: SourceFile): Promise<Record<string, Json>> =>
  requireObject(parseJson(await wholeJson(file), newLosses(), ''))

const open: Importer['open'] = async function* ({ file, companions: [samples] }, options): AsyncGenerator<SourceRun> {
  const top = await topMembers(file)
  const { evaluation_id } = top
  if (typeof evaluation_id !== 'string') throw new SourceRefused('evaluation_id is no text')
  const results = objectsAt(top, 'evaluation_results')
  const names = [...new Set(results.flatMap((result) => textAt(result, 'evaluation_name') ?? []))]
  if (samples === undefined && !options.aggregates)
    throw new SourceRefused(
      isObject(top['detailed_evaluation_results'])
        ? 'its file of samples is not in the same folder; --aggregates imports the totals'
        : 'holds totals only: --aggregates imports them as cases',
    )
  const isChecked = samples === undefined ? true : await checkSamples(top, samples)
  const rows = samples === undefined ? null : await rowsByName(samples)
  const known = new Set(rows?.keys() ?? names)
  const isTotal = (name: string) => !known.has(name) || samples === undefined
  const wanted = options.aggregates ? [...new Set([...names, ...known])] : [...known]
  const provider = textAt(top, 'model_info', 'id')
  const seconds = readSeconds(top['evaluation_timestamp'])
  const stamp = sha256(`${await sha256OfStream(file.bytes())}\n${samples ? await sha256OfStream(samples.bytes()) : ''}`)
  for (const [index, name] of wanted.entries()) {
    const own = results.filter(({ evaluation_name }) => evaluation_name === name)
    yield {
      part: wanted.length === 1 ? null : name,
      isAlone: new Set([...names, ...known]).size === 1,
      identity: canonicalJson([evaluation_id, name]),
      stamp,
      timeMs: timeMsOf(sourceTime(seconds, options, newLosses(), '')),
      cases: (losses): AsyncIterable<CaseDraft> =>
        samples === undefined || isTotal(name) ? totals(own, provider) : casesIn(samples, name, provider, own, losses),
      head: async (losses) => {
        if (!isChecked) losses.addBytes('assumed', '(checksum)', 0, 'the samples have no checksum that can be checked')
        const others = index > 0 || options.aggregates ? [] : names.filter((other) => !known.has(other))
        if (index === 0 && rows !== null) compareRows(top, rows, losses)
        const counts = samples === undefined || isTotal(name) ? null : eeeCounts(own)
        return { ...headOfResult(await topMembers(file), name, others, options, losses), counts }
      },
    }
  }
}

const totals = async function* (results: readonly Record<string, Json>[], provider: string | null) {
  for (const result of results) {
    const total = totalOfResult(structuredClone(result), provider)
    if (total !== null) yield total
  }
}

/** Whether the samples have the checksum that the results name; false if they name none. Throws if it is another one. */
const checkSamples = async (top: Record<string, Json>, samples: SourceFile): Promise<boolean> => {
  const details = top['detailed_evaluation_results']
  const [checksum, algorithm] = [textAt(details, 'checksum'), textAt(details, 'hash_algorithm')]
  if (checksum === null || algorithm === null) return false
  if (!getHashes().includes(algorithm.toLowerCase())) return false
  const hash = createHash(algorithm.toLowerCase())
  for await (const chunk of samples.bytes()) hash.update(chunk)
  if (hash.digest('hex') !== checksum.toLowerCase())
    throw new SourceRefused(`${samples.name} is not the file of these results: its ${algorithm} is another one`)
  return true
}

/** The names of the evaluations that have samples, in their order, with the number of their rows. */
const rowsByName = async (samples: SourceFile): Promise<ReadonlyMap<string, number>> => {
  const rows = new Map<string, number>()
  for await (const { value } of objectLines(samples.bytes(), newLosses(), 'line', ROW_PATH)) {
    const name = value['evaluation_name']
    if (typeof name === 'string') rows.set(name, (rows.get(name) ?? 0) + 1)
  }
  if (rows.size === 0) throw new SourceRefused(`${samples.name} holds no samples`)
  return rows
}

/** Compares the number of rows that the results say with those of the file. */
const compareRows = (top: Record<string, Json>, rows: ReadonlyMap<string, number>, losses: Losses): void => {
  const total = numberAt(top['detailed_evaluation_results'], 'total_rows')
  const found = [...rows.values()].reduce((sum, count) => sum + count, 0)
  if (total !== null && total !== found)
    contradiction(losses, 'detailed_evaluation_results.total_rows', total, found, 'rows')
}

/** The number of samples behind the score of an evaluation. With several metrics, a sample may have a row for each. */
const eeeCounts = (results: readonly Record<string, Json>[]): ToolCounts | null => {
  const [result, ...others] = results
  const path = ['score_details', 'uncertainty', 'num_samples']
  return others.length > 0 ? null : { path: `evaluation_results.*.${path.join('.')}`, cases: numberAt(result, ...path) }
}

const casesIn = async function* (
  samples: SourceFile,
  name: string,
  provider: string | null,
  results: readonly Record<string, Json>[],
  losses: Losses,
): AsyncGenerator<CaseDraft> {
  // A sample names its result, where an evaluation has several metrics.
  const resultOf = ({ evaluation_result_id: id = null }: Record<string, Json>) =>
    results.find(({ evaluation_result_id }) => id !== null && evaluation_result_id === id) ?? results[0] ?? {}
  for await (const { value } of objectLines(samples.bytes(), losses, 'line', ROW_PATH)) {
    if (typeof value['evaluation_name'] !== 'string') losses.add('left_out', ROW_PATH, value, 'has no evaluation_name')
    else if (value['evaluation_name'] === name) yield eeeCase(rowOf(value, ROW_PATH), provider, resultOf(value), losses)
  }
}

/** Reads results in the schema of Every Eval Ever, with their samples. */
export const everyEvalEver: Importer = {
  format: 'every-eval-ever',
  converter: 2,
  reads: 'results in the schema of Every Eval Ever, with their file of samples in the same folder',
  detect,
  companions,
  open,
}
