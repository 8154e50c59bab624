import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { spanMoment } from '../../document/evidence/span-parts.ts'
import { stepLines, type TraceStep } from '../../document/evidence/trace-steps.ts'
import { membersOf, take, type Members } from '../../document/evidence/transcript-members.ts'
import type { TraceArtifacts } from './artifacts.ts'
import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { jsonOrText } from '../../read/json/inner-json.ts'
import { numberAt, objectAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/** The spans of a trace as evidence: a tree by their parents, with the files of the trace. Null without both. */
export const mlflowEvidence = (
  id: string,
  stored: readonly Json[],
  { spans: readSpans, ...artifacts }: TraceArtifacts = {},
): CaseEvidence | null => {
  const hasSpans = stored.some(isObject)
  if (!hasSpans && artifacts.folder === undefined) return null
  return {
    ...artifacts,
    path: id,
    lossPath: '(spans)',
    name: `trace ${id}`,
    transcript:
      !hasSpans && readSpans === undefined
        ? null
        : async function* (move, losses) {
            const spans = hasSpans ? stored : (readSpans?.(losses) ?? [])
            yield { transcript: 1, source: { format: 'mlflow', path: id } }
            for (const span of spans) if (!isObject(span)) losses.add('left_out', '*.data.spans.*', span, 'no span')
            yield* stepLines(spans.filter(isObject).map(stepOf), move)
          },
  }
}

const MODEL_TYPES: ReadonlySet<unknown> = new Set(['LLM', 'CHAT_MODEL', 'GENERATION'])
const INPUTS = 'mlflow.spanInputs'
const OUTPUTS = 'mlflow.spanOutputs'

const kindOf = (type: Json | undefined): TraceStep['kind'] =>
  MODEL_TYPES.has(type) ? 'model' : type === 'TOOL' ? 'tool' : type === 'AGENT' ? 'agent' : 'step'

/** A span, in the form of MLflow 3 or of older versions. Its attributes are JSON in texts. */
const stepOf = (span: JsonObject): TraceStep => {
  const rest = membersOf(span)
  const attributes = membersOf(
    Object.fromEntries(
      Object.entries(objectAt(span, 'attributes') ?? {}).map(([key, value]) => [
        key,
        typeof value === 'string' ? jsonOrText(value) : value,
      ]),
    ),
  )
  if (isObject(span['attributes'])) delete rest['attributes']
  const kind = kindOf(attributes['mlflow.spanType'])
  const parentKey = 'parent_id' in span ? 'parent_id' : 'parent_span_id'
  const id = textAt(span, 'span_id') ?? textAt(span, 'context', 'span_id')
  if (textAt(span, 'span_id') !== null) delete rest['span_id']
  const name = textAt(span, 'name')
  if (name !== null) delete rest['name']
  const events = objectsAt(span, 'events')
  if (Array.isArray(span['events']) && events.length === span['events'].length) delete rest['events']
  const given = take(attributes, INPUTS)
  const outputs = take(attributes, OUTPUTS)
  const about = (): Members => ({
    ...rest,
    ...(kind === 'model' && { inputs: withoutMessages(given), outputs: withoutAnswer(outputs) }),
    ...(kind === 'step' || kind === 'agent' ? { inputs: given, outputs } : {}),
    attributes: Object.keys(attributes).length === 0 ? undefined : { ...(attributes as JsonObject) },
  })
  const facts = {
    ...{ id, parent: textAt(span, parentKey), kind, ...takeTimes(rest), error: takeStatus(rest), parentKey },
    ...(name !== null && { name }),
    moments: events.map(spanMoment),
  }
  if (kind === 'tool') return { ...facts, arguments: given, result: outputs, rest: about() }
  if (kind !== 'model') return { ...facts, rest: about() }
  return { ...facts, ...callOf(attributes, given, outputs), rest: about() }
}

const callOf = (attributes: Members, given: Json | undefined, outputs: Json | undefined) => {
  const model = textAt(attributes, 'mlflow.llm.model') ?? textAt(given, 'model') ?? undefined
  const used = attributes['mlflow.chat.tokenUsage']
  const tokens = (key: string) => numberAt(used, key)
  return {
    model,
    asked: messagesIn(given) ?? [],
    answered: answerIn(outputs),
    usage: promptUsage(tokens('input_tokens'), tokens('output_tokens'), tokens('cache_read_input_tokens')),
    costUsd: numberAt(attributes['mlflow.llm.cost'], 'total_cost'),
  }
}

const isMessage = (value: Json): boolean => isObject(value) && typeof value['role'] === 'string'

/** The messages that a model was asked, in the form of the chat APIs; null for another input. */
const messagesIn = (given: Json | undefined): readonly Json[] | null => {
  const list: unknown = isObject(given) ? given['messages'] : given
  return Array.isArray(list) && list.length > 0 && (list as Json[]).every(isMessage) ? (list as Json[]) : null
}

const withoutMessages = (given: Json | undefined): Json | undefined => {
  if (messagesIn(given) === null) return given
  if (!isObject(given)) return undefined
  const { messages: _, ...others } = given
  return Object.keys(others).length === 0 ? undefined : others
}

/** The answer of a model: a message, or the text of one. */
const answerIn = (outputs: Json | undefined): readonly Json[] => {
  if (typeof outputs === 'string') return [{ role: 'assistant', content: outputs }]
  if (outputs !== undefined && isMessage(outputs)) return [outputs]
  const [choice, ...others] = objectsAt(outputs, 'choices')
  return choice !== undefined && others.length === 0 && isMessage(choice['message'] ?? null) ? [choice['message']!] : []
}

const withoutAnswer = (outputs: Json | undefined): Json | undefined => {
  if (answerIn(outputs).length === 0) return outputs
  if (!isObject(outputs) || isMessage(outputs)) return undefined
  const { choices, ...others } = outputs
  const [choice] = choices as JsonObject[]
  const { message: _, ...around } = choice!
  return { ...others, choices: [around] }
}

const START = ['start_time_unix_nano', 'start_time']
const END = ['end_time_unix_nano', 'end_time']

/** Takes the times of a span in nanoseconds. */
const takeTimes = (rest: Members) => {
  const nanos = (keys: readonly string[]): number | null => {
    for (const key of keys) {
      const value = rest[key]
      const text = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : value
      if (typeof text === 'string' && /^\d+$/.test(text)) return Number(text)
    }
    return null
  }
  const [start, end] = [nanos(START), nanos(END)]
  const at = start === null ? null : timeOfMs(Math.floor(start / 1e6))
  const ms = start === null || end === null ? Number.NaN : (end - start) / 1e6
  return {
    startMs: start === null ? Number.NaN : start / 1e6,
    ...(at !== null && { at }),
    ...(ms >= 0 && { ms }),
  }
}

/** Takes the status of a span that failed. */
const takeStatus = (rest: Members): TraceStep['error'] => {
  const status = objectAt(rest, 'status') ?? { code: rest['status_code'], message: rest['status_message'] }
  const code = textAt(status, 'code') ?? textAt(status, 'status_code')
  if (code !== 'STATUS_CODE_ERROR' && code !== 'ERROR') return undefined
  return {
    message: textAt(status, 'message') ?? textAt(status, 'description') ?? 'the span has the status of an error',
  }
}
