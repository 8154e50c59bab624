import type { Json, JsonObject } from '../../json.ts'
import { classifyEmpty, reasonOfStop } from '../empty-reason.ts'
import { ProviderFailure, type CallInput, type ProviderResponse, type Usage } from '../provider.ts'
import { asArray, asCount, asObject, asString, present } from '../read-json.ts'
import type { Tool, ToolCall, Turn, VendorSpec } from '../../suite/suite.ts'
import { callIds, turnText, promptTurns, type CallIds } from './turns.ts'

export const DEFAULT_MAX_TOKENS = 4096

/** The body of a messages request, before `request.body`. */
export const messagesBody = (
  { model, params }: Pick<VendorSpec, 'model' | 'params'>,
  { prompt, tools }: Pick<CallInput, 'prompt' | 'tools'>,
): JsonObject => {
  const turns = promptTurns(prompt)
  const system = turns.filter(({ role }) => role === 'system')
  return {
    ...params,
    model,
    messages: anthropicMessages(turns),
    ...(system.length === 0 ? {} : { system: system.map(turnText).join('\n\n') }),
    ...('max_tokens' in params ? {} : { max_tokens: DEFAULT_MAX_TOKENS }),
    ...(tools.length === 0 ? {} : { tools: tools.map(anthropicTool) }),
  }
}

const anthropicTool = ({ name, description, input_schema }: Tool): Json => ({
  name,
  description: description ?? '',
  input_schema: input_schema ?? { type: 'object' },
})

/** The messages without system turns. A run of tool turns is one message of the user. */
const anthropicMessages = (turns: readonly Turn[]): readonly Json[] => {
  const ids = callIds(turns)
  const messages: Json[] = []
  let results: Json[] | null = null
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'tool') {
      if (results === null) {
        results = []
        messages.push({ role: 'user', content: results })
      }
      results.push({ type: 'tool_result', tool_use_id: ids.ofResult[index] ?? '', content: turnText(turn) })
      continue
    }
    results = null
    if (turn.role !== 'system') messages.push({ role: turn.role, content: turnContent(turn, index, ids) })
  }
  return messages
}

const turnContent = (turn: Turn, index: number, ids: CallIds): Json => {
  const { content, tool_calls: calls = [] } = turn
  if (calls.length === 0 && (content === undefined || typeof content === 'string')) return content ?? ''
  const blocks: Json[] =
    content === undefined || typeof content === 'string'
      ? textBlock(content ?? '')
      : content.map((block) =>
          block.type === 'text'
            ? { type: 'text', text: block.text }
            : {
                type: 'thinking',
                thinking: block.thinking,
                ...(block.signature === undefined || block.signature === null ? {} : { signature: block.signature }),
              },
        )
  const uses = calls.map(({ name, arguments: input }, call) => ({
    type: 'tool_use',
    id: ids.ofCalls[index]?.[call] ?? '',
    name,
    input: input ?? {},
  }))
  return [...blocks, ...uses]
}

const textBlock = (text: string): Json[] => (text.trim() === '' ? [] : [{ type: 'text', text }])

/** Reads a messages response. Throws `ProviderFailure` if it is not an object. */
export const readMessages = (payload: Json): ProviderResponse => {
  const answer = asObject(payload)
  if (answer === undefined)
    throw new ProviderFailure('the response is not a JSON object', { errorClass: 'provider_protocol' })
  const blocks = asArray(answer['content']).map((block) => asObject(block) ?? {})
  const ofType = (type: string) => blocks.filter((block) => block['type'] === type)
  const output = ofType('text')
    .map((block) => asString(block['text']) ?? '')
    .join('')
  const reasoning = ofType('thinking')
    .map((block) => asString(block['thinking']) ?? '')
    .join('')
  const stopReason = asString(answer['stop_reason'])
  return present<ProviderResponse>({
    output,
    usage: anthropicUsage(asObject(answer['usage'])),
    model: asString(answer['model']),
    stop_reason: stopReason,
    reasoning: reasoning.trim() === '' ? undefined : reasoning,
    tool_calls: ofType('tool_use').flatMap(readCall),
    empty_reason: classifyEmpty(output, [
      reasonOfStop(stopReason),
      blocks.length === 0 ? 'no_content_blocks' : undefined,
      ofType('tool_use').length > 0 ? 'tool_use_only' : undefined,
      ofType('thinking').length + ofType('redacted_thinking').length > 0 ? 'thinking_only' : undefined,
    ]),
    raw: payload,
  })
}

const readCall = (block: JsonObject): ToolCall[] => {
  const name = asString(block['name'])
  const id = asString(block['id'])
  if (name === undefined) return []
  return [{ ...(id === undefined ? {} : { id }), name, arguments: block['input'] ?? null }]
}

/** Token counts of the messages API; its input excludes the cache already. */
const anthropicUsage = (usage: JsonObject | undefined): Usage | undefined =>
  usage === undefined
    ? undefined
    : present<Usage>({
        input_tokens: asCount(usage['input_tokens']) ?? 0,
        output_tokens: asCount(usage['output_tokens']) ?? 0,
        cache_read_tokens: asCount(usage['cache_read_input_tokens']),
        cache_write_tokens: asCount(usage['cache_creation_input_tokens']),
        cache_write_1h_tokens: asCount(asObject(usage['cache_creation'])?.['ephemeral_1h_input_tokens']),
      })
