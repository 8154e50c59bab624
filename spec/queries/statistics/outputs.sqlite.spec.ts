import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestOutputs } from '../../../queries/statistics/outputs.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'

const TEST = 'folder/the test?'
let spec: SpecApp
beforeAll(async () => {
  spec = await openApp()
  const column = (provider_id: string, output: unknown, more: Record<string, unknown> = {}) =>
    aCase({ cell: { provider_id, test_id: TEST }, output, prompt: { text: 'Say it.' }, name: 'The test', ...more })
  await spec.ingest(
    aDocument({
      run_id: 'one',
      origin: { note: 'first' },
      cases: [
        column('a', 'Hello', {
          status: 'fail',
          model: 'a-2026',
          latency_ms: 1200,
          cost_usd: 0.5,
          usage: { input_tokens: 3, output_tokens: 4 },
          asserts: [
            {
              kind: 'llm-rubric',
              status: 'fail',
              score: 0.25,
              weight: 2,
              reason: 'é'.repeat(3_000),
              criteria: { type: 'llm-rubric', metric: 'tone', judge: 'judge-1', threshold: 0.8, negate: true },
            },
            { kind: 'contains', status: 'pass', score: 1, weight: 1, reason: 'found' },
          ],
          tool_calls: [{ name: 'look_up', arguments: {} }],
        }),
        aCase({ cell: { test_id: 'another' } }),
        column('b', { answer: 12345678901234567890n.toString() }),
      ],
    }),
  )
  await spec.ingest(
    aDocument({ run_id: 'two', cases: [column('c', 'ü'.repeat(40_000), { prompt: { text: 'Say it again.' } })] }),
  )
  await spec.ingest(aDocument({ run_id: 'three', cases: [column('d', null, { prompt: null, latency_ms: 0 })] }))
})
afterAll(() => spec.close())

const get = async (path: string, status = 200) => {
  const answer = await spec.sendAs('read')('GET', path)
  expect(answer.statusCode, answer.body).toBe(status)
  return answer.json<TestOutputs>()
}
const test = encodeURIComponent(TEST)

describe('the outputs of a test', () => {
  it('are those of all columns of a run', async () => {
    const found = await get(`/runs/one/tests/${test}`)
    expect(found).toMatchObject({ test_id: TEST, name: 'The test', against: 0, same_prompt: true, left_out: 0 })
    expect(found.columns).toMatchObject([
      {
        run_id: 'one',
        note: 'first',
        provider_id: 'a',
        prompt_id: 'terse',
        model: 'a-2026',
        status: 'fail',
        score: 0,
        repeat: 0,
        output: { text: 'Hello', length: 5, truncated: false },
        prompt: { text: 'Say it.', length: 7, truncated: false },
        tool_calls: ['look_up'],
        latency_ms: 1200,
        cost_usd: 0.5,
        input_tokens: 3,
        output_tokens: 4,
        asserts: [
          {
            name: 'tone',
            judge: 'judge-1',
            kind: 'llm-rubric',
            negated: true,
            status: 'fail',
            score: 0.25,
            weight: 2,
            threshold: 0.8,
            reason: { text: 'é'.repeat(2_000), length: 6_000, truncated: true },
          },
          { name: null, judge: null, kind: 'contains', negated: false, threshold: null },
        ],
      },
      { provider_id: 'b', output: { text: '{"answer":"12345678901234567890"}' }, tool_calls: [] },
    ])
  })

  it('are those of several runs, cut between characters, and null if none was recorded', async () => {
    const found = await get(`/compare/outputs?runs=one,two,three&test=${test}&against=two`)
    expect(found).toMatchObject({ against: 2, same_prompt: false })
    expect(found.columns.map(({ run_id, provider_id }) => [run_id, provider_id])).toEqual([
      ['one', 'a'],
      ['one', 'b'],
      ['two', 'c'],
      ['three', 'd'],
    ])
    expect(found.columns[2]?.output).toEqual({ text: 'ü'.repeat(32_768), length: 80_000, truncated: true })
    expect(found.columns[3]).toMatchObject({ output: null, prompt: null, latency_ms: null })
  })

  it('are compared with the first column if the run that is named does not have the test', async () => {
    await spec.ingest(aDocument({ run_id: 'without', cases: [aCase({ cell: { test_id: 'another' } })] }))
    expect(await get(`/compare/outputs?runs=one,without&test=${test}&against=without`)).toMatchObject({ against: 0 })
  })

  it('can be those of some cases, against one of them', async () => {
    const { columns } = await get(`/runs/one/tests/${test}`)
    const [a = '', b = ''] = columns.map(({ case_key }) => case_key)
    expect(await get(`/runs/one/tests/${test}?against=${b}`)).toMatchObject({ against: 1 })
    expect((await get(`/runs/one/tests/${test}?cases=${a}`)).columns.map(({ case_key }) => case_key)).toEqual([a])
    expect(await get(`/runs/one/tests/${test}?cases=${b},${a}&against=${b}`)).toMatchObject({ against: 1 })
    for (const [query, error] of [
      ['cases=none', 'cases: the test has no case "none"'],
      [`cases=${a},none`, 'cases: the test has no case "none"'],
      ['against=none', 'against: no column is the case "none"'],
      ['against=one', 'against: no column is the case "one"'],
      ['against=', 'against: no column is the case ""'],
      [`cases=${a}&against=${b}`, `against: no column is the case ${JSON.stringify(b)}`],
    ] as const)
      expect(await get(`/runs/one/tests/${test}?${query}`, 400), query).toEqual({ error })
  })

  it('are at most 48 columns, and the others are counted', async () => {
    const cases = Array.from({ length: 50 }, (_, i) => aCase({ cell: { provider_id: `p${i}`, test_id: 'wide' } }))
    await spec.ingest(aDocument({ run_id: 'wide', cases }))
    const { columns, left_out, same_prompt } = await get('/runs/wide/tests/wide')
    expect([columns.length, left_out, same_prompt]).toEqual([48, 2, null])
  })

  it('are not found for an unknown test or run, and only for two or more runs', async () => {
    expect(await get('/runs/one/tests/unknown', 404)).toEqual({ error: 'test not found' })
    expect(await get('/runs/unknown/tests/unknown', 404)).toEqual({ error: 'run not found' })
    expect(await get('/compare/outputs?runs=one,two&test=unknown', 404)).toEqual({ error: 'test not found' })
    expect(await get('/compare/outputs?runs=one,unknown&test=x', 404)).toEqual({ error: 'run not found' })
    expect(await get('/compare/outputs?runs=one,two&test=x&against=three', 400)).toEqual({
      error: 'against: must name one of the runs',
    })
    expect(await get('/compare/outputs?runs=one&test=x', 400)).toEqual({
      error: 'runs: must be 2 to 8 different ids of runs, comma-separated',
    })
  })
})
