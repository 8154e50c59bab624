import { hash } from 'node:crypto'
import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { ReadFile, TranscriptLine } from '../../document/evidence/case-evidence.ts'
import { transcriptContent } from '../../document/evidence/transcript-content.ts'
import { verdictIn } from '../../document/case/verdicts.ts'
import {
  defined,
  lineIds,
  membersOf,
  take,
  takeText,
  withoutNulls,
  type Members,
} from '../../document/evidence/transcript-members.ts'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import { exchangeOf, isMessage, messageAttributes, type Message } from './messages.ts'
import type { Moment, Span } from './records.ts'
import { answersInWords, durationMs, operationOf, timeOfNanos, usageOf, valueAt } from './span-facts.ts'
import { orderedSpans, type Trace } from './trace.ts'

type Role = Parameters<MoveToParts>[1]
const ROLES: ReadonlyMap<string, Role> = new Map([
  ['system', 'input'],
  ['user', 'input'],
])

/**
 * A trace as a transcript. A span is an event of what it does: the call of a model, after the messages that it was sent, each once,
 * and before its answer; the call of a tool; else a step. One with spans in it, or that of an agent, is a span with its event in it.
 * Attributes without a place in a transcript are in `source`.
 */
export const otlpTranscript = async function* (
  trace: Trace,
  path: string,
  move: MoveToParts,
  readFile: ReadFile,
  format = 'otlp',
): AsyncGenerator<TranscriptLine> {
  const { roots, childrenOf } = orderedSpans(trace)
  const { agent, model } = agentOf(trace)
  yield {
    transcript: 1,
    source: defined({ format, path }),
    ...((agent !== null || model !== null) && {
      agent: defined({ name: agent ?? undefined, model: model ?? undefined }),
    }),
  }
  const newId = lineIds()
  /** The numbers of the messages so far, by their content. */
  const numbers = new Map<string, { readonly number: number; readonly rest: JsonObject }>()
  let count = 0

  const moved = (members: Members): { readonly source?: Json } => {
    const source = withoutNulls(members)
    return source === null ? {} : { source: move(source, 'other') }
  }

  /** Files that a message refers to by an address or a path. */
  const withFiles = (content: Json, role: Role): Json =>
    Array.isArray(content)
      ? (content as Json[]).map((block) => {
          const uri = isObject(block) && block['type'] === 'uri' ? textAt(block, 'uri') : null
          if (!isObject(block) || uri === null) return block
          const part = readFile(uri, role, textAt(block, 'mime_type'), 'gen_ai.input.messages.*.parts.*.uri')
          if (part === null) return block
          const { uri: name, ...rest } = block
          return { ...rest, name: name!, data: `part:${part}` }
        })
      : content

  const messageLines = (messages: readonly Message[], parent: string | undefined, id: string) => {
    const [lines, ranges]: [TranscriptLine[], Array<[number, number]>] = [[], []]
    for (const message of messages) {
      const { role, content, calls, call, rest } = message
      const key = hash('sha256', canonicalJson([role, content, calls.map((item) => ({ ...item })), call]), 'base64')
      const known = numbers.get(key)
      // A message that is repeated may lack what was said of it before, such as why it ended.
      const isKnown = known !== undefined && isWithin(rest, known.rest)
      const number = isKnown ? known.number : count++
      if (!isKnown) {
        numbers.set(key, { number, rest })
        const of = ROLES.get(role) ?? 'output'
        lines.push({
          type: 'message',
          id: newId(`${id}.message`),
          parent,
          role,
          content: transcriptContent(move(withFiles(content, of), of), move),
          ...(calls.length > 0 && {
            tool_calls: move(
              calls.map((item) => ({ ...item })),
              of,
            ),
          }),
          ...(call !== null && { call }),
          ...moved({ ...rest }),
        })
      }
      const last = ranges.at(-1)
      if (last?.[1] === number - 1) last[1] = number
      else ranges.push([number, number])
    }
    return { lines, ranges }
  }

  const momentLine = (moment: Moment, parent: string | undefined, id: string): TranscriptLine => {
    const { name, body, rest } = moment
    const attributes = membersOf(moment.attributes)
    const at = timeOfNanos(moment.at)
    const place = { id: newId(`${id}.event`), parent, ...(at !== null && { at }) }
    const left = (): Members => ({ ...rest, attributes: withoutNulls(attributes) ?? undefined, body })
    if (name === 'exception') {
      const error = {
        message: takeText(attributes, 'exception.message'),
        trace: takeText(attributes, 'exception.stacktrace'),
      }
      return { type: 'error', ...place, error: move(defined(error), 'output'), ...moved(left()) }
    }
    if (name === 'gen_ai.evaluation.result') {
      const passed = verdictIn(attributes['gen_ai.evaluation.score.label'])
      const score = take(attributes, 'gen_ai.evaluation.score.value')
      const value = score ?? take(attributes, 'gen_ai.evaluation.score.label')
      const line = {
        name: takeText(attributes, 'gen_ai.evaluation.name'),
        value,
        ...(passed !== null && { passed }),
        reason: takeText(attributes, 'gen_ai.evaluation.explanation'),
      }
      return { type: 'score', ...place, ...line, ...moved(left()) }
    }
    if (isMessage(moment)) for (const key of messageAttributes(moment.attributes)) delete attributes[key]
    // The older events are messages of their own: what they are apart from that stays.
    const isRead = isMessage(moment) && messageAttributes(moment.attributes).size === 0
    return { type: 'log', ...place, name, ...moved(isRead ? { ...rest } : left()) }
  }

  /** The lines of a span in front of those of its children; `after` are those that follow them. */
  const spanLines = function* (
    span: Span,
    parent: string | undefined,
    follow: (id: string, after: () => readonly TranscriptLine[]) => void,
  ): Generator<TranscriptLine> {
    const operation = operationOf(span)
    const children = childrenOf(span)
    const at = timeOfNanos(span.start)
    const ms = durationMs(span)
    const times = { ...(at !== null && { at }), ...(ms !== null && { ms }) }
    const id = newId(span.id)
    const attributes = membersOf(span.attributes)
    const error = span.error === null ? {} : { error: { message: span.error } }
    const isWrapped = operation === 'agent' || children.length > 0
    const inside = isWrapped ? id : parent
    const own = isWrapped ? newId(`${id}.call`) : id
    const exchange = exchangeOf(span)
    const asked = messageLines(exchange.input, inside, id)
    for (const key of exchange.read) delete attributes[key]
    const operationName = takeText(attributes, 'gen_ai.operation.name')
    const about = (): Members => ({
      ...span.rest,
      // The parent of a span without one in the file, and the end of one without a duration, have no other place.
      ...(parent === undefined && span.parent !== null && { parentSpanId: span.parent }),
      ...(ms === null && span.end !== null && { endTimeUnixNano: span.end }),
      name: span.name,
      attributes: withoutNulls(attributes) ?? undefined,
    })
    const named = operationName === undefined ? {} : { operation: operationName }

    if (isWrapped) {
      const kind = operation === 'agent' || operation === 'tool' ? operation : 'step'
      const agentName = operation === 'agent' ? takeText(attributes, 'gen_ai.agent.name') : undefined
      const hasEvent = operation === 'model' || operation === 'tool'
      yield {
        type: 'span',
        id,
        parent,
        ...times,
        name: agentName ?? span.name,
        kind,
        ...(!hasEvent && { ...error, ...moved({ ...about(), ...named }) }),
      }
    }
    yield* asked.lines
    if (operation === 'model') {
      const { usage, cost, read } = usageOf(span.attributes)
      for (const key of read) delete attributes[key]
      const [requested, answeredBy] = [
        takeText(attributes, 'gen_ai.request.model'),
        takeText(attributes, 'gen_ai.response.model'),
      ]
      const request = Object.fromEntries(
        Object.entries(attributes).filter(
          ([key]) => key.startsWith('gen_ai.request.') || key === 'gen_ai.tool.definitions',
        ),
      )
      for (const key of Object.keys(request)) delete attributes[key]
      const reasons = attributes['gen_ai.response.finish_reasons']
      const [reason, ...others] = Array.isArray(reasons) ? (reasons as Json[]) : []
      if (typeof reason === 'string' && others.length === 0) delete attributes['gen_ai.response.finish_reasons']
      const answer = messageLines(exchange.output, inside, id)
      yield {
        type: 'model',
        id: own,
        parent: inside,
        ...times,
        model: answeredBy ?? requested,
        input: asked.ranges,
        output: answer.ranges,
        ...(typeof reason === 'string' && { stop_reason: reason }),
        request:
          withoutNulls({
            ...request,
            ...(answeredBy !== undefined && requested !== answeredBy && { 'gen_ai.request.model': requested }),
          }) ?? undefined,
        ...(usage !== null && { usage: { ...usage } }),
        ...(cost !== null && { cost_usd: cost }),
        ...error,
        ...moved({ ...about(), ...named }),
      }
      yield* answer.lines
    } else if (operation === 'tool') {
      const [given, result] = ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'].map((key) =>
        valueAt(span.attributes, key),
      )
      for (const key of ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']) delete attributes[key]
      yield {
        type: 'tool',
        id: own,
        parent: inside,
        ...times,
        call: takeText(attributes, 'gen_ai.tool.call.id'),
        name: takeText(attributes, 'gen_ai.tool.name') ?? span.name,
        ...(given !== undefined && { arguments: move(given, 'output') }),
        ...(result !== undefined && { result: transcriptContent(move(result, 'output'), move) }),
        ...error,
        ...moved({ ...about(), ...named }),
      }
    } else if (!isWrapped)
      yield {
        type: 'other',
        id,
        parent,
        ...times,
        name: span.name,
        ...error,
        ...moved({ ...about(), ...named, name: null }),
      }
    // What happened while spans in it ran follows them.
    const first = children[0]?.start ?? null
    const isEarly = ({ at: time }: Moment): boolean =>
      first === null || (time !== null && BigInt(time) <= BigInt(first))
    for (const moment of span.moments) if (isEarly(moment)) yield momentLine(moment, inside, id)
    const late = span.moments.filter((moment) => !isEarly(moment))
    follow(id, () => [
      ...late.map((moment) => momentLine(moment, inside, id)),
      ...(operation === 'model' ? [] : messageLines(exchange.output, inside, id).lines),
      ...(isWrapped ? [{ type: 'span_end', id: newId(`${id}.end`), parent: id }] : []),
    ])
  }

  // A stack of its own, because spans may be nested deeper than functions.
  type Step =
    | { readonly span: Span; readonly parent: string | undefined }
    | { readonly after: () => readonly TranscriptLine[] }
  const waiting: Step[] = roots.map((span) => ({ span, parent: undefined })).reverse()
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    if ('after' in step) {
      yield* step.after()
      continue
    }
    const { span, parent } = step
    yield* spanLines(span, parent, (id, after) => {
      waiting.push({ after })
      for (const child of childrenOf(span).toReversed()) waiting.push({ span: child, parent: id })
    })
  }
  for (const moment of trace.logs) yield momentLine(moment, undefined, trace.id)
}

/** Whether each member of an object is in the other one. */
const isWithin = (members: JsonObject, others: JsonObject): boolean =>
  Object.entries(members).every(([key, value]) => canonicalJson(value) === canonicalJson(others[key] ?? null))

/** The name of the agent of a trace, and the model that it calls first. */
export const agentOf = ({ spans }: Trace): { readonly agent: string | null; readonly model: string | null } => {
  const first = (key: string, isWanted: (span: Span) => boolean): string | null => {
    for (const span of spans) {
      const found = isWanted(span) ? textAt(span.attributes, key) : null
      if (found !== null) return found
    }
    return null
  }
  return {
    agent: first('gen_ai.agent.name', (span) => operationOf(span) === 'agent'),
    model: first('gen_ai.request.model', answersInWords) ?? first('gen_ai.response.model', answersInWords),
  }
}
