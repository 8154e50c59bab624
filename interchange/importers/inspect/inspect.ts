import { counted } from '../../../domain/plain/counted.ts'
import { isKnown } from '../../document/known.ts'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { contradiction, type ToolCounts } from '../../document/tool-counts.ts'
import { readTime } from '../../document/time/times.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { loadOnce } from '../../read/load-once.ts'
import type { Look } from '../../read/look.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { decidingOf, inspectHead } from './head.ts'
import { jsonLog } from './json-log.ts'
import { headerRow, lossesApartFromEvents, type Log } from './log.ts'
import { scorerJudges } from './judges.ts'
import { readSample } from './sample.ts'
import { totalsOfLog } from './totals.ts'
import { numberAt, objectAt, textAt } from '../../read/members.ts'

const MAX_VERSION = 2

const zipModules = loadOnce(() => Promise.all([import('../../read/zip/zip.ts'), import('./zip-log.ts')]))

const detect = (look: Look): Claim | null => {
  if (look.kind === 'zip') {
    const name = ['header.json', '_journal/start.json'].find((entry) => look.entries.includes(entry))
    return name === undefined ? null : { reason: `${name} in the archive` }
  }
  if (look.kind !== 'json' || !isObject(look.head)) return null
  const { head } = look
  const evaluation = objectAt(head, 'eval')
  // The ids of many samples can be in front of the model: the other names are always in front of them.
  const isLog =
    textAt(evaluation, 'task') !== null && (textAt(evaluation, 'model') ?? textAt(evaluation, 'run_id')) !== null
  if (!isLog) return null
  const reason = 'eval.task with eval.model'
  const refused = refusedVersion(head)
  return refused === null ? { reason } : { reason, refused }
}

/** Why a version cannot be read; null if it can. Version 1 has no number in some logs. */
const refusedVersion = ({ version }: JsonObject): string | null =>
  typeof version === 'number' && version > MAX_VERSION
    ? `the log has version ${version}; up to ${MAX_VERSION} can be read`
    : null

const open: Importer['open'] = async function* ({ file, look }, options): AsyncGenerator<SourceRun> {
  if (look.kind !== 'zip') {
    yield await inspectRun(jsonLog(file), options)
    return
  }
  const [{ openZip }, { zipLog }] = await zipModules()
  using zip = await openZip(file)
  yield await inspectRun(zipLog(zip), options)
}

const inspectRun = async (log: Log, options: ImportOptions): Promise<SourceRun> => {
  const header = await log.header(newLosses())
  const refused = refusedVersion(header)
  if (refused !== null) throw new SourceRefused(refused)
  const evaluation = objectAt(header, 'eval')
  const runParts = [textAt(evaluation, 'run_id'), textAt(evaluation, 'task_id')].filter((part) => part !== null)
  const identity = textAt(evaluation, 'eval_id') ?? runParts.join('/')
  if (identity === '') throw new SourceRefused('the log names no run: eval.eval_id and eval.run_id are missing')
  const model = textAt(evaluation, 'model')
  const version = header['version']
  const evidence = options.evidence
    ? {
        version: typeof version === 'number' ? String(version) : null,
        agent: textAt(evaluation, 'solver'),
        model,
      }
    : null
  const reading = { model, deciding: decidingOf(header), judges: scorerJudges(header), evidence }
  const time = readTime(textAt(objectAt(header, 'stats'), 'completed_at') ?? textAt(evaluation, 'created') ?? '')
  /** When the last sample was completed, as far as they were read. */
  let lastTime: string | null = null
  let count = 0
  let errors = 0
  return {
    identity,
    timeMs: time === null || log.isCutOff ? null : Date.parse(time),
    cases: async function* (losses): AsyncGenerator<CaseDraft> {
      count = 0
      errors = 0
      for await (const sample of log.samples(evidence ? lossesApartFromEvents(losses) : losses)) {
        lastTime = laterOf(lastTime, sample.value['completed_at'])
        count += 1
        if (isKnown(sample.value['error'])) errors += 1
        yield readSample(sample, reading, losses)
      }
      if (count > 0) return
      const totals = totalsOfLog(header, model)
      if (!options.aggregates || totals.length === 0)
        throw new SourceRefused(
          totals.length === 0 ? 'holds no samples' : 'holds no samples, but totals: --aggregates imports them as cases',
        )
      yield* totals
    },
    head: async (losses: Losses) => {
      if (log.isCutOff)
        losses.addBytes('cut', '(samples)', 0, `the log is cut off after ${counted(count, 'sample')}: it has no header`)
      const counts = count === 0 ? null : inspectToolCounts(header)
      // Samples with an error are not completed. If the total differs too, that is already recorded.
      const completed = numberAt(header['results'], 'completed_samples')
      if (completed !== null && counts?.cases === count && completed !== count - errors)
        contradiction(losses, 'results.completed_samples', completed, count - errors, 'completed')
      return { ...inspectHead(headerRow(await log.header(losses)), lastTime, log.isCutOff, losses), counts }
    },
  }
}

/** The number of samples that the log counts, each epoch included. */
const inspectToolCounts = (header: JsonObject): ToolCounts => ({
  path: 'results.total_samples',
  cases: numberAt(header['results'], 'total_samples'),
})

const laterOf = (last: string | null, value: Json | undefined): string | null => {
  if (typeof value !== 'string' || readTime(value) === null) return last
  return last === null || Date.parse(value) > Date.parse(last) ? value : last
}

/** Reads logs of Inspect AI: `.eval` archives and JSON, version 2 and before. */
export const inspect: Importer = {
  format: 'inspect',
  converter: 3,
  hasTranscripts: true,
  reads: 'a log of Inspect AI, as an .eval archive or JSON',
  detect,
  open,
}
