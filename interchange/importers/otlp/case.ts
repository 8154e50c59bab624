import type { AssertionDraft, CaseDraft, ToolCall, Usage } from '../../document/case/case-draft.ts'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import { readTurns } from '../../document/case/turns.ts'
import { verdictIn } from '../../document/case/verdicts.ts'
import type { Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { numberAt, textAt } from '../../read/members.ts'
import { providerName } from '../provider-name.ts'
import { exchangeOf, messageText, type Message } from './messages.ts'
import type { Moment, Span } from './records.ts'
import { answersInWords, durationMs, operationOf, usageOf, valueAt } from './span-facts.ts'
import { orderedSpans, type Trace } from './trace.ts'
import { agentOf, otlpTranscript } from './transcript.ts'

const TEST_ID = 'ers.test_id'

/** A trace as a case. Without the result of an evaluation it is skipped. */
export const otlpCase = (trace: Trace, path: string, hasEvidence: boolean, losses: Losses): CaseDraft => {
  const { spans } = trace
  const root = spans.find(({ parent }) => parent === null) ?? spans[0]
  const calls = spans.filter(answersInWords).map((span) => ({ span, exchange: exchangeOf(span) }))
  const whole = root === undefined ? null : exchangeOf(root)
  const [input, output] = ['input.value', 'output.value'].map((key) =>
    root ? valueAt(root.attributes, key) : undefined,
  )
  // The first call may be without a user, and the last one without a text.
  const asked = calls.map(({ exchange }) => firstAsked(exchange.input)).find((message) => message !== null)
  const question = firstAsked(whole?.input ?? []) ?? input ?? asked ?? null
  const last = calls.findLast(({ exchange }) => answerOf(exchange.output) !== null) ?? calls.at(-1)
  const answer = answerOf(whole?.output ?? []) ?? output ?? answerOf(last?.exchange.output ?? []) ?? null
  const { agent, model } = agentOf(trace)
  const name = root === undefined ? trace.id : root.name
  if (!hasEvidence) recordUnread(trace, losses)
  const { usage, costUsd } = outermostUsage(trace)
  return {
    provider: providerName(agent, model),
    test: testId(trace) ?? { inputs: question ?? name },
    name,
    vars: question === null ? {} : { input: question },
    failure: failureOf(root),
    asserts: evaluationsIn(trace),
    output: answer,
    promptSent: promptOf(last?.exchange.input ?? whole?.input ?? [], losses),
    stopReason: stopReason(last?.span),
    model,
    toolCalls: spans.filter((span) => operationOf(span) === 'tool').map(toolCall),
    usage,
    costUsd,
    latencyMs: root === undefined ? null : durationMs(root),
    raw: { trace_id: trace.id },
    evidence: hasEvidence
      ? {
          path: `${path} ${trace.id}`,
          lossPath: '(spans)',
          name: `trace ${trace.id}`,
          transcript: (move, _, readFile) => otlpTranscript(trace, path, move, readFile),
        }
      : null,
  }
}

const testId = ({ spans }: Trace): string | null => {
  for (const { attributes, resource } of spans) {
    const found = attributes[TEST_ID] ?? resource[TEST_ID]
    if (typeof found === 'string' && found !== '') return found
    if (typeof found === 'number') return String(found)
  }
  return null
}

/** The first message of a user, as a text or as its blocks. */
const firstAsked = (messages: readonly Message[]): Json | null =>
  messages.find(({ role }) => role === 'user')?.content ?? null

const answerOf = (messages: readonly Message[]): Json | null => {
  const texts = messages.map(messageText).filter((text) => text !== '')
  return texts.at(-1) ?? null
}

const promptOf = (messages: readonly Message[], losses: Losses): NonNullable<CaseDraft['promptSent']> | null => {
  const turns = messages.map(({ role, content, calls, call }) => ({
    role,
    content: typeof content === 'string' || Array.isArray(content) ? content : JSON.stringify(content),
    ...(calls.length > 0 && { tool_calls: calls.map((item) => ({ ...item })) }),
    ...(call !== null && { tool_call_id: call }),
  }))
  const read = readTurns(turns, losses, '(messages)')
  return read === null ? null : { messages: read }
}

const stopReason = (call: Span | undefined): string | null => {
  const reasons = call?.attributes['gen_ai.response.finish_reasons']
  const [reason] = Array.isArray(reasons) ? (reasons as Json[]) : []
  return typeof reason === 'string' ? reason : null
}

const toolCall = (span: Span): ToolCall => {
  const id = textAt(span.attributes, 'gen_ai.tool.call.id')
  return {
    ...(id !== null && { id }),
    name: textAt(span.attributes, 'gen_ai.tool.name') ?? span.name,
    arguments: valueAt(span.attributes, 'gen_ai.tool.call.arguments') ?? null,
  }
}

const failureOf = (root: Span | undefined): NonNullable<CaseDraft['failure']> | null => {
  if (root === undefined || root.error === null) return null
  const exception = root.moments.find(({ name }) => name === 'exception')?.attributes ?? null
  return {
    message: textAt(exception, 'exception.message') ?? root.error,
    trace: textAt(exception, 'exception.stacktrace'),
    class: textAt(root.attributes, 'error.type') ?? textAt(exception, 'exception.type'),
  }
}

const evaluationsIn = ({ spans, logs }: Trace): AssertionDraft[] =>
  [...spans.map(({ moments }) => moments), logs].flatMap((moments) => {
    const found = moments.filter(({ name }) => name === 'gen_ai.evaluation.result')
    // An instrumentation may write it twice: as an event of the span, and as a log record.
    return [...new Map(found.map((moment) => [canonicalJson(moment.attributes), evaluation(moment)])).values()]
  })

const evaluation = ({ attributes }: Moment): AssertionDraft => {
  const label = textAt(attributes, 'gen_ai.evaluation.score.label')
  const failed = textAt(attributes, 'error.type')
  // Yes and no only describe: there is no hallucination, and no toxicity.
  const verdict = verdictIn(label)
  const score = numberAt(attributes, 'gen_ai.evaluation.score.value')
  const { 'gen_ai.evaluation.name': name, 'gen_ai.evaluation.explanation': reason, ...rest } = attributes
  return {
    name: typeof name === 'string' ? name : null,
    kind: 'exec',
    originalType: 'gen_ai.evaluation.result',
    passed: verdict,
    score: score ?? (verdict === null ? null : Number(verdict)),
    ...(failed !== null && { status: 'error' as const }),
    reason: typeof reason === 'string' ? reason : failed,
    details: rest,
  }
}

/** The tokens and the cost of the calls of models. A call that is made within another one is in the sum of that one. */
const outermostUsage = (trace: Trace): { readonly usage: Usage | null; readonly costUsd: number | null } => {
  const { roots, childrenOf } = orderedSpans(trace)
  let usage: Usage | null = null
  const costs: number[] = []
  const waiting = roots.map((span) => ({ span, hasUsage: false, hasCost: false }))
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const own = operationOf(step.span) === 'model' ? usageOf(step.span.attributes) : null
    if (own && !step.hasUsage) usage = plus(usage, own.usage)
    if (own && own.cost !== null && !step.hasCost) costs.push(own.cost)
    const hasUsage = step.hasUsage || (own?.usage ?? null) !== null
    const hasCost = step.hasCost || (own?.cost ?? null) !== null
    for (const span of childrenOf(step.span)) waiting.push({ span, hasUsage, hasCost })
  }
  return { usage, costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0) }
}

const plus = (sum: Usage | null, usage: Usage | null): Usage | null => {
  if (usage === null || sum === null) return sum ?? usage
  const total: Record<string, number> = { ...sum }
  for (const [key, count] of Object.entries(usage)) total[key] = (total[key] ?? 0) + count
  return total
}

/** Records what only a transcript has a place for. */
const recordUnread = ({ spans, logs }: Trace, losses: Losses): void => {
  for (const { resource: _, ...span } of spans)
    losses.add('left_out', 'resourceSpans.*.scopeSpans', span, 'a span, which only a transcript has')
  for (const log of logs)
    losses.add('left_out', 'resourceLogs.*.scopeLogs', log, 'a record, which only a transcript has')
}
