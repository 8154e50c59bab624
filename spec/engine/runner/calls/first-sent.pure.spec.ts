import { afterEach, beforeEach, expect, it } from 'vitest'
import { programsInProcess, runInProcess } from '../../../support/engine/run-in-process.ts'
import { assertionOf, embeddingsSpec, graderSpec } from '../../../support/engine/grading.ts'
import { loaded, provider, test } from '../../../support/engine/suites.ts'
import { embeddingAnswer, messagesVerdict } from '../../../support/vendors/answers.ts'
import { enginePorts } from '../../../support/vendors/engine-ports.ts'
import { startVendors, type Vendors } from '../../../support/vendors/vendors.ts'

let vendors: Vendors
beforeEach(async () => void (vendors = await startVendors()))
afterEach(() => vendors[Symbol.asyncDispose]())

const usage = { input_tokens: 1000, output_tokens: 500 }
const pricing = { input_per_mtok: 1, output_per_mtok: 2 }

/** Runs two cells with the same answer. With a concurrency of 2 the answer of the first one comes last. */
const runAt = async (concurrency: number) => {
  vendors.answerWith(({ path }) =>
    path === '/embeddings'
      ? embeddingAnswer([1, 0], 1000)
      : messagesVerdict({ reasoning: 'good', pass: true, score: 0.75 }, { usage }),
  )
  const second = Promise.withResolvers<void>()
  let asked = 0
  const programs = programsInProcess(async () => {
    if (++asked === 1 && concurrency > 1) await second.promise
    return { output: 'same' }
  })
  const similar = (value: string) => assertionOf('similar', { value })
  const rubric = assertionOf('llm-rubric', { value: 'is good' })
  const { document } = await runInProcess({
    loaded: loaded({
      providers: [
        provider('bot'),
        embeddingsSpec(vendors.url),
        embeddingsSpec('http://127.0.0.1:1', { id: 'is never asked: the first one serves' }),
      ],
      grader: graderSpec('anthropic', vendors.url, { pricing }),
    }),
    tests: [
      test('a', { vars: { q: 1 }, assert: [rubric, similar('one'), similar('same')] }),
      test('b', { vars: { q: 2 }, assert: [similar('two'), similar('one'), similar('same'), rubric] }),
    ],
    programs,
    options: { concurrency },
    ports: enginePorts({ ANTHROPIC_API_KEY: 'key-of-anthropic', OPENAI_API_KEY: 'key-of-openai' }),
    onEvent: (event) => {
      if (event.kind === 'case_finished' && event.index === 1) second.resolve()
    },
  })
  return {
    asserts: document.cases.map(({ asserts }) => asserts.map(({ cached, cost_usd }) => [cached, cost_usd])),
    grading: document.summary.grader_cost_usd,
  }
}

it('gives the first of equal judges and embeddings, in the order of the cells, as the one that was sent', async () => {
  const inOrder = await runAt(1)
  expect(inOrder).toEqual({
    asserts: [
      [
        [false, 0.002],
        [false, 0.000_04],
        [true, 0.000_04],
      ],
      [
        [false, 0.000_04],
        [true, 0.000_04],
        [true, 0.000_04],
        [true, 0.002],
      ],
    ],
    grading: 0.0042,
  })
  expect(vendors.requests).toHaveLength(4)
  expect(await runAt(2)).toEqual(inOrder)
  expect(vendors.requests).toHaveLength(8)
})
