import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { CaseEvidence, TranscriptLine } from '../../document/evidence/case-evidence.ts'
import { chatMessages } from '../../document/evidence/chat-messages.ts'
import { transcriptContent } from '../../document/evidence/transcript-content.ts'
import { membersOf, take, takeText, withoutNulls, type Members } from '../../document/evidence/transcript-members.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import { hasZone, readTimeMs } from '../../document/time/times.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { numberAt, objectAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/** A root run with its steps, as evidence: they are a tree by their parents, in the order of their start. */
export const langsmithEvidence = (root: JsonObject, children: readonly JsonObject[]): CaseEvidence => {
  const id = textAt(root, 'id') ?? 'run'
  return {
    path: id,
    lossPath: '(child runs)',
    name: `run ${id}`,
    transcript: async function* (move) {
      yield { transcript: 1, source: { format: 'langsmith', path: id } }
      yield* treeLines([root, ...children], move)
    },
  }
}

const treeLines = function* (runs: readonly JsonObject[], move: MoveToParts): Generator<TranscriptLine> {
  const messages = chatMessages(move)
  const known = new Set(runs.map((run) => textAt(run, 'id')))
  const below = new Map<string | null, JsonObject[]>()
  const byStart = runs
    .map((run, index) => ({ run, index, ms: readTimeMs(textAt(run, 'start_time')) }))
    .sort((a, b) => a.ms - b.ms || a.index - b.index || 0)
  for (const { run, index } of byStart) {
    const parent = textAt(run, 'parent_run_id')
    // The root is first; a step whose parent is missing, or itself, is in it.
    const place =
      index === 0 ? null : known.has(parent) && parent !== textAt(run, 'id') ? parent : textAt(runs[0], 'id')
    const siblings = below.get(place)
    if (siblings === undefined) below.set(place, [run])
    else siblings.push(run)
  }
  type Step = { readonly run: JsonObject; readonly parent: string | undefined } | { readonly end: TranscriptLine }
  const isShown = new Set<JsonObject>()
  // The root with all that is in it, and then steps that are in each other alone.
  const waiting: Step[] = byStart.map(({ run }) => ({ run, parent: undefined })).reverse()
  waiting.push(...(below.get(null) ?? []).map((run) => ({ run, parent: undefined })))
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    if ('end' in step) {
      yield step.end
      continue
    }
    const { run, parent } = step
    if (isShown.has(run)) continue
    isShown.add(run)
    const id = textAt(run, 'id') ?? `run-${isShown.size}`
    const steps = below.get(id) ?? []
    yield* runLines(run, id, parent, steps.length > 0, messages, move)
    if (steps.length === 0) continue
    waiting.push({ end: { type: 'span_end', id: `${id}.end`, parent: id } })
    waiting.push(...steps.map((child) => ({ run: child, parent: id })).reverse())
  }
}

const runLines = function* (
  run: JsonObject,
  id: string,
  parent: string | undefined,
  isSpan: boolean,
  messages: ReturnType<typeof chatMessages>,
  move: MoveToParts,
): Generator<TranscriptLine> {
  const rest = membersOf(run)
  delete rest['id']
  // A parent that is not there stays as it was.
  if (rest['parent_run_id'] === parent) delete rest['parent_run_id']
  const { run_type: type } = rest
  if (type === 'llm' || type === 'tool') delete rest['run_type']
  const times = takeTimes(rest)
  const name = takeText(rest, 'name')
  const failed = takeText(rest, 'error')
  const error = failed === undefined ? {} : { error: { message: failed } }
  const place = { ...times, ...(parent !== undefined && { parent }) }
  const inside = isSpan ? { ...times, parent: id } : place
  const own = isSpan ? `${id}.call` : id
  const left = (): Members => {
    const source = withoutNulls(rest)
    return source === null ? {} : { source: move(source, 'other') }
  }
  const isEvent = type === 'llm' || type === 'tool'
  if (isSpan) {
    const kind = type === 'tool' ? 'tool' : 'step'
    yield { type: 'span', id, ...place, name, kind, ...(!isEvent && { ...error, ...left() }) }
  }
  if (type === 'llm') {
    const asked = messages(takeMessages(rest, 'inputs'), id)
    const answered = messages(takeMessages(rest, 'outputs'), `${id}.answer`)
    yield* asked.lines.map((line) => ({ ...line, parent: inside.parent }))
    const model = textAt(objectAt(rest['extra'], 'metadata'), 'ls_model_name') ?? name
    const [input, output] = [asked, answered].map(({ ranges }) => ranges.map(([from, to]) => [from, to]))
    const usage = takeUsage(rest)
    yield { type: 'model', id: own, ...inside, name, model, input, output, ...usage, ...error, ...left() }
    yield* answered.lines.map((line) => ({ ...line, parent: inside.parent }))
  } else if (type === 'tool') {
    const [given, result] = [take(rest, 'inputs'), take(rest, 'outputs')]
    yield {
      type: 'tool',
      id: own,
      ...inside,
      name,
      ...(given !== undefined && { arguments: move(given, 'output') }),
      ...(result !== undefined && { result: transcriptContent(move(result, 'output'), move) }),
      ...error,
      ...left(),
    }
  } else if (!isSpan) yield { type: 'other', id, ...place, name, ...error, ...left() }
}

/** Takes the start of a run, which is in UTC without a zone, and its duration. */
const takeTimes = (members: Members): { readonly at?: string; readonly ms?: number } => {
  const [start, end] = [members['start_time'], members['end_time']]
  const text = typeof start === 'string' ? start : ''
  const from = readTimeMs(text)
  if (Number.isNaN(from)) return {}
  delete members['start_time']
  // The end has more digits than the duration.
  const ms = typeof end === 'string' ? readTimeMs(end) - from : Number.NaN
  return { at: `${text.replace(' ', 'T')}${hasZone(text) ? '' : 'Z'}`, ...(ms >= 0 && { ms }) }
}

/** Takes the messages of the inputs or the outputs, if they are in the shape of the chat APIs. */
const takeMessages = (members: Members, key: 'inputs' | 'outputs'): readonly Json[] => {
  const value = members[key]
  if (!isObject(value)) return []
  const isMessage = (item: Json): boolean => isObject(item) && typeof item['role'] === 'string'
  const { messages, choices, ...others } = value
  const inputs: unknown =
    Array.isArray(messages) && messages.length === 1 && Array.isArray(messages[0]) ? messages[0] : messages
  if (Array.isArray(inputs) && inputs.every(isMessage)) {
    members[key] = { ...others, ...(choices !== undefined && { choices }) }
    return inputs as Json[]
  }
  const [choice, ...more] = Array.isArray(choices) ? (choices as Json[]) : []
  if (!isObject(choice) || more.length > 0 || !isMessage(choice['message'] ?? null)) return []
  const { message, ...around } = choice
  members[key] = { ...others, ...(messages !== undefined && { messages }), choices: [around] }
  return [message!]
}

const takeUsage = (members: Members): Members => {
  const cached = numberAt(objectAt(members['prompt_token_details']), 'cache_read')
  const usage = promptUsage(numberAt(members, 'prompt_tokens'), numberAt(members, 'completion_tokens'), cached)
  const cost = members['total_cost']
  const amount = typeof cost === 'number' || (typeof cost === 'string' && cost !== '') ? Number(cost) : Number.NaN
  return {
    ...(usage !== null && { usage: { ...usage } }),
    ...(Number.isFinite(amount) && { cost_usd: amount }),
  }
}
