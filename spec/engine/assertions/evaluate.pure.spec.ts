import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import type { AssertionKind, Verdict } from '../../../engine/assertions/assertion.ts'
import { recordedCriteria, evaluateAssertions, type AssertionInput } from '../../../engine/assertions/evaluate.ts'
import type { AssertedResponse } from '../../../engine/assertions/local.ts'
import type { Grader } from '../../../engine/grading/grader.ts'
import type { Json, JsonObject } from '../../../engine/json.ts'
import type { AssertionSpec } from '../../../engine/suite/suite.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'

const templates = createTemplates({ now: () => 0, env: {} })

const assertion = (
  kind: AssertionKind,
  fields: JsonObject = {},
  { weight = 1, negate = false }: { weight?: number; negate?: boolean } = {},
): AssertionSpec => ({ kind, weight, negate, fields })

/** A grader that answers from a list, and notes what it was asked. */
const scripted = (verdicts: readonly Verdict[]) => {
  const asked: string[] = []
  const rest = [...verdicts]
  const grader: Grader = {
    grade: async ({ kind }) => {
      asked.push(kind)
      return rest.shift() ?? { status: 'error', reason: 'no verdict is left', error_class: 'grader_failed' }
    },
  }
  return { grader, asked }
}

type Options = {
  readonly response?: Partial<AssertedResponse>
  readonly verdicts?: readonly Verdict[]
  readonly vars?: JsonObject
  readonly threshold?: number
  readonly shortCircuit?: boolean
}

const evaluate = async (assertions: readonly AssertionSpec[], options: Options = {}) => {
  const { grader, asked } = scripted(options.verdicts ?? [])
  const input: AssertionInput = {
    assertions,
    response: { output: 'Hello World', tool_calls: [], latency_ms: 812, ...options.response },
    vars: options.vars ?? {},
    env: { REGION: 'eu' },
    templates,
    grader,
    threshold: options.threshold,
    shortCircuit: options.shortCircuit ?? true,
    test: { id: 't', tags: [] },
    provider_id: 'p',
    repeat: 0,
    signal: new AbortController().signal,
  }
  return { ...(await evaluateAssertions(input)), asked }
}

const one = async (kind: AssertionKind, fields: JsonObject, options: Options = {}) => {
  const { results } = await evaluate([assertion(kind, fields)], options)
  const [result] = results
  return [result?.status, result?.score, result?.reason]
}

const output = (value: Json): Options => ({ response: { output: value } })

describe('a local assertion', () => {
  it.each<[AssertionKind, JsonObject, Options, 'pass' | 'fail' | 'error', string]>([
    ['contains', { value: 'World' }, {}, 'pass', 'output contains "World"'],
    ['contains', { value: 'world' }, {}, 'fail', 'output does not contain "world"'],
    ['contains', { value: '"a":1' }, output({ a: 1 }), 'pass', 'output contains ""a":1"'],
    ['icontains', { value: 'wORLD' }, {}, 'pass', 'output contains "wORLD" (case-insensitive)'],
    ['icontains', { value: 'GRÜ' }, output('die grüße'), 'pass', 'output contains "GRÜ" (case-insensitive)'],
    ['icontains', { value: 'x' }, {}, 'fail', 'output does not contain "x" (case-insensitive)'],
    ['icontains-any', { values: ['x', 'WORLD', 'hello'] }, {}, 'pass', 'output contains "WORLD"'],
    ['icontains-any', { values: ['a', 'b'] }, {}, 'fail', 'output contains none of ["a", "b"]'],
    ['starts-with', { value: 'Hello' }, {}, 'pass', 'output starts with "Hello"'],
    ['starts-with', { value: 'Hello' }, output(' Hello'), 'fail', 'output does not start with "Hello"'],
    ['regex', { value: 'W.r' }, {}, 'pass', 'output matches /W.r/'],
    ['regex', { value: '^W' }, {}, 'fail', 'output does not match /^W/'],
    ['equals', { value: 'Hello {{ who }}' }, { vars: { who: 'World' } }, 'pass', 'output equals expected'],
    ['equals', { value: 'hello' }, {}, 'fail', 'output does not equal expected'],
    ['equals', { value: '{{ missing }}' }, output('{{ missing }}'), 'pass', 'output equals expected'],
    [
      'equals',
      { value: { b: 1, a: ['{{ who }}'] } },
      { vars: { who: 'x' }, ...output('{"a": ["x"], "b": 1.0}') },
      'pass',
      'output equals expected',
    ],
    ['equals', { value: { a: 1 } }, output({ a: 1, b: 2 }), 'fail', 'output does not equal expected'],
    ['equals', { value: 5 }, output('five'), 'fail', 'output does not equal expected'],
    ['is-json', {}, output(' {"a": 1}\n'), 'pass', 'output is valid JSON'],
    ['is-json', {}, output('x {}'), 'fail', 'output is not valid JSON'],
    ['is-json', {}, output(`${'['.repeat(1e5)}${']'.repeat(1e5)}`), 'fail', 'output is not valid JSON'],
    ['contains-json', {}, output(`${'['.repeat(1e5)}${']'.repeat(1e5)}`), 'fail', 'output contains no JSON value'],
    ['contains-json', {}, output('a ```json\n{"a": [1]}\n``` b'), 'pass', 'output contains JSON'],
    ['contains-json', {}, output('[1, {"a": 2}] and more'), 'pass', 'output contains JSON'],
    ['contains-json', {}, output('see [x] then {"a": 1}'), 'fail', 'output contains no JSON value'],
    ['contains-json', {}, output('say {"a": "}"} now'), 'fail', 'output contains no JSON value'],
    ['contains-json', {}, output('say {"a": 1 now'), 'fail', 'output contains no JSON value'],
    [
      'contains-json',
      { schema: { required: ['a'] } },
      output('say {"a": 1}'),
      'pass',
      'output contains JSON matching the schema',
    ],
    ['contains-json', { schema: { type: 'array' } }, output('{}'), 'fail', 'JSON does not match schema: must be array'],
    [
      'contains-json',
      { schema: { properties: { p: { type: 'string' }, q: { type: 'string' } } } },
      output('{"p": 1, "q": 2}'),
      'fail',
      'JSON does not match schema at `/p`: must be string (and 1 more)',
    ],
    ['length', { min: 2, max: 11 }, {}, 'pass', 'length 11 within bounds'],
    ['length', { max: 10 }, {}, 'fail', 'length 11 > max 10'],
    ['length', { min: 2 }, output('😀'), 'fail', 'length 1 < min 2'],
    [
      'jinja',
      { value: 'output|length > 3 and env.REGION == "eu"' },
      {},
      'pass',
      'expression `output|length > 3 and env.REGION == "eu"` is true',
    ],
    [
      'jinja',
      { value: 'output_json.a == n and vars.n == 2' },
      { vars: { n: 2 }, ...output('{"a": 2}') },
      'pass',
      'expression `output_json.a == n and vars.n == 2` is true',
    ],
    [
      'jinja',
      { value: 'output_json[0] is float and output_json[1] is integer' },
      output('[2.0, 2]'),
      'pass',
      'expression `output_json[0] is float and output_json[1] is integer` is true',
    ],
    ['jinja', { value: 'vars.missing' }, {}, 'fail', 'expression `vars.missing` is false'],
    ['jinja', { value: '[]' }, {}, 'fail', 'expression `[]` is false'],
    [
      'jinja',
      { value: 'output_json.a' },
      {},
      'error',
      'expression `output_json.a`: `output_json` is undefined (line 1)',
    ],
    [
      'jinja',
      { value: '1 +' },
      {},
      'error',
      'expression `1 +`: syntax error: unexpected the end, expected an expression (line 1)',
    ],
    ['cost', { max: 0.01 }, { response: { cost_usd: 0.000438 } }, 'pass', 'cost $0.000438 <= $0.010000'],
    ['cost', { max: 0.01 }, { response: { cost_usd: 0.02 } }, 'fail', 'cost $0.020000 > $0.010000'],
    ['cost', { max: 0 }, {}, 'pass', 'cost not reported; budget not enforced'],
    ['latency', { max: 2000 }, {}, 'pass', 'latency 812ms <= 2000ms'],
    ['latency', { max: 811 }, {}, 'fail', 'latency 812ms > 811ms'],
    [
      'tokens',
      { max: 12 },
      { response: { usage: { input_tokens: 5, output_tokens: 4, cache_read_tokens: 3, cache_write_tokens: 2 } } },
      'pass',
      'tokens 12 <= 12',
    ],
    [
      'tokens',
      { max: 13, count: 'billable' },
      { response: { usage: { input_tokens: 5, output_tokens: 4, cache_read_tokens: 3, cache_write_tokens: 2 } } },
      'fail',
      'billable tokens 14 > 13',
    ],
    ['tokens', { max: 0 }, {}, 'pass', 'tokens not reported; budget not enforced'],
  ])('%s %j', async (kind, fields, options, status, reason) => {
    expect(await one(kind, fields, options)).toEqual([status, status === 'pass' ? 1 : 0, reason])
  })

  it.each<[AssertionKind, JsonObject, string]>([
    ['regex', { value: '(' }, 'invalid regex /(/: '],
    ['contains-json', { schema: { type: 'text' } }, 'schema is invalid'],
    ['contains-json', { schema: { $ref: 'https://example.test/a.json' } }, "can't resolve reference"],
    ['tool-call', { name: 'f', args: { a: '{{ missing }}' } }, 'rendering args: `missing` is undefined'],
    ['contains', {}, '`value` must be a string'],
    ['cost', { max: 'x' }, '`max` must be a number'],
  ])('%s %j cannot be evaluated', async (kind, fields, reason) => {
    const { results, error } = await evaluate([assertion(kind, fields, { negate: true })], {
      response: { output: '{}', tool_calls: [{ name: 'f', arguments: {} }] },
    })
    expect(results).toMatchObject([{ status: 'error', score: 0, reason: expect.stringContaining(reason) as string }])
    expect(error).toEqual({ message: `${kind} assertion errored: ${results[0]!.reason}`, error_class: 'assert_failed' })
  })

  it('lists at most ten violations of a schema', async () => {
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index}`, { type: 'string' }]))
    const value = Object.fromEntries(Object.keys(properties).map((key) => [key, 1]))
    const { results } = await evaluate([assertion('contains-json', { schema: { properties } })], output(value))
    expect(results[0]!.reason).toContain('(and 11 more)')
    const details = results[0]!.details as { errors: unknown[]; total: number }
    expect(details.total).toBe(12)
    expect(details.errors).toHaveLength(10)
    expect(details.errors[0]).toEqual({ path: '/p0', message: 'must be string' })
  })

  it('compares numbers that no double holds', async () => {
    const exact = parseExact('{"a": 9007199254740993}') as Json
    expect((await one('equals', { value: exact }, output('{"a": 9007199254740993}')))[0]).toBe('pass')
    expect((await one('equals', { value: exact }, output('{"a": 9007199254740992}')))[0]).toBe('fail')
  })
})

describe('a tool-call assertion', () => {
  const calls = (...tool_calls: AssertedResponse['tool_calls']): Options => ({ response: { output: '', tool_calls } })
  const search = { name: 'search', arguments: { q: 'x', n: 2 } }

  it.each<[JsonObject, Options, 'pass' | 'fail', string]>([
    [{ name: 'search' }, calls(search), 'pass', 'tool `search` was called as expected'],
    [{ name: 'search' }, {}, 'fail', 'tool `search` was not called (no tools were called)'],
    [
      { name: 'search' },
      calls({ name: 'a', arguments: {} }, { name: 'b', arguments: {} }),
      'fail',
      'tool `search` was not called (called: a, b)',
    ],
    [
      { name: 'search', args: { q: '{{ v }}' } },
      { ...calls(search), vars: { v: 'x' } },
      'pass',
      'tool `search` was called as expected',
    ],
    [
      { name: 'search', args: { q: 'y' } },
      calls(search),
      'fail',
      'tool `search` was called 1 time(s), none matching: argument `q` was "x", expected "y"',
    ],
    [
      { name: 'search', args: { z: 1 } },
      calls(search, search),
      'fail',
      'tool `search` was called 2 time(s), none matching: argument `z` was not passed',
    ],
    [
      { name: 'search', args: { constructor: 1 } },
      calls(search),
      'fail',
      'tool `search` was called 1 time(s), none matching: argument `constructor` was not passed',
    ],
    [
      { name: 'search', args: { q: 'y' } },
      calls(search, { name: 'search', arguments: { q: 'y' } }),
      'pass',
      'tool `search` was called as expected',
    ],
    [
      { name: 'search', schema: { properties: { n: { maximum: 1 } } } },
      calls(search),
      'fail',
      'tool `search` was called 1 time(s), none matching: arguments do not match schema at `/n`: must be <= 1',
    ],
    [
      { name: 'search', args: { q: 'x' } },
      calls({ name: 'search', arguments: 'broken {' }),
      'fail',
      'tool `search` was called 1 time(s), none matching: argument `q` was not passed',
    ],
  ])('%j', async (fields, options, status, reason) => {
    expect(await one('tool-call', fields, options)).toEqual([status, status === 'pass' ? 1 : 0, reason])
  })
})

describe('negation', () => {
  it('flips the verdict and the score', async () => {
    const { results } = await evaluate(
      [
        assertion('contains', { value: 'World' }, { negate: true }),
        assertion('contains', { value: 'x' }, { negate: true }),
        assertion('llm-rubric', { value: 'r' }, { negate: true }),
      ],
      { threshold: 0.5, verdicts: [{ status: 'pass', score: 0.75, reason: 'good' }] },
    )
    expect(results.map(({ status, score, reason }) => [status, score, reason])).toEqual([
      ['fail', 0, 'negated: output contains "World"'],
      ['pass', 1, 'negated: output does not contain "x"'],
      ['fail', 0.25, 'negated: good'],
    ])
  })

  it('is part of the criteria', () => {
    expect(recordedCriteria(assertion('contains', { value: 'x' }, { negate: true, weight: 2 }))).toEqual({
      type: 'contains',
      value: 'x',
      negate: true,
    })
    expect(recordedCriteria(assertion('is-json'))).toEqual({ type: 'is-json' })
  })
})

describe('an empty output', () => {
  const blank = (more: Partial<AssertedResponse> = {}): Options => ({
    response: { output: ' \n', empty_reason: 'refusal', ...more },
  })

  it.each<Json>(['', ' \n', [], {}])('of %j passes no assertion about it', async (value) => {
    const empty = blank({ output: value })
    const [status, score, reason] = await one('length', { max: 10 }, empty)
    expect([status, score, reason]).toEqual(['fail', 0, 'an assertion cannot pass on an empty output (refusal)'])
    const { results } = await evaluate([assertion('contains', { value: 'sorry' }, { negate: true })], empty)
    expect(results[0]).toMatchObject({
      status: 'fail',
      score: 0,
      reason: 'negated: a negated assertion cannot pass vacuously on an empty output (refusal)',
    })
  })

  it('scores zero even where the judge gave more', async () => {
    const { results } = await evaluate([assertion('llm-rubric', { value: 'r' })], {
      ...blank(),
      verdicts: [{ status: 'fail', score: 0.4, reason: 'weak' }],
    })
    expect(results[0]).toMatchObject({ status: 'fail', score: 0, reason: 'weak' })
  })

  it('leaves assertions about the call alone', async () => {
    const { results } = await evaluate(
      [
        assertion('latency', { max: 1000 }),
        assertion('cost', { max: 1 }),
        assertion('tokens', { max: 1 }),
        assertion('latency', { max: 1 }, { negate: true }),
      ],
      blank(),
    )
    expect(results.map(({ status }) => status)).toEqual(['pass', 'pass', 'pass', 'pass'])
  })

  it('with tool calls is judged as usual', async () => {
    const options = blank({ tool_calls: [{ name: 'f', arguments: {} }] })
    expect((await one('tool-call', { name: 'f' }, options))[0]).toBe('pass')
    const { passed } = await evaluate([assertion('contains', { value: 'x' }, { negate: true })], options)
    expect(passed).toBe(true)
  })

  it('is not one that only claims to be empty', async () => {
    expect((await one('contains', { value: 'a' }, blank({ output: 'a' })))[0]).toBe('pass')
    expect((await one('equals', { value: 0 }, blank({ output: 0 })))[0]).toBe('pass')
    expect((await one('equals', { value: false }, blank({ output: false })))[0]).toBe('pass')
  })

  it('stays an error where the assertion cannot be evaluated', async () =>
    expect((await one('regex', { value: '(' }, blank()))[0]).toBe('error'))
})

describe('graded assertions', () => {
  const rubric = assertion('llm-rubric', { value: 'r' })
  const good: Verdict = {
    status: 'pass',
    score: 0.75,
    reason: 'good',
    cached: true,
    cost_usd: 0.002,
    details: { a: 1 },
  }

  it('run after the local ones, and results keep the order of the suite', async () => {
    const { results, asked, score, passed } = await evaluate(
      [rubric, assertion('contains', { value: 'World' }), assertion('exec', { command: ['x'] })],
      { verdicts: [good, { status: 'pass', score: 1, reason: 'ok', cost_usd: null }] },
    )
    expect(asked).toEqual(['llm-rubric', 'exec'])
    expect(results.map(({ kind }) => kind)).toEqual(['llm-rubric', 'contains', 'exec'])
    expect(results[0]).toEqual({
      kind: 'llm-rubric',
      status: 'pass',
      score: 0.75,
      weight: 1,
      reason: 'good',
      details: { a: 1 },
      criteria: { type: 'llm-rubric', value: 'r' },
      cached: true,
      cost_usd: 0.002,
    })
    expect(results[2]).not.toHaveProperty('cost_usd')
    expect(score).toBeCloseTo(2.75 / 3)
    expect(passed).toBe(true)
  })

  it('are skipped if the outcome is decided, and count in neither score nor verdict', async () => {
    const { results, asked, score, passed } = await evaluate([rubric, assertion('contains', { value: 'x' })])
    expect(asked).toEqual([])
    expect(results[0]).toMatchObject({ status: 'skipped', score: 0, reason: 'skipped: outcome already decided' })
    expect([score, passed]).toEqual([0, false])
  })

  it('run all once the outcome is open, whatever the first of them says', async () => {
    const bad: Verdict = { status: 'fail', score: 0, reason: 'bad' }
    const { asked } = await evaluate([rubric, rubric], { verdicts: [bad, bad] })
    expect(asked).toHaveLength(2)
  })

  it('run in any case if the suite asks for it', async () => {
    const { asked } = await evaluate([rubric, assertion('contains', { value: 'x' })], {
      shortCircuit: false,
      verdicts: [good],
    })
    expect(asked).toEqual(['llm-rubric'])
  })

  it('are skipped after a local assertion that could not be evaluated', async () => {
    const { asked, error } = await evaluate([assertion('regex', { value: '(' }), rubric])
    expect(asked).toEqual([])
    expect(error?.error_class).toBe('assert_failed')
  })
})

describe('the error of a case', () => {
  const rubric = assertion('llm-rubric', { value: 'r' })
  const errored = (error_class: string, more: Partial<Verdict & { status: 'error' }> = {}): Verdict => ({
    status: 'error',
    reason: `grader error: ${error_class}`,
    error_class,
    ...more,
  })

  it.each<[readonly string[], string]>([
    [['grader_missing', 'grader_failed'], 'grader_failed'],
    [['grader_failed', 'grader_unavailable'], 'grader_unavailable'],
    [['assert_failed', 'checker_failed'], 'checker_failed'],
    [['checker_failed', 'grader_missing'], 'grader_missing'],
    [['grader_missing', 'something_new'], 'something_new'],
  ])('of %j is of class %s', async (classes, heaviest) => {
    const { error, passed, score } = await evaluate(
      classes.map(() => rubric),
      { verdicts: classes.map((name) => errored(name)) },
    )
    expect(error).toEqual({
      message: `llm-rubric assertion errored: grader error: ${classes[0]} (and 1 more errored)`,
      error_class: heaviest,
    })
    expect([passed, score]).toEqual([true, 0])
  })

  it.each<[string, AssertionSpec, Verdict | undefined]>([
    ['a judge that fails', rubric, errored('grader_failed')],
    ['a program that fails', assertion('exec', { command: ['x'] }), errored('checker_failed')],
    ['embeddings that fail', assertion('similar', { value: 'r' }), errored('grader_unavailable')],
    ['a regular expression that does not compile', assertion('regex', { value: '(' }), undefined],
    ['a broken schema', assertion('contains-json', { schema: { type: 5 } }), undefined],
    ['an expression that fails', assertion('jinja', { value: 'nosuch == 1' }), undefined],
    ['arguments that do not render', assertion('tool-call', { name: 'f', args: { a: '{{ nosuch }}' } }), undefined],
  ])('leaves the score that was earned: %s', async (_, broken, verdict) => {
    const given = { verdicts: verdict === undefined ? [] : [verdict] }
    const passing = assertion('contains', { value: 'Hello' }, { weight: 3 })
    expect(await evaluate([passing, broken], given)).toMatchObject({ score: 0.75, results: [{}, { status: 'error' }] })
    expect(await evaluate([broken], given)).toMatchObject({ score: 0, results: [{ status: 'error', score: 0 }] })
    const negated = { ...broken, negate: true }
    expect(await evaluate([negated], given)).toMatchObject({ score: 0, results: [{ status: 'error', score: 0 }] })
  })

  it('carries the exit code and a rejected credential', async () => {
    const { error, credentialRejected } = await evaluate([rubric, rubric], {
      verdicts: [errored('grader_missing', { exit_code: 3 }), errored('grader_failed', { credential_rejected: true })],
    })
    expect(error).toMatchObject({ error_class: 'grader_failed', exit_code: 3 })
    expect(credentialRejected).toBe(true)
  })

  it('is absent while everything could be evaluated', async () => {
    const { error, credentialRejected } = await evaluate([assertion('contains', { value: 'x' })])
    expect(error).toBeNull()
    expect(credentialRejected).toBe(false)
  })
})
