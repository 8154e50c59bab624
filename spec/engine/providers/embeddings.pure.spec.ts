import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canonicalText } from '../../../engine/cache/canonical.ts'
import { createEmbedder, readEmbedding, type Embedder } from '../../../engine/providers/embeddings.ts'
import type { EmbeddingsProvider } from '../../../engine/suite/suite.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'
import { embeddingAnswer, errorAnswer } from '../../support/vendors/answers.ts'
import { enginePorts, manualClock } from '../../support/vendors/engine-ports.ts'
import { callInput, embeddingsSpec, providerOf } from '../../support/vendors/suites.ts'
import { headerOf, startVendors, type Vendors } from '../../support/vendors/vendors.ts'

const NEVER = new AbortController().signal

describe('an embeddings provider', () => {
  let vendors: Vendors
  let clock: ReturnType<typeof manualClock>
  beforeEach(async () => {
    vendors = await startVendors()
    clock = manualClock()
  })
  afterEach(() => vendors[Symbol.asyncDispose]())

  const embedder = (
    more: Partial<EmbeddingsProvider> = {},
    env: Record<string, string> = { OPENAI_API_KEY: 'k' },
  ): Embedder => {
    const ports = enginePorts(env, clock)
    return createEmbedder(embeddingsSpec({ base_url: vendors.url, ...more }), {
      env,
      ports,
      templates: createTemplates(ports),
      globalHeaders: {},
    })
  }

  it('sends exactly this request', async () => {
    vendors.script(embeddingAnswer([0.5, -1], 7))
    const call = embedder({ params: { dimensions: 2, input: 'x' } }).prepare('Yes, 30 days.')
    expect(await call.send(NEVER)).toMatchObject({
      vector: [0.5, -1],
      usage: { input_tokens: 7, output_tokens: 0 },
      model: 'text-embedding-3-small',
      raw: { object: 'list' },
    })
    expect(vendors.requests[0]).toMatchObject({
      path: '/embeddings',
      body: '{"dimensions":2,"input":"Yes, 30 days.","model":"text-embedding-3-small"}',
    })
    expect(headerOf(vendors.requests[0], 'authorization')).toBe('Bearer k')
  })

  it('has the canonical request of the reference, without headers', () => {
    const request = { query: {}, headers: { 'x-a': 'b' } }
    expect(canonicalText(embedder({ request }).prepare('Yes, 30 days.').canonical)).toBe(
      '{"body":{"input":"Yes, 30 days.","model":"text-embedding-3-small"},"method":"POST","path":"/embeddings","transport":"http"}',
    )
  })

  it.each([
    [400, 'grader_missing'],
    [401, 'grader_missing'],
    [404, 'grader_missing'],
    [408, 'grader_unavailable'],
    [429, 'grader_unavailable'],
    [500, 'grader_unavailable'],
  ])('a response of status %i is %s, after one attempt', async (status, errorClass) => {
    vendors.answerWith(() => errorAnswer(status, 'no', '1'))
    await expect(embedder().prepare('a').send(NEVER)).rejects.toMatchObject({
      errorClass,
      retriable: false,
      message: expect.stringContaining(`HTTP ${status}`) as string,
    })
    expect(vendors.requests).toHaveLength(1)
  })

  it.each([
    [{ code: 503 }, 'grader_unavailable'],
    [{ code: 429 }, 'grader_unavailable'],
    [{ code: 400 }, 'grader_missing'],
    [{ code: 401 }, 'grader_missing'],
  ])('a response of status 200 with the error %j is %s', async (error, errorClass) => {
    vendors.answerWith(() => ({ body: { error } }))
    await expect(embedder().prepare('a').send(NEVER)).rejects.toMatchObject({ errorClass })
    expect(vendors.requests).toHaveLength(1)
  })

  it('a connection that fails is grader_unavailable, a body that cannot be read grader_failed', async () => {
    vendors.script('cut', { body: '<html>' }, { body: {} })
    await expect(embedder().prepare('a').send(NEVER)).rejects.toMatchObject({ errorClass: 'grader_unavailable' })
    await expect(embedder().prepare('a').send(NEVER)).rejects.toMatchObject({ errorClass: 'grader_failed' })
    await expect(embedder().prepare('a').send(NEVER)).rejects.toMatchObject({ errorClass: 'grader_failed' })
  })

  it('ends after 60 seconds', async () => {
    vendors.script('never')
    const failed = expect(embedder().prepare('a').send(NEVER)).rejects.toMatchObject({
      errorClass: 'grader_unavailable',
    })
    await vendors.received(1)
    expect(clock.slept).toEqual([60_000])
    clock.advance(60_000)
    await failed
  })

  it('a credential that is not set, or a template that does not render, is grader_missing', async () => {
    await expect(embedder({}, {}).prepare('a').send(NEVER)).rejects.toMatchObject({ errorClass: 'grader_missing' })
    expect(() => embedder({ request: { query: { a: '{{ env.NONE }}' }, headers: {} } })).toThrow(
      expect.objectContaining({ errorClass: 'grader_missing' }),
    )
  })

  it('throws the reason of its signal', async () => {
    const reason = new Error('the run ends')
    await expect(embedder().prepare('a').send(AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('answers no prompts', () => {
    expect(() => providerOf(embeddingsSpec()).prepare(callInput())).toThrow(
      expect.objectContaining({ errorClass: 'provider_request' }),
    )
  })
})

it.each([[{}], [[]], [{ data: [{ embedding: [1, 'x'] }] }], [null]])('reads no vector from %j', (payload) =>
  expect(() => readEmbedding(payload)).toThrow(expect.objectContaining({ errorClass: 'grader_failed' })),
)
