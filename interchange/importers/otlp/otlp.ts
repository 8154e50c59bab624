import { sha256 } from '../../document/identity.ts'
import { newLosses } from '../../document/losses.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Look } from '../../read/look.ts'
import { textAt } from '../../read/members.ts'
import { storedJson } from '../../read/rows/records.ts'
import { openRowStore, type RowStore } from '../../read/rows/row-store.ts'
import { rowOf, type JsonObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { otlpCase } from './case.ts'
import { otlpContent, otlpRecords, type TraceRecord } from './records.ts'
import { newResources } from './resources.ts'
import { timeOfNanos } from './span-facts.ts'
import { hasSpans, NO_SPANS, singleFile, traceFilesIn, type TraceFiles } from './trace-files.ts'
import { traceOf } from './trace.ts'

const detect = (look: Look): Claim | null => {
  const content = otlpContent(look)
  if (content === 'resourceSpans') return { reason: 'resourceSpans' }
  // Lines that begin with log records may have spans too.
  return content && { reason: 'resourceLogs', isCompanion: async (file) => !(await hasSpans(file, look)) }
}

const OTHER_RESOURCE = 'of another resource than the first'

/** The files of each recognised file: it is opened without its folder. */
const filesOf = new WeakMap<SourceFile, TraceFiles>()

const companions: Importer['companions'] = async (file, look, { scope }) => {
  const found = (await traceFilesIn(scope)).get(file) ?? singleFile(file, look)
  filesOf.set(file, found)
  const others = found.files.map((one) => one.file).filter((one) => one !== file)
  return { companions: [...others, ...found.logs], shared: found.shared }
}

const open: Importer['open'] = async function* ({ file, look }, options): AsyncGenerator<SourceRun> {
  const { files, logsOf, resources, losses: inLogs, failure } = filesOf.get(file) ?? singleFile(file, look)
  if (failure !== null) throw new SourceRefused(failure)
  using store = openRowStore()
  const reading = newLosses()
  reading.addAll(inLogs)
  const isTraced = new Set<string>()
  const [isNew, ofLogs] = [newResources(), newResources()]
  const logResources = resources.filter(ofLogs)
  let resource: JsonObject | null = null
  let number = 0
  for (const one of files)
    for await (const record of otlpRecords(one.file, one.look, reading)) {
      if ('span' in record) {
        isTraced.add(record.trace)
        const { resource: own } = record.span
        if (isNew(own) && resource !== null) reading.add('left_out', 'resourceSpans.*.resource', own, OTHER_RESOURCE)
        resource ??= own
      } else if (ofLogs(record.resource)) logResources.push(record.resource)
      store.add(record.trace, '', ++number, JSON.stringify(record))
    }
  for (const own of logResources)
    if (isNew(own)) reading.add('left_out', 'resourceLogs.*.resource', own, OTHER_RESOURCE)
  if (isTraced.size === 0) throw new SourceRefused('holds no spans')
  let times = timeRange()
  yield {
    identity: sha256([...isTraced].sort().join('\n')),
    cases: async function* (losses) {
      times = timeRange(options, losses)
      losses.addAll(reading.all())
      for (const id of store.runs()) {
        const trace = traceOf(id, [...recordsOf(store, id), ...logsOf(id)], losses)
        if (!isTraced.has(id)) losses.add('left_out', 'resourceLogs.*', trace.logs, NO_SPANS)
        else {
          for (const { start, end } of trace.spans) times.add(timeOfNanos(start), timeOfNanos(end))
          yield otlpCase(trace, files[0]!.file.name, options.evidence !== undefined, losses)
        }
      }
    },
    head: () => ({
      suite: textAt(resource, 'service.name'),
      startedAt: times.first(),
      finishedAt: times.last(),
      config: resource === null ? null : rowOf({ resource }, 'resourceSpans.*'),
      origin: { version: textAt(resource, 'service.version'), host: textAt(resource, 'host.name') },
    }),
  }
}

const recordsOf = (store: RowStore, trace: string): readonly TraceRecord[] =>
  store.allOf(trace).map(({ body }) => storedJson(body) as unknown as TraceRecord)

/** Reads traces of OpenTelemetry with the conventions for generative AI: OTLP as JSON, JSON lines or protobuf. */
export const otlp: Importer = {
  format: 'otlp',
  converter: 1,
  hasTranscripts: true,
  reads: 'traces of OpenTelemetry (OTLP) as JSON, JSON lines or protobuf, with log records',
  detect,
  companions,
  open,
}
