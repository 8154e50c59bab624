import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canonicalText } from '../../../../engine/cache/canonical.ts'
import type { Json } from '../../../../engine/json.ts'
import { chatBody, readChat } from '../../../../engine/providers/vendor/openai.ts'
import type { Tool, Turn } from '../../../../engine/suite/suite.ts'
import { callInput, openaiSpec, providerOf } from '../../../support/vendors/suites.ts'
import { headerOf, startVendors, type Vendors } from '../../../support/vendors/vendors.ts'

const NEVER = new AbortController().signal

const bodyOf = (messages: readonly Turn[], tools: readonly Tool[] = [], params = {}) =>
  chatBody({ model: 'm-chat', params }, { prompt: { messages }, tools })

describe('a provider of the chat completions API', () => {
  let vendors: Vendors
  beforeEach(async () => void (vendors = await startVendors()))
  afterEach(() => vendors[Symbol.asyncDispose]())

  it('sends exactly this request', async () => {
    const spec = openaiSpec({ base_url: `${vendors.url}/v1`, params: { temperature: 0, model: 'x' } })
    const provider = providerOf(spec, { env: { OPENAI_API_KEY: 'sk-1' } })
    const response = await provider.prepare(callInput({ prompt: { text: 'Grüße' } })).send(NEVER)
    expect(vendors.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      body: '{"temperature":0,"model":"m-chat","messages":[{"role":"user","content":"Grüße"}]}',
    })
    expect(headerOf(vendors.requests[0], 'authorization')).toBe('Bearer sk-1')
    expect(response).toMatchObject({ output: 'echo: Grüße', stop_reason: 'stop', tool_calls: [] })
  })

  it('has the canonical request of the reference', () => {
    const messages: readonly Turn[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Zürich?' },
      { role: 'assistant', tool_calls: [{ name: 'find', arguments: { city: 'Zürich' } }] },
      { role: 'tool', content: '{"ok":true}' },
    ]
    const { canonical, preview } = providerOf(openaiSpec()).prepare(
      callInput({ prompt: { messages }, tools: [{ name: 'find' }] }),
    )
    expect(canonicalText(canonical)).toBe(
      String.raw`{"body":{"messages":[{"content":"Be brief.","role":"system"},{"content":"Zürich?","role":"user"},{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"city\":\"Zürich\"}","name":"find"},"id":"service_call_2_0","type":"function"}]},{"content":"{\"ok\":true}","role":"tool","tool_call_id":"service_call_2_0"}],"model":"m-chat","tools":[{"function":{"description":"","name":"find","parameters":{"type":"object"}},"type":"function"}]},"method":"POST","path":"/chat/completions","transport":"http"}`,
    )
    expect(preview).toMatchObject({ url: 'https://api.openai.com/v1/chat/completions' })
  })
})

describe('chatBody', () => {
  it('joins text blocks by line ends and drops thinking', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'x' },
      { type: 'text', text: 'b' },
    ] as const
    const body = bodyOf([
      { role: 'user', content },
      { role: 'system', content: 'late' },
      { role: 'assistant', content, tool_calls: [{ id: 'c', name: 'f', arguments: null }] },
    ])
    expect(body['messages']).toEqual([
      { role: 'user', content: 'a\nb' },
      { role: 'system', content: 'late' },
      {
        role: 'assistant',
        content: 'a\nb',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ])
  })

  it('writes each result as a message of its own, and arguments in the order of the suite', () => {
    const body = bodyOf([
      {
        role: 'assistant',
        tool_calls: [
          { name: 'f', arguments: { b: 1, a: { d: 1, c: 2 } } },
          { id: 'y', name: 'g', arguments: [] },
        ],
      },
      { role: 'tool', content: '1' },
      { role: 'tool', content: '2', tool_call_id: 'z' },
    ])
    const [first, ...results] = body['messages'] as readonly Json[]
    expect(JSON.stringify(first)).toContain(String.raw`"{\"b\":1,\"a\":{\"d\":1,\"c\":2}}"`)
    expect(results).toEqual([
      { role: 'tool', tool_call_id: 'service_call_0_0', content: '1' },
      { role: 'tool', tool_call_id: 'z', content: '2' },
    ])
  })

  it('declares tools as functions', () => {
    const input_schema = { type: 'object', properties: {} }
    expect(bodyOf([], [{ name: 'f', description: 'd', input_schema }, { name: 'g' }])['tools']).toEqual([
      { type: 'function', function: { name: 'f', description: 'd', parameters: input_schema } },
      { type: 'function', function: { name: 'g', description: '', parameters: { type: 'object' } } },
    ])
  })
})

describe('readChat', () => {
  const answer = (message: Json | undefined, finish_reason = 'stop', more = {}) => ({
    choices: [{ ...(message === undefined ? {} : { message }), finish_reason }],
    ...more,
  })

  it('reads content, calls, usage without cached tokens, model and finish reason', () => {
    const payload = answer(
      {
        content: 'text',
        reasoning_content: 'why',
        tool_calls: [
          { id: 'a', function: { name: 'f', arguments: '{"x":12345678901234567890}' } },
          { id: 'b', function: { name: 'g', arguments: '{"x":' } },
          { id: 'c', function: { arguments: '{}' } },
          { function: { name: 'h' } },
        ],
      },
      'tool_calls',
      {
        model: 'm-1',
        usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
      },
    )
    const response = readChat(payload)
    expect(response).toMatchObject({
      output: 'text',
      reasoning: 'why',
      usage: { input_tokens: 6, output_tokens: 2, cache_read_tokens: 4 },
      model: 'm-1',
      stop_reason: 'tool_calls',
    })
    expect(response).not.toHaveProperty('empty_reason')
    expect(JSON.stringify(response.tool_calls)).toBe(
      String.raw`[{"id":"a","name":"f","arguments":{"x":12345678901234567890}},{"id":"b","name":"g","arguments":"{\"x\":"},{"name":"h","arguments":null}]`,
    )
    expect(response.raw).toBe(payload)
  })

  it('never counts less than no input', () => {
    const usage = { prompt_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } }
    expect(readChat(answer({ content: 'a' }, 'stop', { usage })).usage).toEqual({
      input_tokens: 0,
      output_tokens: 0,
      cache_read_tokens: 4,
    })
  })

  it.each(['reasoning', 'reasoning_content'])('takes the output from %s where there is no content', (member) => {
    const payload = answer({ content: ' ', [member]: 'the answer' }, 'length')
    const response = readChat(payload)
    expect(response).toMatchObject({ output: 'the answer', reasoning: 'the answer' })
    expect(response.raw).toEqual({ ...payload, service_output_source: 'reasoning' })
    expect(response).not.toHaveProperty('empty_reason')
  })

  it.each<[Json, Json]>([
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { output: 'ab' },
    ],
    [{ content: ['a', { type: 'output_text', text: 'b' }, { type: 'image_url', image_url: {} }] }, { output: 'ab' }],
    [
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: '42' },
        ],
      },
      { output: '42', reasoning: 'hm' },
    ],
    [
      { content: [{ type: 'thinking', thinking: 'hm' }] },
      { output: '', reasoning: 'hm', empty_reason: 'thinking_only' },
    ],
    [{ content: [] }, { output: '', empty_reason: 'blank' }],
    [
      { content: null, refusal: 'I cannot' },
      { output: 'I cannot', empty_reason: 'refusal' },
    ],
    [{ content: [{ type: 'refusal', refusal: 'I cannot' }] }, { output: 'I cannot', empty_reason: 'refusal' }],
    [
      { content: '', refusal: 'no', reasoning: 'hm' },
      { output: 'no', reasoning: 'hm', empty_reason: 'refusal' },
    ],
    [{ content: 'yes', refusal: null }, { output: 'yes' }],
    [{ content: 42 }, { output: 42 }],
    [{ content: { city: 'Lima' } }, { output: { city: 'Lima' } }],
    [{ content: null, audio: { id: 'a', transcript: 'spoken' } }, { output: 'spoken' }],
  ])('reads the message %j', (message, expected) => {
    const payload = answer(message)
    expect(readChat(payload)).toEqual({ tool_calls: [], stop_reason: 'stop', raw: payload, ...(expected as object) })
  })

  it.each([
    [answer({ content: null }, 'length'), 'truncated'],
    [answer({ content: '' }, 'content_filter'), 'content_filter'],
    [answer(undefined), 'no_content_blocks'],
    [{ choices: [] }, 'no_content_blocks'],
    [answer({ content: null, tool_calls: [{ function: { name: 'f' } }] }), 'tool_use_only'],
    [answer({ content: null }, 'function_call'), 'tool_use_only'],
    [answer({ content: null }, 'weird'), 'blank'],
    [answer({ content: 'a' }, 'length'), undefined],
  ])('classifies %j as %s', (payload, reason) => {
    expect(readChat(payload).empty_reason).toBe(reason)
  })
})
