import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { TranscriptLine } from '../../document/evidence/case-evidence.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import { resolverOf, type Attachments } from './attachments.ts'
import type { LogEvents, Pool } from './log.ts'
import { contentOf, messageText, numberMessages } from './transcript-messages.ts'
import {
  defined,
  durationOf,
  membersOf,
  take,
  takeAll,
  takeError,
  takeList,
  takeText,
  takeTime,
  withoutNulls,
  type Members,
} from '../../document/evidence/transcript-members.ts'

/** What the first line says of the source. */
export type TranscriptSource = {
  readonly version: string | null
  readonly path: string
  readonly agent: string | null
  readonly model: string | null
}

type Read = { readonly line: Members; readonly before?: readonly Members[]; readonly after?: readonly Members[] }
type Role = Parameters<MoveToParts>[1]

const SPAN_KINDS: ReadonlyMap<string | undefined, string> = new Map([
  ['agent', 'agent'],
  ['subagent', 'agent'],
  ['tool', 'tool'],
  ['retry', 'retry'],
])
const EVENT_ROLES: ReadonlyMap<string, Role> = new Map([
  ['sample_init', 'input'],
  ['tool', 'output'],
  ['model', 'output'],
  ['score', 'grading'],
])

/**
 * The transcript of a sample: its events in their order, with each message of the conversation once, before the first
 * call of a model that has it. Members of an event without a place in a transcript are in `source`, as they were. Reads
 * the event types of Inspect 0.3.285 and before; one of another type is an event of the type `other`. If no event has
 * messages, those of the conversation follow.
 */
export const inspectTranscript = async function* (
  { events, messages: pool }: Omit<LogEvents, 'calls'>,
  conversation: Pool,
  { version, path, agent, model }: TranscriptSource,
  move: MoveToParts,
): AsyncGenerator<TranscriptLine> {
  yield {
    transcript: 1,
    source: defined({ format: 'inspect', version: version ?? undefined, path }),
    ...((agent !== null || model !== null) && {
      agent: defined({ name: agent ?? undefined, model: model ?? undefined }),
    }),
  }
  const isUsed = new Set<string>()
  let lastId = 0
  /** An id that no earlier event has. */
  const newId = (name: string): string => {
    let id: string
    do id = `${name}-${++lastId}`
    while (isUsed.has(id))
    isUsed.add(id)
    return id
  }
  /** Takes the id of an event. One that another event has stays with what is left of this one. */
  const takeId = (rest: Members, key: string, name: string): string => {
    const id = rest[key]
    if (typeof id !== 'string' || id === '' || isUsed.has(id)) return newId(name)
    isUsed.add(id)
    delete rest[key]
    return id
  }
  const numbered = numberMessages(pool, move, newId)

  /** Spans that older logs open and close by their order, the innermost last. */
  const steps: string[] = []

  const readModel = (rest: Members, texts: Attachments, parent: string | undefined): Read => {
    const refs = refsIn(rest['input_refs'])
    const referred = refs && numbered.ofPool(refs, parent)
    if (referred !== null) delete rest['input_refs']
    const given = numbered.given(takeList(rest, 'input') ?? [], texts, parent)
    const line: Members = {
      type: 'model',
      model: takeText(rest, 'model'),
      input: [...given.ranges, ...(referred?.ranges ?? [])],
    }
    const before = [...given.lines, ...(referred?.lines ?? [])]
    line['request'] = takeAll(rest, ['tools', 'tool_choice', 'config', 'call'])
    takeError(rest, line)
    const output = isObject(rest['output']) ? membersOf(rest['output']) : null
    const [choice, ...others] = (output !== null && takeList(output, 'choices')) || []
    if (output === null || !isObject(choice) || !isObject(choice['message'])) return { line, before }
    const { message, stop_reason, ...more }: Members = choice as JsonObject
    const answer = numbered.given([message ?? null], texts, parent)
    line['output'] = answer.ranges
    if (typeof stop_reason === 'string') line['stop_reason'] = stop_reason
    else if (stop_reason !== undefined && stop_reason !== null) more['stop_reason'] = stop_reason
    // The text of the message again.
    if (output['completion'] === messageText(message ?? null)) delete output['completion']
    const left = [...(Object.keys(more).length > 0 ? [more as Json] : []), ...others]
    if (left.length > 0) output['choices'] = left
    const usage = usageOf(output['usage'])
    if (usage !== null) line['usage'] = usage.usage
    if (usage?.cost !== undefined) line['cost_usd'] = usage.cost
    if (output['model'] === line['model']) delete output['model']
    rest['output'] = withoutNulls(output) ?? undefined
    return { line, before, after: answer.lines }
  }

  const read = (event: JsonObject, texts: Attachments): Members[] => {
    const rest = membersOf(event)
    const whole = (value: Json, role: Role): Json => move(value, role, resolverOf(texts))
    const type = takeText(rest, 'event') ?? 'event'
    const role = EVENT_ROLES.get(type) ?? 'other'
    const spanId = takeText(rest, 'span_id')
    const parent = spanId ?? steps.at(-1)
    const at = takeTime(rest)
    const times = { ...(at !== null && { at }), ...durationOf(at, rest['completed']) }
    const finish = (line: Members, id: string, from: string | null = parent ?? null): Members => {
      const source = withoutNulls(rest)
      const moved: Members = {}
      for (const [key, value] of Object.entries(line))
        moved[key] = value === undefined || AS_IT_IS.has(key) ? value : whole(value, role)
      return {
        type: line['type'],
        id,
        parent: from ?? undefined,
        ...times,
        ...moved,
        ...(source !== null && { source: whole(source, role) }),
      }
    }
    const span = (id: string, from: string | null | undefined): Members => {
      const kind = takeText(rest, 'type')
      const known = SPAN_KINDS.get(kind)
      if (known === undefined) rest['type'] = kind
      return finish({ type: 'span', name: takeText(rest, 'name'), kind: known ?? 'step' }, id, from)
    }
    if (type === 'span_begin') {
      // Its own span is the one that it begins.
      if (spanId !== rest['id']) rest['span_id'] = spanId
      const id = takeId(rest, 'id', 'span')
      return [span(id, takeText(rest, 'parent_id') ?? null)]
    }
    if (type === 'span_end') {
      if (spanId !== rest['id']) rest['span_id'] = spanId
      const ended = takeText(rest, 'id')
      return [finish({ type: 'span_end' }, takeId(rest, 'uuid', 'end'), ended ?? null)]
    }
    if (type === 'step' && (rest['action'] === 'begin' || rest['action'] === 'end')) {
      const isBegin = take(rest, 'action') === 'begin'
      const id = newId(isBegin ? 'step' : 'end')
      if (!isBegin) {
        if (spanId !== steps.at(-1)) rest['span_id'] = spanId
        return [finish({ type: 'span_end' }, id, steps.pop() ?? null)]
      }
      const line = span(id, parent ?? null)
      steps.push(id)
      return [line]
    }
    const id = takeId(rest, 'uuid', type)
    const nested = type === 'tool' || type === 'subtask' ? takeList(rest, 'events') : undefined
    if ((nested !== undefined && nested.length > 0) || type === 'subtask') {
      const own = newId('span')
      const name = rest[type === 'tool' ? 'function' : 'name']
      const depth = steps.push(own)
      const lines = [
        {
          type: 'span',
          id: own,
          parent,
          name: typeof name === 'string' ? name : undefined,
          kind: type === 'tool' ? 'tool' : 'step',
        },
        finish(type === 'tool' ? toolLine(rest, whole) : { type: 'other', name: 'subtask' }, id, own),
        ...(nested ?? []).flatMap((item) => readAny(item, texts)),
        { type: 'span_end', id: newId('end'), parent: own },
      ]
      // Steps that were not ended end with it.
      steps.length = depth - 1
      return lines
    }
    const {
      line,
      before = [],
      after = [],
    }: Read = type === 'model'
      ? readModel(rest, texts, parent)
      : { line: type === 'tool' ? toolLine(rest, whole) : (READERS.get(type)?.(rest) ?? { type: 'other', name: type }) }
    return [...before, finish(line, id), ...after]
  }

  const readAny = (event: Json, texts: Attachments): Members[] =>
    isObject(event)
      ? read(event, texts)
      : [{ type: 'other', id: newId('value'), parent: steps.at(-1), source: move(event, 'other', resolverOf(texts)) }]

  for await (const { value, texts } of events) for (const line of readAny(value, texts)) yield line
  if (numbered.count() === 0)
    yield* numbered.given([...conversation.items.values()], conversation.texts, undefined).lines
}

/** Members of a line whose texts were moved already, or that have none. */
const AS_IT_IS: ReadonlySet<string> = new Set(['type', 'input', 'output', 'result', 'usage'])

const toolLine = (rest: Members, whole: (value: Json, role: Role) => Json): Members => {
  const line: Members = { type: 'tool', call: takeText(rest, 'id'), name: takeText(rest, 'function') }
  line['arguments'] = take(rest, 'arguments')
  const result = take(rest, 'result')
  if (result !== undefined && result !== null) line['result'] = contentOf(whole(result, 'output'))
  takeError(rest, line)
  return line
}

/** The event types that have a place for more than their name. Each takes what it reads from the members. */
const READERS: ReadonlyMap<string, (rest: Members) => Members> = new Map<string, (rest: Members) => Members>([
  ['state', () => ({ type: 'state', name: 'state' })],
  ['store', () => ({ type: 'state', name: 'store' })],
  [
    'score',
    (rest) => {
      const line: Members = { type: 'score', name: takeText(rest, 'scorer') }
      if (!isObject(rest['score'])) return line
      const score = membersOf(rest['score'])
      line['value'] = take(score, 'value')
      line['reason'] = takeText(score, 'explanation')
      rest['score'] = withoutNulls(score) ?? undefined
      return line
    },
  ],
  [
    'sample_limit',
    (rest) => ({ type: 'limit', limit: defined({ type: take(rest, 'type'), value: take(rest, 'limit') }) }),
  ],
  [
    'error',
    (rest) => {
      const line: Members = { type: 'error' }
      takeError(rest, line)
      return line
    },
  ],
  [
    'approval',
    (rest) => ({ type: 'approval', name: takeText(rest, 'approver'), reason: takeText(rest, 'explanation') }),
  ],
  ['input', (rest) => ({ type: 'input', content: takeText(rest, 'input') })],
  ['info', (rest) => ({ type: 'log', name: takeText(rest, 'source'), content: contentOf(take(rest, 'data') ?? null) })],
  [
    'logger',
    (rest) => {
      if (!isObject(rest['message'])) return { type: 'log' }
      const message = membersOf(rest['message'])
      const content = takeText(message, 'message')
      rest['message'] = withoutNulls(message) ?? undefined
      return { type: 'log', content }
    },
  ],
])

/** The ranges of messages of a call, the end excluded; null if they have another shape. */
const refsIn = (refs: Json | undefined): ReadonlyArray<readonly [number, number]> | null => {
  const isRange = (item: unknown): item is [number, number] =>
    Array.isArray(item) && item.length === 2 && item.every((end) => Number.isSafeInteger(end) && end >= 0)
  return Array.isArray(refs) && refs.every(isRange) ? refs : null
}

const USAGE = {
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  input_tokens_cache_read: 'cache_read_tokens',
  input_tokens_cache_write: 'cache_write_tokens',
} as const

/** The tokens and the money of a call; null if there are none. The source keeps them too. */
const usageOf = (value: Json | undefined): { readonly usage: Json; readonly cost?: number } | null => {
  if (!isObject(value)) return null
  const usage: Record<string, Json> = {}
  for (const [key, name] of Object.entries(USAGE)) {
    const count = value[key]
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) usage[name] = count
  }
  if (Object.keys(usage).length === 0) return null
  const cost = value['total_cost']
  return { usage, ...(typeof cost === 'number' && Number.isFinite(cost) && { cost }) }
}
