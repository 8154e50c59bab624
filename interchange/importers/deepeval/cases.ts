import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, CaseDraft, ToolCall } from '../../document/case/case-draft.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { takeScore } from '../../document/case/verdicts.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import type { Losses } from '../../document/losses.ts'
import { readTurns } from '../../document/case/turns.ts'
import { isObject, type Row } from '../../read/row.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'

/** What a test was given, next to its input. The texts that were retrieved are a part of the answer, but read as one. */
const VARS = [
  'input',
  'expectedOutput',
  'context',
  'retrievalContext',
  'expectedTools',
  'scenario',
  'expectedOutcome',
  'userDescription',
] as const
/** Of these, what makes a test: the others are the answer, or what is expected of it. */
const INPUTS: ReadonlySet<string> = new Set(['input', 'context', 'scenario', 'userDescription'])

/** Names that DeepEval gives by position, to tests without one. */
const BY_POSITION = /^(test_case|conversational_test_case)_\d+$/

/** Reads a test case of one turn, or a conversation. */
export const testCase = (row: Row, provider: string | null, losses: Losses): CaseDraft => {
  const { vars, inputs } = deepEvalVars(row)
  const turns = row.peek('turns')
  const messages = readTurns(turns, losses, `${row.path}.turns`)
  if (messages !== null) row.take('turns')
  const name = row.text('name')
  const asserts = deepEvalMetrics(row, losses)
  const success = row.boolean('success')
  const isBroken = asserts.some(({ status, decides }) => status === 'error' && decides !== false)
  if (row.has('trace')) losses.add('left_out', `${row.path}.trace`, row.take('trace'), 'spans of a trace')
  const cost = row.number('tokenCost')
  const usage = tokenUsage(row.number('inputTokenCount'), row.number('outputTokenCount'))
  const isFlaky = row.boolean('flaky') ?? false
  const said = messages?.flatMap(({ role, content }) => (role === 'user' ? [content] : [])) ?? []
  return {
    provider,
    test: name !== null && !BY_POSITION.test(name) ? name : { inputs: said.length > 0 ? { ...inputs, said } : inputs },
    name: name !== null && BY_POSITION.test(name) ? name : null,
    tags: [...(row.texts('tags') ?? []), ...(isFlaky ? ['flaky'] : [])],
    vars,
    // A broken metric makes the case an error, though the tool counts it as failed.
    ...(success !== null && !isBroken && { status: success ? ('pass' as const) : ('fail' as const) }),
    asserts,
    output: row.take('actualOutput') ?? lastAnswer(messages),
    promptSent: messages !== null ? { messages } : typeof vars['input'] === 'string' ? { text: vars['input'] } : null,
    toolCalls: toolsOf(row, losses),
    usage,
    costUsd: cost,
    latencyMs: millisecondsOf(row, 'completionTime', losses),
    wallMs: millisecondsOf(row, 'runDuration', losses),
    rest: row,
  }
}

const deepEvalVars = (row: Row) => {
  const vars: Record<string, Json> = {}
  const inputs: Record<string, Json> = {}
  for (const key of VARS) {
    const value = row.take(key)
    if (value === null) continue
    vars[key] = value
    if (INPUTS.has(key)) inputs[key] = value
  }
  return { vars, inputs }
}

const lastAnswer = (messages: ReturnType<typeof readTurns>): Json => {
  const content = messages?.findLast(({ role }) => role === 'assistant')?.content
  return typeof content === 'string' ? content : null
}

/** DeepEval has seconds. */
const millisecondsOf = (row: Row, key: string, losses: Losses): number | null => {
  const seconds = numberOrLoss(row, key, losses, 'number of seconds')
  return seconds === null ? null : seconds * 1000
}

/** What a call returned has no place in a call: it stays in raw. */
const toolsOf = (row: Row, losses: Losses): ToolCall[] =>
  row.rows('toolsCalled').flatMap((call) => {
    const name = call.text('name')
    if (name === null) {
      losses.add('left_out', call.path, call.value, 'no call of a tool')
      return []
    }
    // The name stays with the output in raw.
    const args = call.take('inputParameters')
    if (call.rest() !== null) call.value['name'] = name
    return [{ name, arguments: args }]
  })

const deepEvalMetrics = (row: Row, losses: Losses): AssertionDraft[] => {
  const metrics = row.peek('metricsData')
  if (!Array.isArray(metrics)) return []
  const found = row.rows('metricsData').map((metric) => deepEvalMetric(metric, losses))
  const others = (metrics as Json[]).filter((metric) => !isObject(metric))
  row.take('metricsData')
  if (others.length > 0) row.value['metricsData'] = others
  return found
}

const deepEvalMetric = (metric: Row, losses: Losses): AssertionDraft => {
  const name = metric.text('name')
  const model = metric.text('evaluationModel')
  const error = metric.text('error') ?? takeFailure(metric)?.message ?? null
  const isFlaky = metric.boolean('flaky') ?? false
  const isSkipped = metric.boolean('skipped') ?? false
  const passed = metric.boolean('success')
  const reason = metric.text('reason')
  const threshold = metric.number('threshold')
  const isStrict = metric.boolean('strictMode') ?? false
  const score = takeScore(metric, 'score', losses)
  const cost = metric.number('evaluationCost')
  // The file does not say for which metrics a low value is good. Only such a metric passes below its threshold.
  const isBelow =
    passed !== null && score !== null && threshold !== null && (passed ? score < threshold : score > threshold)
  const details = {
    ...metric.rest(),
    ...(error !== null && reason !== null && { reason }),
    ...(isFlaky && { flaky: true }),
  }
  return {
    name,
    kind: model !== null ? 'llm-rubric' : name === 'Exact Match' ? 'equals' : 'exec',
    passed: error === null && !isSkipped ? passed : null,
    ...(error !== null ? { status: 'error' as const } : isSkipped ? { status: 'skipped' as const } : {}),
    score,
    ...(isBelow && { lowerIsBetter: true }),
    threshold,
    ...(isFlaky && { decides: false }),
    reason: error ?? reason,
    ...(Object.keys(details).length > 0 && { details }),
    criteria: {
      ...(threshold !== null && { threshold }),
      ...(isStrict && { strict: true }),
      ...(model !== null && { model }),
    },
    costUsd: cost,
  }
}
