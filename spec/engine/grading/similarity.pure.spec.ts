import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CASE, assertionOf, embeddingsSpec, gradingSetUp } from '../../support/engine/grading.ts'
import { embeddingAnswer, errorAnswer } from '../../support/vendors/answers.ts'
import { startVendors, type Vendors } from '../../support/vendors/vendors.ts'

let vendors: Vendors
beforeEach(async () => void (vendors = await startVendors()))
afterEach(() => vendors[Symbol.asyncDispose]())

/** Answers each input with its vector. */
const vectors = (ofInput: Readonly<Record<string, readonly number[]>>): void =>
  vendors.answerWith(({ body }) => embeddingAnswer(ofInput[(JSON.parse(body) as { input: string }).input] ?? [], 1000))

const SIMILAR = assertionOf('similar', { value: 'Within 30 days for {{ order }}' })
const [OUTPUT, REFERENCE] = ['Yes, 30 days.', 'Within 30 days for A-77']
const setUp = (more = {}) => gradingSetUp({ embeddings: embeddingsSpec(vendors.url), ...more })
/** The key of the embedding of `Yes, 30 days.` that all engines share. */
const WORKED_KEY = 'sha256:d4172fcb371273cfcd5887b904ab8c7ea3ca5efd2a47e27948b6ebd0518b2f8b'

describe('similarity', () => {
  it.each([
    ['equal directions', [3, 4], [6, 8], 'pass', 1],
    ['opposite directions', [1, 0], [-2, 0], 'fail', 0],
    ['a right angle', [1, 0], [0, 1], 'fail', 0.5],
    ['exactly the threshold', [1, 0], [0.8, 0.6], 'pass', 0.9],
    ['vectors of other lengths', [1, 0], [1, 0, 0], 'fail', 0.5],
    ['a zero vector', [1, 0], [0, 0], 'fail', 0.5],
    ['empty vectors', [], [], 'fail', 0.5],
    ['huge components', [1e200, 0], [1e200, 0], 'pass', 1],
  ] as const)('of %s', async (_, ofOutput, ofReference, status, score) => {
    vectors({ [OUTPUT]: ofOutput, [REFERENCE]: ofReference })
    const verdict = await setUp().grade(SIMILAR)
    expect(verdict).toMatchObject({ status })
    expect(verdict).toHaveProperty('score', expect.closeTo(score, 12))
  })
  it.each([
    ['vectors of other lengths', [1, 0], [1, 0, 0]],
    ['a zero vector', [1, 0], [0, 0]],
    ['empty vectors', [], []],
  ])('of %s does not pass because it is negated', async (_, ofOutput, ofReference) => {
    vectors({ [OUTPUT]: ofOutput, [REFERENCE]: ofReference })
    const verdict = await setUp().grade({ ...SIMILAR, negate: true })
    expect(verdict).toMatchObject({ status: 'error', error_class: 'grader_failed' })
    expect(verdict.reason).toMatch(/^grader error: the cosine .* is not defined/)
  })
  it('passes from its own threshold', async () => {
    vectors({ [OUTPUT]: [1, 0], [REFERENCE]: [0.8, 0.6] })
    const { grade } = setUp()
    expect(await grade(assertionOf('similar', { ...SIMILAR.fields, threshold: 0.9 }))).toMatchObject({
      status: 'fail',
      reason: 'cosine similarity 0.800 < 0.900',
    })
    expect(await grade(assertionOf('similar', { ...SIMILAR.fields, threshold: 0.5 }))).toMatchObject({
      status: 'pass',
      cached: true,
    })
  })
  it('compares values that are no text as compact JSON', async () => {
    vectors({ '{"a":[1,"A-77"]}': [1], '{"b":2}': [1] })
    const assertion = assertionOf('similar', { value: { a: [1, '{{ order }}'] } })
    expect(await setUp().grade(assertion, { output: { b: 2 } })).toMatchObject({ status: 'pass' })
  })
  it('renders its reference with the values of variables', async () => {
    vectors({ [OUTPUT]: [1], 'for acme-tenant': [1] })
    expect(await setUp().grade(assertionOf('similar', { value: 'for {{ env.TENANT }}' }))).toMatchObject({
      status: 'pass',
    })
  })
  it('asks for both embeddings at once', async () => {
    vendors.answerWith(() => 'never')
    const stop = new AbortController()
    const { newRun } = setUp()
    const grading = newRun().grade(SIMILAR, CASE, stop.signal)
    await vendors.received(2)
    stop.abort(new Error('the run ends'))
    await expect(grading).rejects.toThrow('the run ends')
  })
})

describe('an embedding', () => {
  it('has the key that all engines share, and an entry with its length', async () => {
    vectors({ [OUTPUT]: [0.5, 0.25], [REFERENCE]: [1, 0] })
    const { grade, memory } = setUp()
    await grade(SIMILAR)
    expect([...memory.entries.keys()]).toContain(WORKED_KEY)
    expect(memory.jsonOf(WORKED_KEY)).toMatchObject({
      kind: 'embedding',
      output: { dims: 2 },
      raw: { data: [{ embedding: [0.5, 0.25] }] },
      usage: { input_tokens: 1000, output_tokens: 0 },
      cost_usd: 0.000_02,
    })
  })
  it('of another engine may be the vector alone', async () => {
    vectors({ [REFERENCE]: [1, 0] })
    const { grade, memory } = setUp()
    const entry = { created_at: '2025-01-01T00:00:00Z', output: { dims: 2 }, raw: [2, 0] }
    memory.entries.set(WORKED_KEY, Buffer.from(JSON.stringify(entry)))
    expect(await grade(SIMILAR)).toMatchObject({ status: 'pass', cached: false })
    expect(vendors.requests).toHaveLength(1)
    expect(await grade(SIMILAR)).toMatchObject({ status: 'pass', cached: true })
  })
  it('costs what both calls cost', async () => {
    vectors({ [OUTPUT]: [1], [REFERENCE]: [1] })
    expect(await setUp().grade(SIMILAR)).toMatchObject({ cached: false, cost_usd: 0.000_04 })
    const unpriced = embeddingsSpec(vendors.url, { model: 'm-embed' })
    expect(await setUp({ embeddings: unpriced }).grade(SIMILAR)).toMatchObject({ cost_usd: null })
  })
  it('of equal texts is asked for once', async () => {
    vectors({ same: [1] })
    const { grade } = setUp()
    expect(await grade(assertionOf('similar', { value: 'same' }), { output: 'same' })).toMatchObject({
      status: 'pass',
      cached: false,
    })
    expect(vendors.requests).toHaveLength(1)
  })

  it.each([
    ['a rejected credential', errorAnswer(401), 'grader_missing'],
    ['another refusal', errorAnswer(422), 'grader_missing'],
    ['a timeout of the service', errorAnswer(408), 'grader_unavailable'],
    ['a rate limit', errorAnswer(429), 'grader_unavailable'],
    ['trouble of the service', errorAnswer(503), 'grader_unavailable'],
    ['a response without a vector', { body: { data: [] } }, 'grader_failed'],
    ['a vector of texts', { body: { data: [{ embedding: ['1'] }] } }, 'grader_failed'],
    ['a response that is not JSON', { body: 'no' }, 'grader_failed'],
  ] as const)('is not there: %s', async (_, answer, error_class) => {
    vendors.answerWith(() => answer)
    const verdict = await setUp().grade(SIMILAR)
    expect(verdict).toMatchObject({ status: 'error', error_class })
    expect(verdict.reason).toMatch(/^grader error: /)
    expect(verdict).not.toHaveProperty('credential_rejected')
    expect(vendors.requests).toHaveLength(2)
  })
  it('needs an embeddings provider', async () =>
    expect(await setUp({ embeddings: undefined }).grade(SIMILAR)).toMatchObject({
      status: 'error',
      error_class: 'grader_missing',
      reason: "grader error: no embeddings provider is configured for 'similar' assertions in this suite",
    }))
  it('is not asked for with --cache-only', async () => {
    expect(await setUp({ mode: 'only' }).grade(SIMILAR)).toMatchObject({ error_class: 'cache_miss' })
    expect(await setUp({ mode: 'only', usesCache: false }).grade(SIMILAR)).toMatchObject({ error_class: 'cache_miss' })
    expect(vendors.requests).toEqual([])
  })
})
