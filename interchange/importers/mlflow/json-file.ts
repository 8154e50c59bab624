import { counted } from '../../../domain/plain/counted.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeMsOf, timeOfMs } from '../../document/time/times.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { isObject, rowOf } from '../../read/row.ts'
import { lookAt } from '../../read/look.ts'
import type { RunHead, Source, SourceRun } from '../importer.ts'
import { EXPERIMENT_FILE, RUN_FILE, fetchedRun } from './fetched-run.ts'
import { storeSpans, storedSpans } from './span-pages.ts'
import { isTrace, mlflowDuration, RUN_KEY, SCORER_TAG, traceCase } from './traces.ts'
import { objectAt, textAt } from '../../read/members.ts'
import { openRowStore } from '../../read/rows/row-store.ts'

const SHAPE = { arrays: [['traces'], []] }
const PATH = '*'

/** The files of spans, as `ers fetch` calls them. */
export const SPANS_FILE = /^spans-\d+\.json$/

/** What the traces of a run say together. */
type Outline = {
  firstMs: number
  lastMs: number
  readonly experiment: string | null
  readonly metadata: Readonly<Record<string, Json>>
}

/**
 * Reads traces from a list, lines, or pages of a search, whose spans are in other files. Yields one run for each evaluation
 * run that the traces name.
 */
export const runsOfTraceFiles = async function* (source: Source, options: ImportOptions): AsyncGenerator<SourceRun> {
  using spans = openRowStore()
  await storeSpans(
    spans,
    source.companions.filter(({ name }) => SPANS_FILE.test(name)),
  )
  const reading = newLosses()
  const described = await fetchedRun(source.companions)
  const outlines = new Map<string, Outline>()
  let withoutRun = 0
  for await (const trace of tracesIn(source, newLosses())) {
    const runId = runIdOf(trace)
    if (runId === null) withoutRun += 1
    else if (!isOfScorer(trace)) addTo(outlines, runId, trace, options, reading)
  }
  if (outlines.size === 0)
    throw new SourceRefused(
      withoutRun === 0
        ? 'all its traces are of judges'
        : `has ${counted(withoutRun, 'trace')}, but none of an evaluation run (${RUN_KEY})`,
    )
  for (const [runId, outline] of outlines)
    yield {
      part: outlines.size > 1 ? runId : null,
      isAlone: outlines.size === 1 && (described === null || described.id === runId),
      identity: runId,
      timeMs: Number.isFinite(outline.firstMs) ? outline.firstMs : null,
      cases: async function* (losses) {
        losses.addAll(reading.all())
        for await (const trace of tracesIn(source, losses)) {
          if (runIdOf(trace) !== runId) continue
          const id = traceInfo(trace)['trace_id']
          const found = 'data' in trace || typeof id !== 'string' ? null : storedSpans(spans, id)
          if (found !== null) trace['data'] = { spans: found }
          if (isOfScorer(trace)) losses.add('left_out', PATH, trace, 'the trace of a judge')
          else yield traceCase(rowOf(trace, PATH), losses, source.file, options)
        }
        if (withoutRun > 0)
          losses.addBytes('left_out', '(traces)', 0, `${counted(withoutRun, 'trace')} of no evaluation run`)
      },
      head: () => (described?.id === runId ? withHead(tracesHead(outline), described.head) : tracesHead(outline)),
    }
}

/** The head of the run; what it lacks comes from the traces. */
const withHead = (ofTraces: RunHead, ofRun: RunHead): RunHead => ({
  ...ofTraces,
  ...ofRun,
  suite: ofRun.suite ?? ofTraces.suite ?? null,
  startedAt: ofRun.startedAt ?? ofTraces.startedAt ?? null,
  finishedAt: ofRun.finishedAt ?? ofTraces.finishedAt ?? null,
})

const tracesIn = async function* (source: Source, losses: Losses): AsyncGenerator<Record<string, Json>> {
  yield* tracesInFile(source, losses)
  for (const file of source.companions)
    if (!SPANS_FILE.test(file.name) && file.name !== RUN_FILE && file.name !== EXPERIMENT_FILE)
      yield* tracesInFile({ file, look: await lookAt(file) }, losses)
}

const tracesInFile = async function* (
  { file, look }: Pick<Source, 'file' | 'look'>,
  losses: Losses,
): AsyncGenerator<Record<string, Json>> {
  if (look.kind === 'lines') {
    for await (const { value } of objectLines(file.bytes(), losses, 'trace')) yield* traceIn(value, losses)
    return
  }
  let rest: Json = null
  for await (const { value } of jsonElements(file.bytes(), SHAPE, losses, (skeleton) => (rest = skeleton)))
    yield* traceIn(value, losses)
  // A file of one trace has no list.
  if (isTrace(rest)) yield rest
}

const traceIn = function* (value: Json, losses: Losses): Generator<Record<string, Json>> {
  if (isTrace(value)) yield value
  // A search returns only the `info` of each trace.
  else if (isObject(value) && isObject(value['trace_metadata'])) yield { info: value }
  else losses.add('left_out', PATH, value, 'no trace')
}

const traceInfo = (trace: Record<string, Json>) => trace['info'] as Record<string, Json>

const runIdOf = (trace: Record<string, Json>): string | null => textAt(trace, 'info', 'trace_metadata', RUN_KEY)

const isOfScorer = (trace: Record<string, Json>): boolean => objectAt(trace, 'info', 'tags')?.[SCORER_TAG] !== undefined

const addTo = (
  outlines: Map<string, Outline>,
  runId: string,
  trace: Record<string, Json>,
  options: ImportOptions,
  losses: Losses,
): void => {
  const info = traceInfo(trace)
  const known = outlines.get(runId) ?? {
    firstMs: Infinity,
    lastMs: -Infinity,
    experiment: textAt(info, 'trace_location', 'mlflow_experiment', 'experiment_id'),
    metadata: { ...objectAt(info, 'trace_metadata') },
  }
  outlines.set(runId, known)
  const start = timeMsOf(
    sourceTime(info['request_time'], { ...options, timeZone: 'UTC' }, losses, `${PATH}.info.request_time`),
  )
  if (start === null) return
  const duration = mlflowDuration(rowOf({ ...info }, ''))
  known.firstMs = Math.min(known.firstMs, start)
  known.lastMs = Math.max(known.lastMs, start + Math.max(0, duration ?? 0))
}

const tracesHead = ({ firstMs, lastMs, experiment, metadata }: Outline) => {
  return {
    suite: experiment === null ? null : `experiment ${experiment}`,
    startedAt: Number.isFinite(firstMs) ? timeOfMs(firstMs) : null,
    finishedAt: Number.isFinite(lastMs) ? timeOfMs(lastMs) : null,
    git: { commit: textAt(metadata, 'mlflow.source.git.commit'), branch: textAt(metadata, 'mlflow.source.git.branch') },
    origin: { actor: textAt(metadata, 'mlflow.user') },
  }
}
