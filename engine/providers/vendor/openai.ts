import type { Json, JsonObject } from '../../json.ts'
import { TooDeep, parseResponse } from '../../response-json.ts'
import { classifyEmpty, isBlank, reasonOfStop } from '../empty-reason.ts'
import { ProviderFailure, type CallInput, type ProviderResponse, type Usage } from '../provider.ts'
import { asArray, asCount, asObject, asString, present } from '../read-json.ts'
import type { Tool, ToolCall, Turn, VendorSpec } from '../../suite/suite.ts'
import { callIds, turnText, promptTurns } from './turns.ts'

/** The body of a chat completions request, before `request.body`. */
export const chatBody = (
  { model, params }: Pick<VendorSpec, 'model' | 'params'>,
  { prompt, tools }: Pick<CallInput, 'prompt' | 'tools'>,
): JsonObject => ({
  ...params,
  model,
  messages: openaiMessages(promptTurns(prompt)),
  ...(tools.length === 0 ? {} : { tools: tools.map(openaiTool) }),
})

const openaiTool = ({ name, description, input_schema }: Tool): Json => ({
  type: 'function',
  function: { name, description: description ?? '', parameters: input_schema ?? { type: 'object' } },
})

const openaiMessages = (turns: readonly Turn[]): readonly Json[] => {
  const ids = callIds(turns)
  return turns.map((turn, index) => {
    const content = turnText(turn)
    if (turn.role === 'tool') return { role: 'tool', tool_call_id: ids.ofResult[index] ?? '', content }
    const calls = turn.tool_calls ?? []
    if (calls.length === 0) return { role: turn.role, content }
    return {
      role: turn.role,
      content: content === '' ? null : content,
      tool_calls: calls.map(({ name, arguments: args }, call) => ({
        id: ids.ofCalls[index]?.[call] ?? '',
        type: 'function',
        // The keys stay in the order of the suite: the text is a part of the cache key.
        function: { name, arguments: JSON.stringify(args ?? {}) },
      })),
    }
  })
}

/** Reads a chat completions response: its first choice. Throws `ProviderFailure` if it is not an object. */
export const readChat = (payload: Json): ProviderResponse => {
  const answer = asObject(payload)
  if (answer === undefined)
    throw new ProviderFailure('the response is not a JSON object', { errorClass: 'provider_protocol' })
  const choice = asObject(asArray(answer['choices'])[0])
  const message = asObject(choice?.['message'])
  const content = messageContent(message)
  const stated = [message?.['reasoning'], message?.['reasoning_content']].map(asString).find(isText)
  const refusal = refusalText(message)
  const isRefused = isBlank(content) && isText(refusal)
  // Some gateways put the answer of a reasoning model there alone.
  const isAnsweredByReasoning = isBlank(content) && !isRefused && stated !== undefined
  const output = isRefused ? refusal : isAnsweredByReasoning ? stated : content
  const reasoning = stated ?? thinkingText(message)
  const calls = asArray(message?.['tool_calls'])
  const stopReason = asString(choice?.['finish_reason'])
  return present<ProviderResponse>({
    output,
    usage: openaiUsage(asObject(answer['usage'])),
    model: asString(answer['model']),
    stop_reason: stopReason,
    reasoning,
    tool_calls: calls.flatMap(readCall),
    // The text of a refusal is no answer, although it is not blank.
    empty_reason: isRefused
      ? 'refusal'
      : classifyEmpty(output, [
          reasonOfStop(stopReason),
          message === undefined ? 'no_content_blocks' : undefined,
          calls.length > 0 ? 'tool_use_only' : undefined,
          reasoning === undefined ? undefined : 'thinking_only',
        ]),
    raw: isAnsweredByReasoning ? { ...answer, service_output_source: 'reasoning' } : payload,
  })
}

const contentParts = (message: JsonObject | undefined): readonly Json[] => asArray(message?.['content'])

/** The text of the parts of one kind, joined with nothing between. A part that is a text alone counts as text. */
const joined = (parts: readonly Json[], member: 'text' | 'refusal' | 'thinking'): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return member === 'text' ? part : ''
      const value = asObject(part)?.[member]
      // The thinking of a model may itself be a list of parts.
      return asString(value) ?? joined(asArray(value), 'text')
    })
    .join('')

/** What a message says: a text, a list of parts, or JSON that a gateway has parsed already. */
export const messageContent = (message: JsonObject | undefined): Json => {
  const content = message?.['content'] ?? ''
  if (Array.isArray(content)) return joined(contentParts(message), 'text')
  const { transcript } = asObject(message?.['audio']) ?? {}
  return isBlank(content) ? (asString(transcript) ?? '') : content
}

const refusalText = (message: JsonObject | undefined): string =>
  asString(message?.['refusal']) ?? joined(contentParts(message), 'refusal')

const thinkingText = (message: JsonObject | undefined): string | undefined =>
  [joined(contentParts(message), 'thinking')].find(isText)

const isText = (text: string | undefined): text is string => text !== undefined && text.trim() !== ''

const readCall = (value: Json): ToolCall[] => {
  const call = asObject(value)
  const called = asObject(call?.['function'])
  const name = asString(called?.['name'])
  const id = asString(call?.['id'])
  if (name === undefined) return []
  return [{ ...(id === undefined ? {} : { id }), name, arguments: readArguments(called?.['arguments'] ?? null) }]
}

/** The arguments as JSON; text that is no JSON, or nested too deep, stays text. */
const readArguments = (value: Json): Json => {
  if (typeof value !== 'string') return value
  try {
    return parseResponse(value)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TooDeep) return value
    throw error
  }
}

/** Token counts of the chat API; its prompt tokens include those read from the cache. */
export const openaiUsage = (usage: JsonObject | undefined): Usage | undefined => {
  if (usage === undefined) return undefined
  const cached = asCount(asObject(usage['prompt_tokens_details'])?.['cached_tokens'])
  return present<Usage>({
    input_tokens: Math.max(0, (asCount(usage['prompt_tokens']) ?? 0) - (cached ?? 0)),
    output_tokens: asCount(usage['completion_tokens']) ?? 0,
    cache_read_tokens: cached,
  })
}
