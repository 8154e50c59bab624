import { isKnown } from '../../document/known.ts'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import type { Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import { referencesIn, resolveAttachments } from './attachments.ts'
import { SAMPLE_PATH, UNREAD_MEMBERS, type LogSample } from './log.ts'
import { takeContent, takeConversation, takeInput, contentText, thoughtsOf, takeToolCalls } from './messages.ts'
import type { ScorerJudges } from './judges.ts'
import { takeScores, type Deciding } from './scores.ts'
import { isEmpty, sampleEvidence, type LogFacts } from './sample-evidence.ts'
import { takeUsage } from './usage.ts'

/** What the log says of all samples. `evidence` is null if none is kept. */
export type SampleReading = {
  readonly model: string | null
  readonly deciding: Deciding
  readonly judges: ScorerJudges
  readonly evidence: LogFacts | null
}

/** Reads a sample as a case. */
export const readSample = (
  sample: LogSample,
  { model, deciding, judges, evidence }: SampleReading,
  losses: Losses,
): CaseDraft => {
  const { value, attachments } = sample
  const eventsMs = modelEventsMs(value)
  const kept = evidence === null ? null : sampleEvidence(sample, evidence)
  const inEvents = kept && referencesIn(UNREAD_MEMBERS.map((key) => value[key]))
  for (const key of UNREAD_MEMBERS) {
    if (!isEmpty(value[key]) && kept === null) losses.add('left_out', `${SAMPLE_PATH}.${key}`, value[key])
    delete value[key]
  }
  const path = `${SAMPLE_PATH}.attachments`
  const resolved = resolveAttachments(value, attachments, losses, path, inEvents)
  const row = rowOf(resolved as Record<string, Json>, SAMPLE_PATH)
  if (row.has('files')) losses.add('left_out', `${SAMPLE_PATH}.files`, row.take('files'), 'files of the sandbox')

  const answer = takeAnswer(row, losses)
  const conversation = takeConversation(row, answer.text, losses)
  const calls = [...conversation.toolCalls, ...answer.toolCalls(conversation.toolCalls)]
  const vars = takeVars(row, losses)
  const { usage, costUsd, gradingUsd } = takeUsage(row)
  const asserts = takeScores(row, deciding, judges, losses)
  // The first assertion has the cost of grading if none decides. Without assertions, it is part of the cost of the case.
  const withGradingCost = Math.max(
    0,
    asserts.findIndex(({ decides }) => decides),
  )
  const limit = row.row('limit')?.text('type') ?? row.text('limit')
  const retries = row.peek('error_retries')
  const epoch = row.number('epoch')
  const seconds = numberOrLoss(row, 'working_time', losses, 'number of seconds')
  const total = numberOrLoss(row, 'total_time', losses, 'number of seconds')
  return {
    provider: model,
    test: row.id('id') ?? { inputs: vars },
    repeat: epoch !== null && Number.isInteger(epoch) && epoch >= 1 ? epoch - 1 : null,
    tags: [...(limit === null ? [] : [`limit:${limit}`]), ...(row.has('invalidation') ? ['invalidated'] : [])],
    vars,
    failure: takeFailure(row, losses),
    asserts: asserts.map((assertion, index) =>
      index === withGradingCost && gradingUsd !== null ? { ...assertion, costUsd: gradingUsd } : assertion,
    ),
    output: answer.text,
    promptSent: conversation.sent.length > 0 ? { messages: conversation.sent } : null,
    stopReason: answer.stopReason,
    model: row.row('output')?.text('model') ?? null,
    toolCalls: calls,
    reasoning: answer.thoughts,
    usage,
    costUsd: asserts.length > 0 || gradingUsd === null ? costUsd : (costUsd ?? 0) + gradingUsd,
    latencyMs: seconds === null ? eventsMs : seconds * 1000,
    wallMs: total === null ? null : total * 1000,
    attempts: Array.isArray(retries) ? retries.length + 1 : null,
    rest: row,
    ...(conversation.after.length > 0 && { raw: { messages_after_answer: conversation.after } }),
    evidence: kept,
  }
}

/** The time that the calls of models took, of logs that have no working time; null if they have no calls either. */
const modelEventsMs = ({ working_time, events }: Record<string, Json>): number | null => {
  if (isKnown(working_time) || !Array.isArray(events)) return null
  let seconds: number | null = null
  for (const event of events as readonly Json[]) {
    if (!isObject(event) || event['event'] !== 'model' || !isObject(event['output'])) continue
    const { time } = event['output']
    if (typeof time === 'number' && Number.isFinite(time)) seconds = (seconds ?? 0) + time
  }
  return seconds === null ? null : seconds * 1000
}

const takeAnswer = (row: Row, losses: Losses) => {
  const output = row.row('output')
  const choice = output?.rows('choices')[0] ?? null
  const message = choice?.row('message') ?? null
  const content = message === null ? null : takeContent(message, losses)
  const text = content === null ? null : contentText(content)
  if (text !== null && output?.peek('completion') === text) output.take('completion')
  const toolCalls = message === null ? [] : takeToolCalls(message)
  return {
    text,
    thoughts: content === null ? null : thoughtsOf(content),
    stopReason: choice?.text('stop_reason') ?? null,
    /** The calls of the answer that are not among those of the messages. */
    toolCalls: (known: ReadonlyArray<{ readonly id?: string }>) =>
      toolCalls.filter(({ id }) => id === undefined || !known.some((call) => call.id === id)),
  }
}

const takeVars = (row: Row, losses: Losses): Readonly<Record<string, Json>> => {
  const input = takeInput(row, losses)
  const vars: Record<string, Json> = {
    ...(input !== undefined && { input }),
    ...(row.has('target') && { target: row.take('target') }),
    ...(row.has('choices') && { choices: row.take('choices') }),
  }
  const metadata = row.row('metadata')
  const members = metadata?.keys() ?? []
  return members.length === 0 ? vars : { ...vars, metadata: row.take('metadata') }
}

const takeFailure = (row: Row, losses: Losses): NonNullable<CaseDraft['failure']> | null => {
  const error = row.row('error')
  if (error === null) {
    const message = row.text('error')
    return message === null ? null : { message }
  }
  if (error.has('traceback_ansi'))
    losses.add('left_out', `${error.path}.traceback_ansi`, error.take('traceback_ansi'), 'the trace again, in colours')
  return { message: error.text('message') ?? 'the sample failed', trace: error.text('traceback') }
}
