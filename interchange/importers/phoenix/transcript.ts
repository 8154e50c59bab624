import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { spanMoment, takeStepTimes } from '../../document/evidence/span-parts.ts'
import { stepLines, type TraceStep } from '../../document/evidence/trace-steps.ts'
import { membersOf, take, takeText, withoutNulls, type Members } from '../../document/evidence/transcript-members.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import type { Usage } from '../../document/case/case-draft.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { jsonOrText } from '../../read/json/inner-json.ts'
import { numberAt, objectAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import { takeMessages } from './messages.ts'

/** The spans of a trace as evidence: a tree by their parents. They are read when the transcript is. */
export const phoenixEvidence = (trace: string, spans: () => readonly JsonObject[]): CaseEvidence => ({
  path: trace,
  lossPath: '(spans)',
  name: `trace ${trace}`,
  transcript: async function* (move) {
    yield { transcript: 1, source: { format: 'phoenix', path: trace } }
    // Their times have more digits than a step.
    const ordered = [...spans()].sort((a, b) => (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0))
    yield* stepLines(ordered.map(stepOf), move)
  },
})

const startOf = (span: JsonObject): string => textAt(span, 'start_time') ?? ''

const KINDS: ReadonlyMap<unknown, TraceStep['kind']> = new Map([
  ['LLM', 'model'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
])

/** A span as the API has it, with its attributes in the convention of OpenInference. */
const stepOf = (span: JsonObject): TraceStep => {
  const rest = membersOf(span)
  const attributes = membersOf(objectAt(span, 'attributes') ?? {})
  if (isObject(rest['attributes'])) delete rest['attributes']
  const kind = KINDS.get(rest['span_kind']) ?? 'step'
  if (kind !== 'step') delete rest['span_kind']
  // The first line names the trace.
  const { trace_id: _, ...context } = objectAt(span, 'context') ?? {}
  const id = textAt(context, 'span_id')
  if (id !== null) delete context['span_id']
  if (isObject(rest['context'])) delete rest['context']
  const events = objectsAt(span, 'events')
  if (Array.isArray(span['events']) && events.length === span['events'].length) delete rest['events']
  const times = takeStepTimes(rest, 'start_time', 'end_time')
  const ownName = takeText(rest, 'name')
  const [given, output] = ['input', 'output'].map((key) =>
    // A span may have a member of that name.
    kind !== 'tool' && key in rest ? undefined : takeValue(attributes, key),
  )
  const toolName = kind === 'tool' ? takeText(attributes, 'tool.name') : undefined
  const name = toolName ?? ownName
  const about = (): Members => ({
    ...rest,
    ...(Object.keys(context).length > 0 && { context }),
    ...(ownName !== undefined && name !== ownName && { name: ownName }),
    ...(kind !== 'tool' && withoutNulls({ input: given, output })),
    ...(Object.keys(attributes).length > 0 && { attributes: { ...attributes } }),
  })
  const facts = {
    ...{ id, parent: textAt(span, 'parent_id'), parentKey: 'parent_id' },
    ...{ kind, ...times, name, error: takeError(rest), moments: events.map(spanMoment) },
  }
  if (kind === 'tool')
    return { ...facts, call: takeText(attributes, 'tool.id'), arguments: given, result: output, rest: about() }
  if (kind !== 'model') return { ...facts, rest: about() }
  const request = takeText(attributes, 'llm.invocation_parameters')
  const call = {
    model: takeText(attributes, 'llm.model_name'),
    request: request === undefined ? undefined : jsonOrText(request),
    asked: takeMessages(attributes, 'llm.input_messages.'),
    answered: takeMessages(attributes, 'llm.output_messages.'),
    usage: usageOf(attributes),
    costUsd: numberAt(attributes, 'llm.cost.total'),
  }
  return { ...facts, ...call, rest: about() }
}

/** Takes the input or the output of a span, which its type says to be JSON in a text. */
const takeValue = (attributes: Members, key: string): Json | undefined => {
  const value = take(attributes, `${key}.value`)
  const isJson = attributes[`${key}.mime_type`] === 'application/json'
  return isJson && typeof value === 'string' ? jsonOrText(value) : value
}

/** The tokens of the prompt have those of the cache in them. The attributes stay, which have more numbers. */
const usageOf = (attributes: Members): Usage | null => {
  const tokens = (key: string) => numberAt(attributes, `llm.token_count.${key}`)
  const [prompt, completion] = [tokens('prompt'), tokens('completion')]
  const [read, written] = [tokens('prompt_details.cache_read'), tokens('prompt_details.cache_write')]
  const input = prompt === null ? null : Math.max(0, prompt - (read ?? 0) - (written ?? 0))
  return tokenUsage(input, completion, read, written)
}

/** Takes the status of a span that failed. */
const takeError = (rest: Members): TraceStep['error'] => {
  if (rest['status_code'] !== 'ERROR') return undefined
  delete rest['status_code']
  return { message: takeText(rest, 'status_message') || 'the span has the status of an error' }
}
