import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, CaseDraft } from '../../document/case/case-draft.ts'
import { truthScore } from '../../document/case/scores.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { readTime } from '../../document/time/times.ts'
import { readTurns } from '../../document/case/turns.ts'
import { storedJson } from '../../read/rows/records.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { recordEvidence } from './transcript.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Source, SourceRun } from '../importer.ts'

/** What is known of a record file after it was read once. */
type Outline = {
  readonly spec: Record<string, Json>
  readonly report: Json
  /** The line of the last event of each sample. */
  readonly lastLines: ReadonlyMap<string, number>
  readonly finishedAt: string | null
}

/**
 * Reads the file that `oaieval` writes: the specification, the final report, and events, which belong to samples. Events of
 * several samples are mixed, because samples run at the same time: a sample is a case when its last event was read.
 */
export const recordedRun = async function* ({ file }: Source, { evidence }: ImportOptions): AsyncGenerator<SourceRun> {
  const outline = await outlineOf(file)
  const { spec, report, lastLines, finishedAt } = outline
  // The file was recognised by it.
  const runId = spec['run_id'] as string
  const completion = spec['completion_fns']
  const provider = Array.isArray(completion)
    ? completion.map((name: Json) => (typeof name === 'string' ? name : JSON.stringify(name))).join(', ')
    : null
  const createdAt = typeof spec['created_at'] === 'string' ? readTime(spec['created_at']) : null
  yield {
    identity: runId,
    timeMs: createdAt === null ? null : Date.parse(createdAt),
    cases: async function* (losses) {
      const events = new Map<string, Row[]>()
      for await (const { line, value } of objectLines(file.bytes(), losses, 'event')) {
        const sampleId = sampleIdOf(value)
        if (sampleId === null) {
          if (!('spec' in value) && !('final_report' in value)) losses.add('left_out', '*', value, 'of no sample')
          continue
        }
        const ofSample = events.get(sampleId) ?? []
        events.set(sampleId, ofSample)
        ofSample.push(rowOf(value, '*'))
        if (line !== lastLines.get(sampleId)) continue
        events.delete(sampleId)
        // Copied, because a case is read by taking the members of its events.
        const copies = evidence ? ofSample.map(({ value: event }) => storedJson(JSON.stringify(event))) : null
        const draft = openAiCase(sampleId, ofSample, provider, runId, losses)
        yield { ...draft, evidence: copies && recordEvidence(sampleId, copies, provider) }
      }
    },
    head: () => {
      const row = rowOf(structuredClone(spec), 'spec')
      row.take('run_id')
      const isComplete = report !== null
      return {
        suite: row.text('eval_name'),
        startedAt: createdAt,
        finishedAt: finishedAt ?? createdAt,
        origin: { actor: row.text('created_by') || null },
        config: withoutTime(row),
        rest: isComplete ? { final_report: report } : null,
        tags: isComplete ? [] : ['status:started'],
      }
    },
  }
}

const withoutTime = (row: Row): Row => {
  if (readTime(row.peekText('created_at') ?? '') !== null) row.take('created_at')
  return row
}

const sampleIdOf = (value: Record<string, Json>): string | null => {
  const id = value['sample_id']
  return typeof id === 'string' && typeof value['type'] === 'string' ? id : typeof id === 'number' ? String(id) : null
}

const outlineOf = async (file: SourceFile): Promise<Outline> => {
  let spec: Record<string, Json> | null = null
  let report: Json = null
  let finishedAt: string | null = null
  const lastLines = new Map<string, number>()
  for await (const { line, value } of objectLines(file.bytes(), newLosses(), 'event')) {
    if (isObject(value['spec'])) spec ??= value['spec']
    if ('final_report' in value) report = value['final_report'] ?? null
    const sampleId = sampleIdOf(value)
    if (sampleId === null) continue
    lastLines.set(sampleId, line)
    const time = typeof value['created_at'] === 'string' ? readTime(value['created_at']) : null
    if (time !== null && (finishedAt === null || Date.parse(time) > Date.parse(finishedAt))) finishedAt = time
  }
  if (spec === null) throw new SourceRefused('its first line is not whole')
  return { spec, report, lastLines, finishedAt }
}

const openAiCase = (
  sampleId: string,
  events: readonly Row[],
  provider: string | null,
  runId: string,
  losses: Losses,
): CaseDraft => {
  const ofType = (type: string) => events.filter((event) => event.peek('type') === type)
  const samplings = ofType('sampling')
    .map((event) => event.row('data'))
    .filter((data) => data !== null)
  const metrics = ofType('metrics')
  const isGradedByModel = metrics.some((event) => event.row('data')?.has('choice'))
  // A judge model is sampled after the model under test.
  const sampling = isGradedByModel ? samplings[0] : samplings.at(-1)
  const matches = ofType('match').map(matchOf)
  const asserts = [...matches, ...metrics.flatMap((event) => openAiMetrics(event, matches.length > 0, isGradedByModel))]
  const [failed] = ofType('error').map((event) => event.row('data'))
  const failure = failed && {
    message: failed.text('message') ?? failed.text('error') ?? 'the sample failed',
    class: failed.text('type'),
  }
  const prompt = sampling?.peek('prompt')
  const messages = readTurns(prompt, losses, '*.data.prompt')
  const sampled = sampling?.take('sampled') ?? null
  if (messages !== null || typeof prompt === 'string') sampling?.take('prompt')
  for (const event of events) {
    if (event.peek('run_id') === runId) event.take('run_id')
    event.take('sample_id')
  }
  return {
    provider,
    test: sampleId,
    failure: failure ?? null,
    asserts,
    output: Array.isArray(sampled) && sampled.length === 1 ? (sampled[0] as Json) : sampled,
    promptSent: messages !== null ? { messages } : typeof prompt === 'string' ? { text: prompt } : null,
    raw: { events: events.flatMap((event) => event.rest() ?? []) },
  }
}

/** `{correct, expected, picked, sampled, options}`. */
const matchOf = (event: Row): AssertionDraft => {
  const data = event.object('data')
  const row = rowOf({ ...data }, '*.data')
  const passed = row.boolean('correct')
  const expected = row.take('expected')
  const details = row.rest()
  return {
    name: 'match',
    kind: 'equals',
    passed,
    score: null,
    ...(details !== null && { details }),
    criteria: expected === null ? {} : { value: expected },
  }
}

/** The metric that decides, of those that evaluations of the tool have; if none of them is there, all do. */
const DECIDING = ['score', 'accuracy', 'correct'] as const

const openAiMetrics = (event: Row, hasMatch: boolean, isGradedByModel: boolean): AssertionDraft[] => {
  const data = event.row('data')
  if (data === null) return []
  const deciding = DECIDING.find((key) => isMetric(data.peek(key)))
  return data.keys().flatMap((key): AssertionDraft[] => {
    const value = data.peek(key)
    if (!isMetric(value)) return []
    data.take(key)
    return [
      {
        name: key,
        kind: isGradedByModel ? 'llm-rubric' : 'exec',
        ...(typeof value === 'boolean' ? truthScore(value) : { passed: null, score: value }),
        decides: !hasMatch && (deciding === undefined || key === deciding),
      },
    ]
  })
}

const isMetric = (value: unknown): value is number | boolean =>
  typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
