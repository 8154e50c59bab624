import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cacheKey } from '../../../domain/cache/key.ts'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import { JUDGE_SYSTEM_TEXT } from '../../../engine/grading/judge-families.ts'
import type { Json } from '../../../engine/json.ts'
import { redactor } from '../../../engine/providers/redactor.ts'
import type { GraderSpec } from '../../../engine/suite/suite.ts'
import { KEYS, assertionOf, graderSpec, gradingSetUp } from '../../support/engine/grading.ts'
import { chatAnswer, chatVerdict, errorAnswer, messagesAnswer, messagesVerdict } from '../../support/vendors/answers.ts'
import { enginePorts, manualClock } from '../../support/vendors/engine-ports.ts'
import { headerOf, startVendors, type Vendors } from '../../support/vendors/vendors.ts'

const VERDICT = { reasoning: 'It names the window.', pass: true, score: 0.75 }
const RUBRIC = assertionOf('llm-rubric', { value: 'Names the window of {{ order }}' })
const USER_TEXT = 'RUBRIC:\nNames the window of A-77\n\nASSISTANT OUTPUT:\nYes, 30 days.'
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: { reasoning: { type: 'string' }, pass: { type: 'boolean' }, score: { type: 'number' } },
  required: ['reasoning', 'pass', 'score'],
}

let vendors: Vendors
beforeEach(async () => void (vendors = await startVendors()))
afterEach(() => vendors[Symbol.asyncDispose]())

const messages = (more: Partial<GraderSpec> = {}) => graderSpec('anthropic', vendors.url, more)
const chat = (more: Partial<GraderSpec> = {}) => graderSpec('openai', `${vendors.url}/v1`, more)
const bodyOf = (index = 0): unknown => JSON.parse(vendors.requests[index]?.body ?? 'null')

describe('a judge of the messages family', () => {
  it('is asked to call the one tool that takes a verdict', async () => {
    vendors.script(messagesVerdict(VERDICT))
    const { grade } = gradingSetUp({ grader: messages() })
    expect(await grade(RUBRIC)).toEqual({
      status: 'pass',
      score: 0.75,
      reason: 'It names the window.',
      details: { judge: { template_sha256: null, model: 'm-small-1' } },
      cached: false,
      keys: [expect.stringMatching(/^sha256:/)],
      cost_usd: null,
    })
    expect(vendors.requests[0]?.path).toBe('/v1/messages')
    expect(headerOf(vendors.requests[0], 'x-api-key')).toBe('key-of-anthropic')
    expect(headerOf(vendors.requests[0], 'anthropic-version')).toBe('2023-06-01')
    expect(bodyOf()).toEqual({
      max_tokens: 4096,
      model: 'm-judge',
      system: JUDGE_SYSTEM_TEXT,
      messages: [{ role: 'user', content: USER_TEXT }],
      tools: [{ name: 'submit_verdict', description: 'Submit the grading verdict.', input_schema: SCHEMA }],
      tool_choice: { type: 'tool', name: 'submit_verdict' },
    })
  })

  it('takes the params of the block and of the assertion, but never in the place of fixed members', async () => {
    vendors.script(messagesVerdict(VERDICT))
    const { grade } = gradingSetUp({
      grader: messages({ params: { max_tokens: 99, top_k: 1, model: 'no', tools: [] } }),
    })
    await grade(assertionOf('llm-rubric', { value: 'x', params: { top_k: 2 } }))
    expect(bodyOf()).toMatchObject({ max_tokens: 99, top_k: 2, model: 'm-judge', tools: [{ name: 'submit_verdict' }] })
  })

  it('may call its only tool by another name', async () => {
    vendors.script(
      messagesAnswer('', {
        content: [
          { type: 'text', text: 'ok' },
          { type: 'tool_use', name: 'verdict', input: VERDICT },
        ],
      }),
    )
    expect(await gradingSetUp({ grader: messages() }).grade(RUBRIC)).toMatchObject({ status: 'pass' })
  })

  it.each(['thinking', 'reasoning'])('must not have the parameter %s', async (name) => {
    const { grade } = gradingSetUp({ grader: messages({ params: { [name]: { type: 'enabled' } } }) })
    expect(await grade(RUBRIC)).toMatchObject({ status: 'error', error_class: 'grader_missing' })
    expect(vendors.requests).toEqual([])
  })
})

describe('a judge of the chat family', () => {
  it('is asked for JSON of a schema', async () => {
    vendors.script(chatVerdict(VERDICT))
    expect(await gradingSetUp({ grader: chat({ params: { temperature: 0 } }) }).grade(RUBRIC)).toMatchObject({
      status: 'pass',
      score: 0.75,
    })
    expect(vendors.requests[0]?.path).toBe('/v1/chat/completions')
    expect(headerOf(vendors.requests[0], 'authorization')).toBe('Bearer key-of-openai')
    expect(bodyOf()).toEqual({
      temperature: 0,
      model: 'm-judge',
      messages: [
        { role: 'system', content: JUDGE_SYSTEM_TEXT },
        { role: 'user', content: USER_TEXT },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'verdict', strict: true, schema: SCHEMA } },
    })
  })

  it('has a key of path and body alone, headers declared or not', async () => {
    const grader = chat()
    const provider = { ...grader.provider, request: { query: {}, headers: { 'x-tenant': '{{ env.TENANT }}' } } }
    const { grade, memory } = gradingSetUp({
      grader: { ...grader, provider },
      env: { OPENAI_API_KEY: 'k', TENANT: 't' },
    })
    vendors.script(chatVerdict(VERDICT))
    await grade(RUBRIC, { repeat: 2 })
    expect(headerOf(vendors.requests[0], 'x-tenant')).toBe('t')
    const request = { transport: 'http', method: 'POST', path: '/chat/completions', body: bodyOf() }
    expect([...memory.entries.keys()]).toEqual([cacheKey({ request, repeat: 2 })])
  })

  it('has the salt of its provider in its key', async () => {
    const grader = chat()
    const { grade, memory } = gradingSetUp({ grader: { ...grader, provider: { ...grader.provider, cache_salt: '' } } })
    vendors.script(chatVerdict(VERDICT))
    await grade(RUBRIC)
    const request = { transport: 'http', method: 'POST', path: '/chat/completions', body: bodyOf() }
    expect([...memory.entries.keys()]).toEqual([cacheKey({ request, repeat: 0, provider_salt: '' })])
  })
})

it('the worked key of a judge is that of the request', async () => {
  const { grade, memory } = gradingSetUp({ grader: chat({ params: { temperature: 0 } }) })
  vendors.script(chatVerdict(VERDICT))
  await grade(assertionOf('llm-rubric', { value: 'Names the window' }))
  const entry = memory.jsonOf([...memory.entries.keys()][0] ?? '') as { request: Json }
  // The published key is of a request with another system text.
  const request: unknown = JSON.parse(
    JSON.stringify(entry.request).replace(JSON.stringify(JUDGE_SYSTEM_TEXT), '"<SYSTEM>"'),
  )
  expect(cacheKey({ request, repeat: 0 })).toBe(
    'sha256:55bbe5838f8a06a72456a678fcf224597267f937dd1ffd2cb75dfea12ac441e9',
  )
})

describe('a verdict', () => {
  const graded = async (verdict: unknown, fields: Readonly<Record<string, Json>> = {}) => {
    vendors.script(messagesVerdict(verdict))
    return gradingSetUp({ grader: messages() }).grade(assertionOf('llm-rubric', { value: 'x', ...fields }))
  }

  it('passes by its own word without a threshold', async () => {
    expect(await graded({ ...VERDICT, pass: true, score: 0 })).toMatchObject({ status: 'pass', score: 0 })
    expect(await graded({ ...VERDICT, pass: false, score: 1 })).toMatchObject({ status: 'fail', score: 1 })
  })
  it('passes by its score with a threshold', async () => {
    expect(await graded({ ...VERDICT, pass: true, score: 0.7 }, { threshold: 0.8 })).toMatchObject({ status: 'fail' })
    expect(await graded({ ...VERDICT, pass: false, score: 0.8 }, { threshold: 0.8 })).toMatchObject({ status: 'pass' })
  })
  it('has a score in 0..1', async () => {
    expect(await graded({ ...VERDICT, score: 7 })).toMatchObject({ score: 1 })
    expect(await graded({ ...VERDICT, score: -7 })).toMatchObject({ score: 0 })
    expect(await graded({ ...VERDICT, score: parseExact('0.12345678901234567890') })).toMatchObject({
      score: 0.12345678901234568,
    })
  })
  it('without reasoning has no reason', async () =>
    expect(await graded({ pass: true, score: 1, reasoning: 3 })).toMatchObject({ status: 'pass', reason: '' }))

  it('of a former run follows the threshold of today, without a call', async () => {
    const { grade } = gradingSetUp({ grader: messages() })
    vendors.script(messagesVerdict(VERDICT))
    expect(await grade(RUBRIC)).toMatchObject({ status: 'pass', cached: false })
    const strict = assertionOf('llm-rubric', { ...RUBRIC.fields, threshold: 0.9 })
    expect(await grade(strict)).toMatchObject({ status: 'fail', score: 0.75, cached: true })
    expect(vendors.requests).toHaveLength(1)
  })
})

describe('an unusable verdict', () => {
  const UNUSABLE = {
    'no tool call': messagesAnswer('I think it passes.'),
    'two other tool calls': messagesAnswer('', {
      content: ['a', 'b'].map((name) => ({ type: 'tool_use', name, input: VERDICT })),
    }),
    'a truncated response': messagesVerdict(VERDICT, { stop_reason: 'max_tokens' }),
    'a text for pass': messagesVerdict({ ...VERDICT, pass: 'true' }),
    'a text for score': messagesVerdict({ ...VERDICT, score: '0.8' }),
    'a list': messagesVerdict([VERDICT]),
    'another payload': { body: [1] },
  } as const

  it.each(Object.entries(UNUSABLE))('(%s) is asked for again with the same request', async (_, answer) => {
    vendors.script(answer, answer, messagesVerdict(VERDICT))
    const { grade, memory } = gradingSetUp({ grader: messages() })
    expect(await grade(RUBRIC)).toMatchObject({ status: 'pass', score: 0.75 })
    expect(new Set(vendors.requests.map(({ body }) => body)).size).toBe(1)
    expect(vendors.requests).toHaveLength(3)
    expect(memory.state.writes).toBe(1)
  })
  it.each(Object.entries(UNUSABLE))('(%s) is an error after three calls, and never stored', async (_, answer) => {
    vendors.answerWith(() => answer)
    const { grade, memory } = gradingSetUp({ grader: messages() })
    expect(await grade(RUBRIC)).toMatchObject({
      status: 'error',
      error_class: 'grader_failed',
      reason: expect.stringMatching(/^grader error: .*asked 3 times/) as unknown,
    })
    expect(vendors.requests).toHaveLength(3)
    expect(memory.entries.size).toBe(0)
  })
  it.each([
    ['cut', chatVerdict(VERDICT, { finish_reason: 'length' })],
    ['without content', chatAnswer(null)],
    ['in prose', chatAnswer('It passes.')],
    ['without choices', { body: { choices: [] } }],
  ])('of the chat family is one that is %s', async (_, answer) => {
    vendors.answerWith(() => answer)
    expect(await gradingSetUp({ grader: chat() }).grade(RUBRIC)).toMatchObject({ error_class: 'grader_failed' })
    expect(vendors.requests).toHaveLength(3)
  })
  it('that is truncated says what to raise', async () => {
    vendors.answerWith(() => messagesVerdict(VERDICT, { stop_reason: 'max_tokens' }))
    expect(await gradingSetUp({ grader: messages() }).grade(RUBRIC)).toMatchObject({
      reason: expect.stringContaining('raise `max_tokens`') as unknown,
    })
  })
  it('is described without its texts', async () => {
    vendors.answerWith(() => messagesVerdict({ reasoning: 'private words', pass: 'yes', score: 1 }))
    expect(await gradingSetUp({ grader: messages() }).grade(RUBRIC)).toMatchObject({
      reason:
        'grader error: verdict field `pass` is a string, not a boolean, in {"reasoning":"13 characters","pass":"3 characters","score":1} (asked 3 times)',
    })
  })
  it('in the cache is asked for again, with a warning', async () => {
    const { grade, memory, warnings } = gradingSetUp({ grader: messages() })
    vendors.script(messagesVerdict(VERDICT), messagesVerdict(VERDICT))
    await grade(RUBRIC)
    const [key = ''] = memory.entries.keys()
    memory.entries.set(key, Buffer.from('{"created_at":"2026-01-01T00:00:00Z","output":"","raw":{}}'))
    expect(await grade(RUBRIC)).toMatchObject({ status: 'pass', cached: false })
    expect(warnings).toHaveLength(1)
  })
})

describe('the cost of a verdict', () => {
  const priced = (rate: number) => messages({ pricing: { input_per_mtok: rate, output_per_mtok: 2 } })
  const usage = { input_tokens: 1000, output_tokens: 500 }

  it('is that of the accepted response alone', async () => {
    vendors.script(messagesVerdict({}, { usage }), messagesVerdict(VERDICT, { usage }))
    expect(await gradingSetUp({ grader: priced(1) }).grade(RUBRIC)).toMatchObject({ cost_usd: 0.002 })
  })
  it('has the rates of the provider where the block has none', async () => {
    const grader = messages()
    const pricing = { input_per_mtok: 5, output_per_mtok: 2 }
    vendors.script(messagesVerdict(VERDICT, { usage }))
    const { grade } = gradingSetUp({ grader: { ...grader, provider: { ...grader.provider, pricing } } })
    expect(await grade(RUBRIC)).toMatchObject({ cost_usd: 0.006 })
  })
  it('of a former run follows the rates of today', async () => {
    const { grade } = gradingSetUp({ grader: priced(1) })
    vendors.script(messagesVerdict(VERDICT, { usage }))
    await grade(RUBRIC)
    expect(await grade(RUBRIC, {}, { grader: priced(3) })).toMatchObject({ cached: true, cost_usd: 0.004 })
    expect(await grade(RUBRIC, {}, { grader: messages() })).toMatchObject({ cached: true, cost_usd: 0.002 })
  })
})

describe('the user text', () => {
  const CALLS = [{ id: 'c1', name: 'find', arguments: { city: 'Graz' } }]
  const userText = async (grader: GraderSpec, tool_calls: typeof CALLS = CALLS, more = {}) => {
    vendors.script(messagesVerdict(VERDICT))
    const verdict = await gradingSetUp({ grader, ...more }).grade(RUBRIC, { tool_calls })
    const body = bodyOf() as { messages: Array<{ content: string }> } | null
    return body?.messages[0]?.content ?? verdict
  }

  it('ends with the tool calls if the flag is on', async () =>
    expect(await userText(messages({ include_tool_calls: true }))).toBe(
      `${USER_TEXT}\n\nTOOL CALLS (the tool calls the assistant made, in order, as JSON):\n[\n  {\n    "name": "find",\n    "arguments": {\n      "city": "Graz"\n    }\n  }\n]`,
    ))
  it('keeps the heading without tool calls', async () =>
    expect(await userText(messages({ include_tool_calls: true }), [])).toMatch(/as JSON\):\n\[\]$/))
  it('has no tool calls if the flag is off', async () => expect(await userText(messages())).toBe(USER_TEXT))

  it('of a template has each placeholder replaced once', async () => {
    const readFile = async () => '<{{output}}|{{rubric}}|{{ rubric }}>'
    const grader = messages({ template: 'file://grade.txt' })
    vendors.script(messagesVerdict(VERDICT))
    await gradingSetUp({ grader, readFile }).grade(assertionOf('llm-rubric', { value: 'r $& {{ order }}' }), {
      output: '{{rubric}} $1',
    })
    expect(bodyOf()).toMatchObject({ messages: [{ content: '<{{rubric}} $1|r $& A-77|{{ rubric }}>' }] })
  })
  it.each([
    [true, 'no calls'],
    [false, '{{tool_calls}}'],
  ])('is not made if the template contradicts include_tool_calls: %s', async (include_tool_calls, template) => {
    const grader = messages({ template: 'file://grade.txt', include_tool_calls })
    expect(await userText(grader, CALLS, { readFile: async () => template })).toMatchObject({
      status: 'error',
      error_class: 'grader_missing',
      exit_code: 3,
    })
  })
  it('is recorded with the digest of its template and the model that answered, from the cache too', async () => {
    vendors.script(messagesVerdict(VERDICT, { model: 'm-judge-2026' }))
    const { grade } = gradingSetUp({
      grader: messages({ template: 'file://grade.txt' }),
      readFile: async () => 'Grade {{output}}',
    })
    const details = { judge: { template_sha256: hash('sha256', 'Grade {{output}}', 'hex'), model: 'm-judge-2026' } }
    expect(await grade(RUBRIC)).toMatchObject({ details, cached: false })
    expect(await grade(RUBRIC)).toMatchObject({ details, cached: true })
  })

  it.each(['file://missing.txt', 'grade.txt'])('is not made if the template is %s', async (template) => {
    const verdict = await userText(messages({ template }))
    expect(verdict).toMatchObject({ status: 'error', error_class: 'grader_missing' })
    expect(verdict).not.toHaveProperty('exit_code')
  })

  it('has the value of a variable: what is graded by another text is another verdict', async () => {
    const { grade, memory } = gradingSetUp({ grader: messages() })
    vendors.script(messagesVerdict(VERDICT))
    await grade(assertionOf('llm-rubric', { value: 'for {{ env.TENANT }}' }))
    expect(vendors.requests[0]?.body).toContain('for acme-tenant')
    expect(Buffer.concat([...memory.entries.values()]).toString()).toContain('for acme-tenant')
  })
})

it.each([
  [
    [
      { type: 'text', text: JSON.stringify(VERDICT).slice(0, 9) },
      { type: 'text', text: JSON.stringify(VERDICT).slice(9) },
    ],
  ],
  [VERDICT],
])('a judge of the chat family may give its verdict as parts, or parsed: %j', async (content) => {
  vendors.script(chatAnswer(null, { message: { content } }))
  expect(await gradingSetUp({ grader: chat() }).grade(RUBRIC)).toMatchObject({ status: 'pass', score: 0.75 })
})

describe('a fault of a judge', () => {
  const faultOf = async (grader: GraderSpec | undefined, more = {}, rubric = RUBRIC) =>
    gradingSetUp({ grader, ...more }).grade(rubric)

  it.each([
    [400, 'grader_missing'],
    [404, 'grader_missing'],
    [408, 'grader_unavailable'],
    [429, 'grader_unavailable'],
    [500, 'grader_unavailable'],
    [529, 'grader_unavailable'],
  ])('of status %i is %s, after one call', async (status, error_class) => {
    vendors.script(errorAnswer(status))
    const verdict = await faultOf(messages())
    expect(verdict).toMatchObject({ status: 'error', error_class })
    expect(verdict.reason).toMatch(new RegExp(`^grader error: HTTP ${status}`))
    expect(verdict).not.toHaveProperty('credential_rejected')
    expect(vendors.requests).toHaveLength(1)
  })
  it('is an error in a response of status 200, also after a complete verdict', async () => {
    vendors.script({ body: { error: { code: 429, message: 'slow down' } } })
    expect(await faultOf(messages())).toEqual({
      status: 'error',
      error_class: 'grader_unavailable',
      reason: 'grader error: the response reports an error: slow down',
    })
    vendors.script(chatVerdict(VERDICT, { finish_reason: 'error' }))
    expect(await faultOf(chat())).toMatchObject({ status: 'error', error_class: 'grader_unavailable' })
    expect(vendors.requests).toHaveLength(2)
  })
  it.each([401, 403])('of status %i says that the credential is rejected', async (status) => {
    vendors.script(errorAnswer(status))
    expect(await faultOf(messages())).toMatchObject({ error_class: 'provider_auth', credential_rejected: true })
  })
  it('is a connection that is cut', async () => {
    vendors.script('cut')
    expect(await faultOf(messages())).toMatchObject({ error_class: 'grader_unavailable' })
  })
  it('is a response that is not JSON, which is not asked for again', async () => {
    vendors.script({ body: '<html>' })
    expect(await faultOf(messages())).toMatchObject({ error_class: 'grader_failed' })
    expect(vendors.requests).toHaveLength(1)
  })
  it('is a judge that takes longer than the grader of the suite allows', async () => {
    const clock = manualClock()
    vendors.script('never')
    const own = { ...RUBRIC, grader: messages({ timeout_ms: 1 }) }
    const { grade } = gradingSetUp({ grader: chat({ timeout_ms: 500 }), ports: enginePorts({}, clock) })
    const grading = grade(own)
    await vendors.received(1)
    expect(clock.slept).toEqual([500])
    clock.advance(500)
    expect(await grading).toMatchObject({ status: 'error', error_class: 'grader_unavailable' })
  })
  it('is a credential that is not set', async () => {
    expect(await faultOf(messages(), { env: {} })).toMatchObject({
      error_class: 'grader_missing',
      reason: 'grader error: environment variable `ANTHROPIC_API_KEY` is not set (or is empty)',
    })
  })
  it('is a suite without a grader', async () =>
    expect(await faultOf(undefined)).toMatchObject({
      error_class: 'grader_missing',
      reason: "grader error: no grader is configured for 'llm-rubric' assertions in this suite",
    }))
  it('is a provider of another type', async () =>
    expect(await faultOf(graderSpec('exec', vendors.url))).toMatchObject({
      error_class: 'grader_missing',
      reason: expect.stringContaining("'exec' is unsupported for llm-rubric") as unknown,
    }))
  it('is a rubric that does not render', async () =>
    expect(await faultOf(messages(), {}, assertionOf('llm-rubric', { value: '{{ nothing }}' }))).toMatchObject({
      error_class: 'grader_missing',
    }))
})

it('a judge that repeats its credential leaks it nowhere', async () => {
  const key = KEYS.ANTHROPIC_API_KEY
  const { grade, memory, warnings } = gradingSetUp({ grader: messages() })
  vendors.script(messagesVerdict({ ...VERDICT, reasoning: `saw ${key}` }), errorAnswer(400, `no access with ${key}`))
  expect(await grade(RUBRIC)).toMatchObject({ reason: 'saw [redacted ANTHROPIC_API_KEY]' })
  const refused = await grade(assertionOf('llm-rubric', { value: 'other' }))
  expect(refused).toMatchObject({ status: 'error' })
  expect(JSON.stringify([refused, warnings, [...memory.entries.values()].map(String)])).not.toContain(key)
})

it('a judge that writes a secret of another part of the run leaks it nowhere', async () => {
  const { grade, memory, warnings } = gradingSetUp({
    grader: messages(),
    redactor: redactor(new Map([['OTHER', 'canary-12345678']])),
  })
  vendors.script(messagesVerdict({ ...VERDICT, reasoning: 'saw canary-12345678' }))
  expect(await grade(RUBRIC)).toMatchObject({ reason: 'saw [redacted OTHER]' })
  expect(JSON.stringify([warnings, [...memory.entries.values()].map(String)])).not.toContain('canary')
})

describe('the block of an assertion', () => {
  it('replaces the whole block of the suite', async () => {
    vendors.script(chatVerdict(VERDICT))
    const own = { ...RUBRIC, grader: chat() }
    const { grade } = gradingSetUp({ grader: messages({ include_tool_calls: true, params: { top_k: 1 } }) })
    expect(await grade(own)).toMatchObject({ status: 'pass' })
    expect(vendors.requests[0]?.path).toBe('/v1/chat/completions')
    expect(bodyOf()).not.toHaveProperty('top_k')
  })
  it('names the variable and the address of its own', async () => {
    vendors.script(messagesVerdict(VERDICT))
    const grader = { ...messages({ api_key_env: ['JUDGE_KEY'], base_url: `${vendors.url}/gateway/` }) }
    await gradingSetUp({ grader, env: { JUDGE_KEY: ' judge-key\n' } }).grade(RUBRIC)
    expect(vendors.requests[0]?.path).toBe('/gateway/v1/messages')
    expect(headerOf(vendors.requests[0], 'x-api-key')).toBe('judge-key')
  })
})

describe('the cache of verdicts', () => {
  it('may be refused while providers are replayed', async () => {
    const { grade, memory } = gradingSetUp({ grader: messages(), usesCache: false })
    vendors.script(messagesVerdict(VERDICT))
    expect(await grade(RUBRIC)).toMatchObject({ status: 'pass', cached: false })
    expect(memory.state).toMatchObject({ reads: 0, writes: 0 })
    expect(await grade(RUBRIC, {}, { mode: 'only' })).toMatchObject({ status: 'error', error_class: 'cache_miss' })
  })
  it('is the only source with --cache-only', async () => {
    const { grade } = gradingSetUp({ grader: messages(), mode: 'only' })
    expect(await grade(RUBRIC)).toMatchObject({ status: 'error', error_class: 'cache_miss' })
    expect(vendors.requests).toEqual([])
  })
  it('adopts a verdict of an old entry, unless the judge sees tool calls', async () => {
    const old = { created_at: '2025-01-01T00:00:00Z', output: '', verdict: { kind: 'rubric', score: 0.4, pass: true } }
    for (const include_tool_calls of [false, true]) {
      const { grade, memory } = gradingSetUp({ grader: messages({ include_tool_calls }) })
      vendors.script(messagesVerdict(VERDICT))
      await grade(RUBRIC)
      const [key = ''] = memory.entries.keys()
      memory.entries.set(key, Buffer.from(JSON.stringify(old)))
      vendors.script(messagesVerdict(VERDICT))
      expect(await grade(RUBRIC)).toMatchObject({ score: include_tool_calls ? 0.75 : 0.4, cached: !include_tool_calls })
    }
  })
})
