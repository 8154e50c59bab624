import { describe, expect, it } from 'vitest'
import {
  caseJudgeId,
  caseVerdict,
  criterionDigest,
  differingFields,
  judgeChanges,
  judgeId,
  judgeKey,
  judgeOf,
  judgingSnapshot,
  metricOf,
  type JudgedAssertion,
} from '../../../domain/review/judge-id.ts'
import { parseExact } from '../../../domain/run/canonical-json.ts'

type Fields = Readonly<Record<string, unknown>>
const GRADER = { provider: { type: 'openai', model: 'm-judge', params: { temperature: 0 } }, params: { top_p: 1 } }
const rubric = (criteria: Fields = {}, details?: Fields): JudgedAssertion => ({
  kind: 'llm-rubric',
  criteria: { type: 'llm-rubric', weight: 1, negate: false, value: 'Be kind', ...criteria },
  ...(details && { details }),
})
const idOf = (assertion: JudgedAssertion, grader: Fields | null = GRADER): string | null =>
  judgeId(judgeOf(assertion, grader && { grader }))
const withGrader = (change: Fields) => idOf(rubric(), { ...GRADER, ...change })
const withProvider = (change: Fields) => withGrader({ provider: { ...GRADER.provider, ...change } })
const ID = idOf(rubric())

describe('the id of a judge', () => {
  it('is the beginning of the SHA-256 of its canonical JSON', () => {
    expect(judgeOf(rubric(), { grader: GRADER })).toEqual({
      kind: 'llm-rubric',
      ...{ type: 'openai', model: 'm-judge', params: { temperature: 0, top_p: 1 }, template: 'builtin/1' },
      ...{ include_tool_calls: false, negate: false, threshold: null, program: null },
    })
    // By sha256sum, of the text with sorted keys.
    expect(ID).toBe('f055b2c4fc4f4026dd53275bc98291a1')
  })

  it.each<readonly [what: string, id: string | null]>([
    ['another model', withProvider({ model: 'other' })],
    ['another API', withProvider({ type: 'anthropic' })],
    ['other params of the provider', withProvider({ params: { temperature: 1 } })],
    ['other params of the grader', withGrader({ params: { top_p: 0.5 } })],
    ['other params of the assertion', idOf(rubric({ params: { seed: 1 } }))],
    ['tool calls', withGrader({ include_tool_calls: true })],
    ['a template', withGrader({ template: 'file://judge.txt' })],
    ['a threshold', idOf(rubric({ threshold: 0.7 }))],
    ['a negation', idOf(rubric({ negate: true }))],
    ['a grader of its own', idOf(rubric({ grader: { provider: { type: 'openai', model: 'own' } } }))],
    ['another model that answered', idOf(rubric({}, { judge: { model: 'm-judge-2026-01-01' } }))],
  ])('is another one with %s', (_, id) => {
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(id).not.toBe(ID)
  })

  it.each<readonly [what: string, id: string | null]>([
    [
      'another order of params',
      withGrader({ provider: { params: { temperature: 0 }, model: 'm-judge', type: 'openai' } }),
    ],
    ['another criterion', idOf(rubric({ value: 'Be short' }))],
    ['a gateway', withGrader({ base_url: 'https://gateway.example', timeout_ms: 5 })],
    ['an address of the provider', withProvider({ base_url: 'https://gateway.example' })],
    ['another key', withGrader({ api_key_env: 'OTHER' })],
    [
      'secrets among the params',
      withGrader({
        params: {
          top_p: 1,
          ...{ access_token: 'x', api_key: 'k', accessToken: 'x', sessionToken: 'x', privateKey: 'x', pwd: 'x' },
          ...{ accessKeyId: 'x', aws_access_key_id: 'x', Authorization: 'x', 'x-auth-token': 'x', clientSecret: 'x' },
        },
      }),
    ],
    [
      'credentials as values of other params',
      withGrader({
        params: {
          top_p: 1,
          ...{ upstream: 'Bearer abc', gateway: 'sk-abcdefghijklmnopqrst' },
          header: { name: 'Authorization', value: 'abc' },
        },
      }),
    ],
    ['another name', idOf(rubric({ name: 'Tone' }))],
    ['the model that was asked', idOf(rubric({}, { judge: { model: 'm-judge' } }))],
  ])('is the same with %s', (_, id) => expect(id).toBe(ID))

  it.each([
    { headers: [{ name: 'Authorization', value: 'abc' }] },
    { headers: [{ key: 'x-api-key', value: 'abc' }] },
    { headers: [['Authorization', 'abc']] },
    { headers: ['Authorization: abc', 'x-api-key=abc'] },
    { headers: ['Bearer abc'] },
  ])('is the same whatever a list of headers has as secrets: %j', (params) => {
    expect(judgeOf(rubric({ params }), { grader: GRADER }).params).toEqual({ temperature: 0, top_p: 1, headers: [] })
  })

  it('keeps lists and texts that are no secrets', () => {
    const params = {
      stop: ['token', 'key'],
      headers: [['X-Team', 'search'], 'X-Team: search', { name: 'X-Team', value: 'search' }],
      system: 'Key: answer yes or no. Basic grammar counts.',
    }
    expect(judgeOf(rubric({ params }), { grader: GRADER }).params).toEqual({ temperature: 0, top_p: 1, ...params })
  })

  it('keeps members of params that only sound secret', () =>
    expect(
      new Set([
        ID,
        ...['max_tokens', 'keep', 'keys', 'Tokens', 'author'].map((name) => withGrader({ params: { [name]: 5 } })),
      ]).size,
    ).toBe(6))

  it('has members named `__proto__`, and numbers that no double represents', () => {
    const withParams = (params: string) => idOf(rubric({ params: parseExact(params) }))
    expect(withParams('{"__proto__":{"a":1}}')).not.toBe(withParams('{"__proto__":{"a":2}}'))
    expect(withParams('{"seed":9007199254740993}')).not.toBe(withParams('{"seed":9007199254740992}'))
    expect(idOf(rubric({ threshold: parseExact('0.69999999999999996') }))).toBe(idOf(rubric({ threshold: 0.7 })))
  })

  it('depends on the text of a template, not on its path', () => {
    const template = { ...GRADER, template: 'file://judge.txt' }
    const [one, other] = ['a', 'b'].map((letter) =>
      idOf(rubric({}, { judge: { template_sha256: letter.repeat(64) } }), template),
    )
    expect(one).not.toBe(other)
    expect(
      idOf(rubric({}, { judge: { template_sha256: 'a'.repeat(64) } }), { ...GRADER, template: 'file://moved.txt' }),
    ).toBe(one)
  })

  it('is null without a model', () => {
    expect(idOf(rubric(), null)).toBe(null)
    expect(idOf(rubric(), { provider: { type: 'openai' } })).toBe(null)
    expect(judgeId(judgeOf({ kind: 'exec', criteria: { check: 'x' } }, null))).toBe(null)
  })

  it.each<readonly [tool: string, criteria: Fields, details: Fields]>([
    ['DeepEval', { name: 'Tone', model: 'gpt-4.1' }, {}],
    ['promptfoo', { provider: 'gpt-4.1' }, {}],
    ['promptfoo, described', { provider: { id: 'gpt-4.1', config: {} } }, {}],
    ['MLflow', {}, { source: { source_type: 'LLM_JUDGE', source_id: 'gpt-4.1' } }],
    ['promptfoo, through a gateway', { provider: { id: 'gpt-4.1', config: { apiBaseUrl: 'https://g.example' } } }, {}],
    ['any that names its judge', { judge: 'gpt-4.1', metric: 'tone' }, {}],
    ['any that records it', {}, { judge: { model: 'gpt-4.1' } }],
  ])('has the model that %s gives', (_, criteria, details) => {
    expect(judgeOf(rubric(criteria, details), null).model).toBe('gpt-4.1')
    expect(idOf(rubric(criteria, details), null)).toBe(idOf(rubric({}, { judge: { model: 'gpt-4.1' } }), null))
  })

  it('has the prompt of promptfoo as its template', () =>
    expect(judgeOf(rubric({ provider: 'x', rubricPrompt: 'Grade {{output}}' }), null).template).toMatch(
      /^[0-9a-f]{64}$/,
    ))

  it('is that of the command and its configuration for a program', () => {
    const program = (criteria: Fields) => judgeId(judgeOf({ kind: 'exec', criteria }, { grader: GRADER }))
    const id = program({ command: ['node', 'check.js'], config: { a: 1, b: 2 } })
    expect(program({ config: { b: 2, a: 1 }, command: ['node', 'check.js'] })).toBe(id)
    expect(program({ command: ['node', 'check.js'], config: { a: 2 } })).not.toBe(id)
    expect(program({ command: ['node', 'other.js'], config: { a: 1, b: 2 } })).not.toBe(id)
  })

  it('has the default threshold and the embeddings of the suite for `similar`', () => {
    const snapshot = {
      providers: [
        { type: 'openai', model: 'm' },
        { type: 'embeddings', model: 'e' },
      ],
    }
    const similar = (criteria: Fields) => judgeOf({ kind: 'similar', criteria }, snapshot)
    expect(similar({ value: 'x' })).toMatchObject({ model: 'e', threshold: 0.8 })
    expect(similar({ value: 'x', threshold: 0.8 })).toEqual(similar({}))
  })

  it('is not larger for huge params and names', () => {
    const { params, model } = judgeOf(
      rubric({ params: { text: 'x'.repeat(9_000) } }, { judge: { model: 'y'.repeat(9_000) } }),
      null,
    )
    expect([params, model]).toEqual([
      { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      expect.stringMatching(/^sha256:/),
    ])
  })

  it('is the same by what judges depend on of a snapshot, however long it is', () => {
    const long = 'x'.repeat(9_000)
    const provider = { type: 'embeddings', model: long, params: { long, token: 'x' }, base_url: long }
    const grader = { provider, params: { long }, template: long, include_tool_calls: true, timeout_ms: 5 }
    for (const snapshot of [
      { grader, providers: [{ type: 'openai' }, provider] },
      { grader: { provider: {} } },
      {},
      null,
    ]) {
      const short = judgingSnapshot(snapshot)
      expect(JSON.stringify(short).length).toBeLessThan(1_000)
      const similar: JudgedAssertion = { ...rubric(), kind: 'similar' }
      for (const assertion of [rubric(), rubric({ params: { long: 1 } }), similar])
        expect(judgeOf(assertion, short)).toEqual(judgeOf(assertion, snapshot))
    }
  })
})

it('equal keys are equal judges', () => {
  expect(judgeKey(rubric({ value: 'a', name: 'b' }))).toBe(judgeKey(rubric({ value: 'c' })))
  // What a tool records of each answer of its judge.
  expect(judgeKey(rubric({}, { judge: { model: 'a', seconds: 1 }, source: { source_id: 'b', at: 1 } }))).toBe(
    judgeKey(rubric({}, { judge: { model: 'a', seconds: 2 }, source: { source_id: 'b', at: 2 } })),
  )
  expect(judgeKey(rubric({ threshold: 1 }))).not.toBe(judgeKey(rubric()))
  expect(judgeKey(rubric({}, { judge: { model: 'a' } }))).not.toBe(judgeKey(rubric({}, { judge: { model: 'b' } })))
})

it('a metric is the name of an assertion, else its kind, negated or not', () => {
  expect(
    [
      {},
      { name: 'Tone' },
      { metric: 'tone', judge: 'm' },
      { scorer: 'model_graded_qa' },
      { name: 'Tone', negate: true },
      { negate: true },
    ].map((criteria) => metricOf(rubric(criteria))),
  ).toEqual(['llm-rubric', 'Tone', 'tone', 'model_graded_qa', 'Tone', 'llm-rubric'])
  expect(metricOf(rubric({ name: `a\0${'b'.repeat(300)}` }))).toBe(`a\uFFFD${'b'.repeat(198)}`)
})

it('the digest of a criterion is that of its text', () => {
  expect(criterionDigest(rubric())).toMatch(/^[0-9a-f]{16}$/)
  expect(criterionDigest(rubric({ value: 'Be short' }))).not.toBe(criterionDigest(rubric()))
  expect(criterionDigest({})).toBe(null)
})

it('the judges of whole cases have one id, whatever their order', () => {
  expect(caseJudgeId(['a', 'b', 'a'])).toBe(caseJudgeId(['b', 'a']))
  expect(caseJudgeId(['a'])).not.toBe(caseJudgeId(['a', 'b']))
  expect([caseJudgeId([]), caseJudgeId(['a', null])]).toEqual([null, null])
  expect((['pass', 'xpass', 'fail', 'error', 'skip', 'xfail'] as const).map(caseVerdict)).toEqual([
    1,
    1,
    0,
    null,
    null,
    null,
  ])
})

describe('a changed judge', () => {
  const of = (metric: string, criteria: Fields, details?: Fields, grader: Fields | null = GRADER) => {
    const judge = judgeOf(rubric(criteria, details), grader && { grader })
    return { metric, judge, judge_id: judgeId(judge) }
  }
  const answered = (model: string) => of('tone', {}, { judge: { model } })
  const [a, b, c] = ['a', 'b', 'c'].map(answered) as [
    ReturnType<typeof of>,
    ReturnType<typeof of>,
    ReturnType<typeof of>,
  ]

  it('names both ids and the fields that differ', () => {
    expect(judgeChanges([a], [b])).toEqual([
      { metric: 'tone', before: a.judge_id, after: b.judge_id, differs: ['model'] },
    ])
    expect(judgeChanges([a], [of('tone', { threshold: 0.5 }, { judge: { model: 'a' } })])).toMatchObject([
      { differs: ['threshold'] },
    ])
    expect(judgeChanges([a, b], [b, a])).toEqual([])
  })
  it('is not known for a metric without a judge on one side', () => {
    const unknown = of('tone', {}, undefined, null)
    expect([judgeChanges([unknown], [a]), judgeChanges([a], [unknown]), judgeChanges([unknown], [unknown])]).toEqual([
      [],
      [],
      [],
    ])
    expect(judgeChanges([a], [of('style', {})])).toEqual([])
  })
  it('is one that came to others, or one of several that is gone', () => {
    expect(judgeChanges([a], [a, b])).toMatchObject([{ before: a.judge_id, after: b.judge_id }])
    expect(judgeChanges([a, b], [a])).toMatchObject([{ before: b.judge_id, after: a.judge_id }])
    expect(judgeChanges([a, b], [a, c])).toMatchObject([{ before: b.judge_id, after: c.judge_id }])
  })
  it('is none for a template of which an earlier version recorded the path alone', () => {
    const grader = { ...GRADER, template: 'file://judge.txt' }
    const [before, after] = [
      of('tone', {}, undefined, grader),
      of('tone', {}, { judge: { template_sha256: 'a'.repeat(64) } }, grader),
    ]
    expect(before.judge_id).not.toBe(after.judge_id)
    expect(judgeChanges([before], [after])).toEqual([])
    expect(differingFields(before.judge, of('tone', {}).judge)).toEqual([])
  })
})
