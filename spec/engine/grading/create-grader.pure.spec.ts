import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { redactor } from '../../../engine/providers/redactor.ts'
import { ProgramFailure, type Programs } from '../../../engine/processes/program.ts'
import { CASE, assertionOf, embeddingsSpec, graderSpec, gradingSetUp } from '../../support/engine/grading.ts'
import { chatVerdict, embeddingAnswer } from '../../support/vendors/answers.ts'
import { startVendors } from '../../support/vendors/vendors.ts'

afterAll(() => vendors[Symbol.asyncDispose]())

/** Any JSON in the place of a verdict, never one that says that the output passes. */
const noVerdict = fc.oneof(
  fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"pass"')),
  fc.record({ pass: fc.constantFrom('true', 1, null, 'yes'), score: fc.constant(1), reasoning: fc.string() }),
  fc.record({ pass: fc.constant(true), score: fc.constantFrom('1', [1], true) }),
)
/** A response that holds no verdict that says that the output passes. */
const failure = fc.oneof(
  fc.constantFrom('cut' as const, { cutAfter: '{"content":[' }, { rawBytes: 'no http\r\n\r\n' }),
  fc.record({ status: fc.constantFrom(300, 400, 401, 403, 404, 408, 418, 429, 500, 503, 529), body: fc.jsonValue() }),
  fc.record({ body: fc.oneof(fc.string(), fc.jsonValue()) }),
  noVerdict.map((input) => ({ body: { content: [{ type: 'tool_use', name: 'submit_verdict', input }] } })),
  noVerdict.map((verdict) => ({ body: { choices: [{ message: { content: JSON.stringify(verdict) } }] } })),
  fc.constantFrom(
    {
      body: {
        stop_reason: 'max_tokens',
        content: [{ type: 'tool_use', name: 'submit_verdict', input: { pass: true, score: 1, reasoning: '' } }],
      },
    },
    { body: { choices: [{ finish_reason: 'length', message: { content: '{"pass":true,"score":1}' } }] } },
  ),
)
const vendors = await startVendors()

describe('trouble of a grader is never a pass', () => {
  it.each(['anthropic', 'openai'])('of a judge of %s', async (type) => {
    await fc.assert(
      fc.asyncProperty(failure, fc.option(fc.double({ min: 0, max: 1, noNaN: true })), async (answer, threshold) => {
        vendors.answerWith(() => answer)
        const { grade, memory } = gradingSetUp({ grader: graderSpec(type, vendors.url) })
        const verdict = await grade(
          assertionOf('llm-rubric', { value: 'x', ...(threshold === null ? {} : { threshold }) }),
        )
        expect(verdict.status).toBe('error')
        expect(verdict.reason).toMatch(/^grader error: /)
        expect(memory.entries.size).toBe(0)
      }),
      { numRuns: 60, seed: 7 },
    )
  })
  it('of an embeddings provider, negated or not', async () => {
    const noCosine = fc.oneof(
      fc.constantFrom({ body: { data: [{ embedding: [] }] } }, { body: { data: [{ embedding: [0, 0] }] } }),
      failure,
    )
    await fc.assert(
      fc.asyncProperty(noCosine, noCosine, fc.boolean(), async (ofOutput, ofReference, negate) => {
        vendors.answerWith(({ body }) =>
          (JSON.parse(body) as { input: string }).input === 'x' ? ofReference : ofOutput,
        )
        const { grade } = gradingSetUp({ embeddings: embeddingsSpec(vendors.url) })
        const verdict = await grade({ ...assertionOf('similar', { value: 'x', threshold: 0.01 }), negate })
        if (negate)
          expect(verdict).toMatchObject({ status: 'error', reason: expect.stringMatching(/^grader error: /) as string })
        else expect(verdict.status).not.toBe('pass')
      }),
      { numRuns: 60, seed: 7 },
    )
  })
  it('of a program', async () => {
    const reason = fc.constantFrom('spawn', 'timeout', 'exit', 'too_large', 'not_utf8', 'stopped')
    const outcome = fc.oneof(
      reason.map(
        (why): Programs['run'] =>
          () =>
            Promise.reject(new ProgramFailure(why, 'it broke', '')),
      ),
      fc
        .oneof(
          fc.string(),
          noVerdict.map((value) => JSON.stringify(value)),
        )
        .map(
          (stdout): Programs['run'] =>
            () =>
              Promise.resolve({ stdout, stderr: '', durationMs: 1 }),
        ),
    )
    await fc.assert(
      fc.asyncProperty(outcome, async (run) => {
        const { grade, memory } = gradingSetUp({ programs: { run } })
        expect(await grade(assertionOf('exec', { command: ['check'] }))).toMatchObject({
          status: 'error',
          error_class: 'checker_failed',
        })
        expect(memory.entries.size).toBe(0)
      }),
      { seed: 7 },
    )
  })
})

describe('a grader', () => {
  it('stores no secret that a var or an output holds', async () => {
    const secret = 'the-secret-key'
    vendors.answerWith(({ path }) =>
      path.endsWith('/embeddings') ? embeddingAnswer([1]) : chatVerdict({ pass: true, score: 1, reasoning: 'ok' }),
    )
    const { grade, memory } = gradingSetUp({
      grader: graderSpec('openai', vendors.url),
      embeddings: embeddingsSpec(vendors.url),
      programs: { run: () => Promise.resolve({ stdout: '{"pass":true}', stderr: '', durationMs: 1 }) },
      redactor: redactor(new Map([['TOKEN', secret]])),
    })
    const subject = { vars: { token: secret }, output: `it is ${secret}` }
    for (const assertion of [
      assertionOf('llm-rubric', { value: '{{ token }}' }),
      assertionOf('similar', { value: '{{ token }}' }),
      assertionOf('exec', { command: ['check'] }),
    ])
      expect(await grade(assertion, subject)).toMatchObject({ status: 'pass' })
    expect(memory.entries.size).toBe(4)
    for (const entry of memory.entries.values()) {
      expect(Buffer.from(entry).toString()).toContain('[redacted TOKEN]')
      expect(Buffer.from(entry).toString()).not.toContain(secret)
    }
  })
  it('rejects with the reason of its signal', async () => {
    const { newRun } = gradingSetUp({ grader: graderSpec('anthropic', vendors.url) })
    const signal = AbortSignal.abort(new Error('the run ends'))
    await expect(newRun().grade(assertionOf('llm-rubric', { value: 'x' }), CASE, signal)).rejects.toThrow(
      'the run ends',
    )
  })
  it('does not grade other kinds', async () =>
    expect(await gradingSetUp().grade(assertionOf('contains', { value: 'x' }))).toMatchObject({
      status: 'error',
      error_class: 'grader_missing',
    }))
  it('grades with a cache that does not work, with one warning for each fault', async () => {
    vendors.answerWith(() => ({
      body: { choices: [{ message: { content: '{"pass":true,"score":1,"reasoning":""}' } }] },
    }))
    const { grade, memory, warnings } = gradingSetUp({ grader: graderSpec('openai', vendors.url) })
    memory.state.failReads = memory.state.failWrites = true
    expect(await grade(assertionOf('llm-rubric', { value: 'x' }))).toMatchObject({ status: 'pass', cached: false })
    expect(warnings).toHaveLength(2)
  })
})
