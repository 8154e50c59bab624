import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { CaseEvidence, TranscriptLine } from '../../document/evidence/case-evidence.ts'
import { chatMessages } from '../../document/evidence/chat-messages.ts'
import { membersOf, take, takeText, withoutNulls, type Members } from '../../document/evidence/transcript-members.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import { readTime } from '../../document/time/times.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { numberAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/** The events that `oaieval` recorded of a sample, as its evidence. */
export const recordEvidence = (
  sampleId: string,
  events: readonly JsonObject[],
  model: string | null,
): CaseEvidence => ({
  path: sampleId,
  lossPath: '*',
  name: `sample ${sampleId}`,
  transcript: async function* (move) {
    yield firstLine(sampleId, model)
    const messages = chatMessages(move)
    for (const [index, event] of events.entries()) yield* eventLines(event, `event-${index + 1}`, messages, move)
  },
})

const firstLine = (path: string, model: string | null): TranscriptLine => ({
  transcript: 1,
  source: { format: 'openai-evals', path },
  ...(model !== null && { agent: { model } }),
})

type Messages = ReturnType<typeof chatMessages>

const eventLines = function* (
  event: JsonObject,
  id: string,
  messages: Messages,
  move: MoveToParts,
): Generator<TranscriptLine> {
  const rest = membersOf(event)
  const type = takeText(rest, 'type')
  const at = takeCreatedAt(rest)
  const data = isObject(rest['data']) ? membersOf(rest['data']) : null
  const place = { id, ...(at !== null && { at }) }
  const left = (): Members => {
    const source = withoutNulls({ ...rest, ...(data !== null && { data: withoutNulls(data) ?? undefined }) })
    return source === null ? {} : { source: move(source, 'other') }
  }
  if (type === 'sampling' && data !== null) {
    const asked = messages(promptMessages(take(data, 'prompt')), id)
    yield* asked.lines
    const answers = listOf(take(data, 'sampled')).map((answer) => ({ role: 'assistant', content: answer }))
    const answered = messages(answers, `${id}.answer`)
    const line = {
      type: 'model',
      ...place,
      model: takeText(data, 'model'),
      input: ranges(asked),
      output: ranges(answered),
    }
    yield { ...line, ...takeUsage(data), ...left() }
    yield* answered.lines
  } else if (type === 'match' && data !== null) {
    const passed = take(data, 'correct')
    yield {
      type: 'score',
      ...place,
      name: 'match',
      ...(typeof passed === 'boolean' ? { passed, value: passed } : { value: passed }),
      ...left(),
    }
  } else if (type === 'metrics' && data !== null) {
    const value = withoutNulls(data) ?? undefined
    for (const key of Object.keys(data)) delete data[key]
    yield { type: 'score', ...place, name: 'metrics', value, ...left() }
  } else if (type === 'error') {
    const message = data === null ? undefined : (takeText(data, 'message') ?? takeText(data, 'error'))
    yield { type: 'error', ...place, error: { message: message ?? 'the sample failed' }, ...left() }
  } else yield { type: 'other', ...place, name: type, ...left() }
}

const ranges = ({ ranges: found }: ReturnType<Messages>): Json => found.map(([from, to]) => [from, to])

/** A prompt is a list of messages, or a text. */
const promptMessages = (prompt: Json | undefined): readonly Json[] =>
  Array.isArray(prompt)
    ? (prompt as Json[])
    : typeof prompt === 'string'
      ? [{ role: 'user', content: prompt }]
      : listOf(prompt)

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as Json[]) : value === undefined || value === null ? [] : [value]

/** Takes the time of an event, which has a space between its date and its time. */
const takeCreatedAt = (members: Members): string | null => {
  const text = members['created_at']
  if (typeof text !== 'string' || readTime(text) === null || !/(?:Z|[+-]\d\d:?\d\d)$/.test(text)) return null
  delete members['created_at']
  return text.replace(' ', 'T')
}

const takeUsage = (data: Members): Members => {
  const { usage } = data
  if (!isObject(usage)) return {}
  const cached = numberAt(usage, 'cached_tokens')
  const found = promptUsage(numberAt(usage, 'prompt_tokens'), numberAt(usage, 'completion_tokens'), cached)
  if (found === null) return {}
  const { completion_tokens: _, cached_tokens: __, ...rest } = usage
  // It is another number in the usage, if the cache was read.
  if ((cached ?? 0) === 0) delete rest['prompt_tokens']
  data['usage'] = withoutNulls(rest) ?? undefined
  return { usage: { ...found } }
}

/** The sample of an output item of the hosted product, as its evidence; null if it has none. */
export const itemEvidence = (item: JsonObject): CaseEvidence | null => {
  const { sample, results } = item
  if (!isObject(sample)) return null
  const id = typeof item['id'] === 'string' ? item['id'] : 'item'
  return {
    path: id,
    lossPath: 'data.*',
    name: `item ${id}`,
    transcript: async function* (move) {
      const rest = membersOf(sample)
      const model = takeText(rest, 'model')
      yield firstLine(id, model ?? null)
      const messages = chatMessages(move)
      const asked = messages(listOf(take(rest, 'input')), id)
      yield* asked.lines
      const answered = messages(listOf(take(rest, 'output')), `${id}.answer`)
      const stop = takeText(rest, 'finish_reason')
      const usage = takeUsage(rest)
      const { error } = rest
      const message = isObject(error) ? error['message'] : error
      const failed = typeof message === 'string' && message !== '' ? { error: { message } } : {}
      const source = withoutNulls(rest)
      yield {
        type: 'model',
        id: `${id}.call`,
        model,
        input: ranges(asked),
        output: ranges(answered),
        ...(stop !== undefined && { stop_reason: stop }),
        ...usage,
        ...failed,
        ...(source !== null && { source: move(source, 'other') }),
      }
      yield* answered.lines
      for (const [index, result] of listOf(results).entries())
        yield resultLine(result, `${id}.result-${index + 1}`, move)
    },
  }
}

const resultLine = (result: Json, id: string, move: MoveToParts): TranscriptLine => {
  if (!isObject(result)) return { type: 'score', id, value: result }
  const rest = membersOf(result)
  const passed = rest['passed']
  if (typeof passed === 'boolean') delete rest['passed']
  const line = { type: 'score', id, name: takeText(rest, 'name'), value: take(rest, 'score') }
  const source = withoutNulls(rest)
  return {
    ...line,
    ...(typeof passed === 'boolean' && { passed }),
    ...(source !== null && { source: move(source, 'grading') }),
  }
}
