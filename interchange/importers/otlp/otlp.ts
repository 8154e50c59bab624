import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import { sha256 } from '../../document/identity.ts'
import { newLosses } from '../../document/losses.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { lookAt, lookOrNull, type Look } from '../../read/look.ts'
import { textAt } from '../../read/members.ts'
import { storedJson } from '../../read/rows/records.ts'
import { openRowStore, type RowStore } from '../../read/rows/row-store.ts'
import { rowOf, type JsonObject } from '../../read/row.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { otlpCase } from './case.ts'
import { otlpContent, otlpRecords, type TraceRecord } from './records.ts'
import { timeOfNanos } from './span-facts.ts'
import { traceOf } from './trace.ts'

const detect = (look: Look): Claim | null => {
  const content = otlpContent(look)
  if (content === 'resourceSpans') return { reason: 'resourceSpans' }
  return content === null ? null : { reason: 'resourceLogs', isCompanion: true }
}

/** The files with log records in the same folder: they have the messages and the evaluations of newer conventions. */
const companions = async (file: SourceFile, _: Look, folder: Folder): Promise<readonly SourceFile[]> => {
  const found: SourceFile[] = []
  for (const other of folder.files.values()) {
    const look = other.path === file.path ? null : await lookOrNull(other)
    if (look !== null && otlpContent(look) === 'resourceLogs') found.push(other)
  }
  return found
}

const open: Importer['open'] = async function* (
  { file, look, companions: others },
  options,
): AsyncGenerator<SourceRun> {
  using store = openRowStore()
  const reading = newLosses()
  const isTraced = new Set<string>()
  let resource: JsonObject | null = null
  let last: JsonObject | null = null
  let number = 0
  const add = (record: TraceRecord): void => store.add(record.trace, '', ++number, JSON.stringify(record))
  for await (const record of otlpRecords(file, look, reading)) {
    if ('span' in record) {
      isTraced.add(record.trace)
      // The spans of one resource have one object.
      const isNext = record.span.resource !== last
      last = record.span.resource
      if (isNext && resource !== null && canonicalJson(resource) !== canonicalJson(last))
        reading.add('left_out', 'resourceSpans.*.resource', record.span.resource, 'of another resource than the first')
      resource ??= record.span.resource
    }
    add(record)
  }
  for (const other of others)
    for await (const record of otlpRecords(other, await lookAt(other), reading))
      if (isTraced.has(record.trace)) add(record)
      else reading.add('left_out', 'resourceLogs.*', record, 'of a trace that is not in the file')
  if (isTraced.size === 0) throw new SourceRefused('holds no spans')
  let times = timeRange()
  yield {
    identity: sha256([...isTraced].sort().join('\n')),
    cases: async function* (losses) {
      times = timeRange(options, losses)
      losses.addAll(reading.all())
      for (const id of store.runs()) {
        const trace = traceOf(id, recordsOf(store, id), losses)
        if (!isTraced.has(id))
          losses.add('left_out', 'resourceLogs.*', trace.logs, 'of a trace that is not in the file')
        else {
          for (const { start, end } of trace.spans) times.add(timeOfNanos(start), timeOfNanos(end))
          yield otlpCase(trace, file.name, options.evidence !== undefined, losses)
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
  reads: 'traces of OpenTelemetry (OTLP) as JSON, JSON lines or protobuf, with log records in the same folder',
  detect,
  companions,
  open,
}
