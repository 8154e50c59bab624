import { describe, expect, it } from 'vitest'
import { countsOf, importBytes } from '../support/interchange/import-files.ts'

const createdAt = '2026-01-01T00:00:00Z'

const only = async (name: string, content: string) => {
  const results = await importBytes(name, content, { createdAt })
  const [result] = results
  if (!result || !('run' in result)) throw new Error(countsOf(results)[0])
  return { losses: result.run.losses, cases: result.document!.cases }
}

/** A row of promptfoo with these members. */
const promptfoo = (members: string, response = 'null') =>
  `{"evalId":"e","results":{"version":3,"results":[{"success":false,"score":0,"promptIdx":0,"testIdx":0,"provider":{"id":"p"},` +
  `"prompt":{"raw":"x","label":"x"},"vars":{"a":1},"testCase":{"vars":{"a":1}},"gradingResult":null,"response":${response},${members}}]}}`
const ctrf = (members: string) =>
  `{"reportFormat":"CTRF","results":{"tool":{"name":"t"},"summary":{},"tests":[{"name":"a","status":"passed",${members}}]}}`
const braintrust = (members: string) =>
  `{"id":"1","_xact_id":"1","root_span_id":"1","span_id":"1","experiment_id":"x","created":"${createdAt}","input":"q","output":"a",${members}}`
const langfuse = (scores: object[]) =>
  JSON.stringify({
    data: [
      {
        ...{
          id: 'o',
          traceId: 't',
          startTime: createdAt,
          endTime: createdAt,
          experimentId: 'x',
          experimentItemId: 'i',
        },
        ...{ input: 'q', output: 'a', scores },
      },
    ],
    meta: {},
  })
const score = (dataType: string, value: unknown, more = {}) => ({
  name: dataType,
  dataType,
  source: 'EVAL',
  value,
  ...more,
})
const phoenix = (members: object, annotation: object = { score: 1 }) =>
  JSON.stringify([
    {
      ...{ example_id: 'e', repetition_number: 1, input: 'q', reference_output: 'a', output: 'a' },
      ...{
        start_time: createdAt,
        end_time: createdAt,
        annotations: [{ name: 'n', annotator_kind: 'CODE', ...annotation }],
      },
      ...members,
    },
  ])
const langsmith = (members: object, feedback: object) =>
  JSON.stringify({
    ...{
      id: 'r',
      run_type: 'chain',
      session_id: 's',
      reference_example_id: 'e',
      start_time: createdAt,
      end_time: createdAt,
    },
    ...{ inputs: { q: 1 }, outputs: { output: 'a' }, feedback_stats: { good: feedback }, ...members },
  })

describe('a duration that is no number', () => {
  it.each([
    ['promptfoo', 'r.json', promptfoo('"latencyMs":1e400'), 'latencyMs', '1e400'],
    ['promptfoo', 'r.json', promptfoo('"latencyMs":"12 ms"'), 'latencyMs', '12 ms'],
    ['promptfoo', 'r.json', promptfoo('"latencyMs":{"value":3}'), 'latencyMs', { value: 3 }],
    ['promptfoo', 'r.json', promptfoo('"latencyMs":-5'), 'latency_ms', -5],
    ['CTRF', 'r.json', ctrf('"duration":"1h"'), 'duration', '1h'],
    ['CTRF', 'r.json', ctrf('"duration":-0.75'), 'latency_ms', -0.75],
    ['Phoenix', 'r.json', phoenix({ latency_ms: 'slow' }), 'latency_ms', 'slow'],
  ])('stays in raw of %s, and is recorded: %s %s', async (_, name, content, key, value) => {
    const { cases, losses } = await only(name, content)
    expect(cases[0]).toMatchObject({ latency_ms: 0, raw: { [key]: value } })
    expect(losses.map(({ path }) => path).filter((path) => /latency|duration|results\.\*$/i.test(path))).not.toEqual([])
  })

  it('is no error of a number that is near the end of the range', async () => {
    const { cases, losses } = await only('r.json', promptfoo('"latencyMs":1e3,"metadata":{"n":1e308,"text":"1e400"}'))
    expect(cases[0]).toMatchObject({ latency_ms: 1000, raw: { metadata: { n: 1e308, text: '1e400' } } })
    expect(losses.filter(({ kind }) => kind === 'changed')).toEqual([])
  })
})

describe('an error that is an object', () => {
  it.each([
    ['of a row', promptfoo('"error":{"code":"rate","message":"rl","stack":"at x"}')],
    ['of a response', promptfoo('"failureReason":2', '{"error":{"code":"rate","message":"rl","stack":"at x"}}')],
    [
      'where promptfoo gives no reason',
      promptfoo('"failureReason":0,"error":{"code":"rate","message":"rl","stack":"at x"}'),
    ],
  ])('is an error of promptfoo: %s', async (_, content) => {
    const { cases } = await only('r.json', content)
    expect(cases[0]).toMatchObject({
      status: 'error',
      error: 'rl',
      error_class: 'rate',
      error_details: { trace: 'at x' },
    })
  })

  it('stores other members in raw, and always has a message', async () => {
    const { cases } = await only('r.json', promptfoo('"error":{"code":429,"message":"rl","headers":{"x":1}}'))
    expect(cases[0]).toMatchObject({ status: 'error', error: 'rl', raw: { error: { code: 429, headers: { x: 1 } } } })
    const [unnamed] = (await only('r.json', promptfoo('"error":{"code":429}'))).cases
    expect(unnamed).toMatchObject({ status: 'error', error: '{"code":429}' })
  })

  it('is no error where an assertion failed, or there is an output', async () => {
    const failed = await only('r.json', promptfoo('"failureReason":1,"error":{"message":"m"}', '{"output":"o"}'))
    expect(failed.cases[0]).toMatchObject({ status: 'fail', raw: { error: { message: 'm' } } })
    expect((await only('r.json', promptfoo('"error":{}'))).cases[0]?.status).toBe('fail')
  })

  it.each([
    ['Braintrust', 'r.json', braintrust('"error":{"message":"m"},"scores":{}')],
    ['Phoenix', 'r.json', phoenix({ error: { message: 'm' } })],
    [
      'LangSmith',
      'r.jsonl',
      `${langsmith({ error: { message: 'm' } }, { avg: 1 })}\n${langsmith({ id: 'q' }, { avg: 1 })}`,
    ],
  ])('is an error of %s', async (_, name, content) => {
    expect((await only(name, content)).cases[0]).toMatchObject({ status: 'error', error: 'm' })
  })
})

describe('a score that is no number', () => {
  it('of Braintrust is evaluated as text or as a truth value, or recorded', async () => {
    const { cases, losses } = await only(
      'r.json',
      braintrust('"scores":{"a":"0.9","b":true,"c":"false","d":"great","e":null,"f":{"score":1}}'),
    )
    expect(
      cases[0]?.asserts.map(({ criteria, status, score: found }) => [
        (criteria as { name: string }).name,
        status,
        found,
      ]),
    ).toEqual([
      ['a', 'pass', 0.9],
      ['b', 'pass', 1],
      ['c', 'fail', 0],
      ['d', 'skipped', 0],
      ['e', 'skipped', 0],
      ['f', 'skipped', 0],
    ])
    expect(cases[0]?.raw).toMatchObject({ scores: { d: 'great', f: { score: 1 } } })
    expect(losses.filter(({ note }) => note?.startsWith('not a score')).map(({ path }) => path)).toEqual([
      '*.scores.f',
      '*.scores.d',
    ])
  })

  it.each([
    ['Langfuse', 'r.json', langfuse([score('NUMERIC', '0.9')]), 0.9],
    ['Phoenix', 'r.json', phoenix({}, { score: '0.9' }), 0.9],
  ])('of %s is evaluated as text', async (_, name, content, expected) => {
    expect((await only(name, content)).cases[0]).toMatchObject({ status: 'pass', score: expected })
  })

  it('of Langfuse decides as a category that says what is good, if no other score does', async () => {
    const statusOf = async (...scores: object[]) => (await only('r.json', langfuse(scores))).cases[0]?.status
    expect(await statusOf(score('CATEGORICAL', 'pass'))).toBe('pass')
    expect(await statusOf(score('CATEGORICAL', 'Fail'))).toBe('fail')
    expect(await statusOf(score('CATEGORICAL', 0, { stringValue: 'incorrect' }))).toBe('fail')
    expect(await statusOf(score('CATEGORICAL', 'fail'), score('BOOLEAN', 1))).toBe('pass')
    const { cases, losses } = await only('r.json', langfuse([score('CATEGORICAL', 'formal')]))
    expect(cases[0]?.status).toBe('skip')
    expect(losses).toContainEqual(expect.objectContaining({ kind: 'assumed', example: 'formal' }))
  })
})
