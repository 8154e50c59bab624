import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { importBytes, lossesOf } from '../../../support/interchange/import-files.ts'
import { gradedRow, promptfooExport, promptfooRow } from '../../../support/interchange/promptfoo-rows.ts'

const importRows = async (rows: readonly unknown[], top: Parameters<typeof promptfooExport>[1] = {}) => {
  const results = await importBytes('a.json', promptfooExport(rows, top))
  const [found] = results
  if (!found?.document) throw new Error(JSON.stringify(found))
  return { cases: found.document.cases, losses: lossesOf(results), document: found.document }
}
const importRow = async (row: unknown, top: Parameters<typeof promptfooExport>[1] = {}) => {
  const { cases, losses } = await importRows([row], top)
  return { item: cases[0]!, losses }
}

describe('a row of promptfoo', () => {
  it('is a case', async () => {
    const { item } = await importRow(
      promptfooRow({
        id: 'row-1',
        provider: { id: 'openai:gpt-5', label: 'big' },
        response: { output: { a: 1 }, finishReason: 'stop', cached: true, cost: 0.25, extra: 'x' },
        cost: 0.25,
        latencyMs: 12.6,
        metadata: { plugin: 'pii' },
        namedScores: { right: 0.5 },
      }),
    )
    expect(item).toMatchObject({
      cell: {
        provider_id: 'big',
        prompt_id: 'short',
        test_id: expect.stringMatching(/^vars-[0-9a-f]{12}$/) as unknown,
        repeat: 0,
      },
      status: 'pass',
      score: 1,
      output: { a: 1 },
      stop_reason: 'stop',
      cached: true,
      cost_usd: 0.25,
      latency_ms: 13,
      vars: { word: 'a' },
      prompt: { text: 'Say a' },
      prompt_digest: expect.stringMatching(/^f9b0078b/) as unknown,
      raw: {
        id: 'row-1',
        provider_id: 'openai:gpt-5',
        metadata: { plugin: 'pii' },
        namedScores: { right: 0.5 },
        response: { extra: 'x' },
      },
    })
  })

  it.each([
    ['a failed call', { failureReason: 2, error: '503', success: false, response: { error: '503' } }, 'error', '503'],
    [
      'a failed call of an old version',
      { failureReason: undefined, error: '503', success: false, response: {} },
      'error',
      '503',
    ],
    ['a failed assertion', { failureReason: 1, error: 'no match', success: false }, 'fail', undefined],
    [
      'a failed assertion of an old version',
      { failureReason: undefined, error: 'no match', success: false },
      'fail',
      undefined,
    ],
    ['success', {}, 'pass', undefined],
  ])('has the status that promptfoo shows: %s', async (_, changes, status, error) => {
    const { item } = await importRow(promptfooRow(changes))
    expect(item.status).toBe(status)
    expect(item.error).toBe(error)
  })

  it('splits the message and the stack of an error', async () => {
    const stack = 'Error: no key\n    at call (a.js:1:2)\n    at run (b.js:3:4)'
    const { item } = await importRow(promptfooRow({ failureReason: 2, error: `Error: no key\n\n${stack}` }))
    expect(item).toMatchObject({ error: 'Error: no key', error_details: { trace: stack } })
  })

  it('leaves out a cost of 0, and writes an unknown latency as 0', async () => {
    const { item } = await importRow(promptfooRow({ cost: 0, latencyMs: undefined }))
    expect(item.cost_usd).toBeUndefined()
    expect(item.latency_ms).toBe(0)
  })

  it('counts cached tokens separately', async () => {
    const usage = async (tokenUsage: unknown) =>
      (await importRow(promptfooRow({ response: { output: 'a', tokenUsage } }))).item.usage
    expect(await usage({ prompt: 100, completion: 5, total: 105 })).toEqual({ input_tokens: 100, output_tokens: 5 })
    const completionDetails = { cacheReadInputTokens: 60, cacheCreationInputTokens: 10 }
    expect(await usage({ prompt: 100, completion: 5, total: 105, completionDetails })).toEqual({
      input_tokens: 30,
      output_tokens: 5,
      cache_read_tokens: 60,
      cache_write_tokens: 10,
    })
    expect(await usage({ cached: 19, total: 19 })).toEqual({ input_tokens: 0, output_tokens: 0, cache_read_tokens: 19 })
    expect(await usage({ prompt: 0, completion: 0, total: 0, cached: 0 })).toBeUndefined()
  })

  it('reads a prompt that is a list of turns as messages', async () => {
    const raw = JSON.stringify([
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:x' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'critic', content: 'Hm' },
    ])
    const { item, losses } = await importRow(promptfooRow({ prompt: { raw, label: 'chat' } }))
    expect(item.prompt).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'text', text: '[image left out]' },
          ],
        },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c', name: 'f', arguments: { a: 1 } }] },
        { role: 'user', content: 'Hm' },
      ],
    })
    expect(losses.map(({ kind, path }) => `${kind} ${path}`)).toEqual(
      expect.arrayContaining([
        'left_out results.results.*.prompt.raw.*.content.*',
        'changed results.results.*.prompt.raw.*.role',
      ]),
    )
  })

  it.each(['[not JSON', '[1, 2]', '[]', '[{"role": "user"}]', '{"role": "user", "content": "a"}'])(
    'reads any other prompt as text: %s',
    async (raw) => {
      const { item } = await importRow(promptfooRow({ prompt: { raw, label: 'chat' } }))
      expect(item.prompt).toEqual({ text: raw })
    },
  )

  it('never uses the text of a prompt as its id', async () => {
    const { cases, document } = await importRows([
      promptfooRow({ prompt: { raw: 'Say a', label: 'Say {{word}}' } }),
      promptfooRow({ prompt: { raw: 'Say a', label: 'Say a' }, testIdx: 1 }),
      promptfooRow({ prompt: { raw: 'Say a', display: 'Say {{word}}' }, promptId: undefined, testIdx: 2 }),
      promptfooRow({ prompt: { raw: 'Say a', label: 'p.txt' }, testIdx: 3 }),
    ])
    const hash = /^[0-9a-f]{12}$/
    expect(cases.map(({ cell }) => cell.prompt_id)).toEqual([
      'f9b0078b5df5',
      'f9b0078b5df5',
      expect.stringMatching(hash),
      'p.txt',
    ])
    // The text is in the document once, and not in every case.
    expect(document.run.config_snapshot).toMatchObject({
      import: { rest: { prompts: expect.arrayContaining([{ id: 'f9b0078b5df5', raw: 'Say {{word}}' }]) as unknown } },
    })
  })

  it('takes the only provider of the configuration for rows that name none', async () => {
    const row = promptfooRow({ provider: undefined })
    const provider = async (providers: unknown) =>
      (await importRow(row, { config: { providers } })).item.cell.provider_id
    expect(await provider(['openai:gpt-4'])).toBe('openai:gpt-4')
    expect(await provider([{ id: 'x', label: 'mine' }])).toBe('mine')
    expect(await provider(['a', 'b'])).toBe('unknown')
  })

  it('keeps a score outside of 0 to 1 in raw', async () => {
    const { item, losses } = await importRow(promptfooRow({ score: 4.5 }))
    expect(item).toMatchObject({ score: 1, raw: { scores: { score: 4.5 } } })
    expect(losses).toContainEqual(expect.objectContaining({ kind: 'changed', path: 'results.results.*.score' }))
  })

  it('does not repeat the assertions of a test that were evaluated', async () => {
    const assertion = { type: 'not-contains', value: 'x', metric: 'm', weight: 2 }
    const assert = [assertion, { type: 'assert-set', threshold: 0.5, assert: [{ type: 'regex', value: 'a' }] }]
    const set = {
      pass: true,
      score: 1,
      reason: 'set',
      componentResults: [{ pass: true, score: 1, reason: '', assertion: { type: 'regex', value: 'a' } }],
      metadata: { assertionSet: { type: 'assert-set', assertionCount: 1, threshold: 0.5 } },
    }
    const testCase = { vars: { word: 'a' }, assert, options: {}, metadata: {} }
    const evaluated = await importRow(gradedRow([{ pass: true, score: 1, reason: '', assertion }, set], { testCase }))
    expect(evaluated.item.raw).not.toHaveProperty('testCase')
    expect((await importRow(gradedRow([set], { testCase }))).item.raw).toMatchObject({ testCase: { assert } })
  })
})

describe('the judge of a row of promptfoo', () => {
  const judgeIn = async (options: object, assertion: object) => {
    const testCase = { vars: { word: 'a' }, options }
    const { item } = await importRow(gradedRow([{ pass: true, score: 1, reason: '', assertion }], { testCase }))
    const details: { judge?: object } = item.asserts[0]?.details ?? {}
    return details.judge
  }
  const rubric = { type: 'llm-rubric', value: 'Be kind' }
  const sha256 = (text: string) => hash('sha256', text, 'hex')

  it('is that of the options of its test', async () => {
    expect(await judgeIn({ provider: 'openai:judge' }, rubric)).toEqual({ model: 'openai:judge' })
    expect(await judgeIn({ provider: { id: 'openai:judge', config: {} } }, rubric)).toEqual({ model: 'openai:judge' })
    expect(await judgeIn({ provider: { text: { id: 'openai:judge' }, embedding: 'e' } }, rubric)).toEqual({
      model: 'openai:judge',
    })
    expect(await judgeIn({ rubricPrompt: 'Grade {{output}}' }, rubric)).toEqual({
      template_sha256: sha256('Grade {{output}}'),
    })
    expect(await judgeIn({ provider: 'j', rubricPrompt: [{ b: 1, a: 2 }] }, rubric)).toEqual({
      model: 'j',
      template_sha256: sha256('[{"a":2,"b":1}]'),
    })
  })
  it('is not said of an assertion with a judge of its own, or without one', async () => {
    expect(await judgeIn({ provider: 'j' }, { ...rubric, provider: 'own' })).toBe(undefined)
    expect(await judgeIn({ provider: 'j' }, { type: 'contains', value: 'a' })).toBe(undefined)
    expect(await judgeIn({}, rubric)).toBe(undefined)
  })
})

describe('the assertions of a row of promptfoo', () => {
  const assertionsOf = async (...components: unknown[]) => (await importRow(gradedRow(components))).item.asserts

  it.each([
    ['contains', 'contains', undefined],
    ['not-contains', 'contains', undefined],
    ['contains-any', 'icontains-any', 'contains-any'],
    ['similar:cosine', 'similar', 'similar:cosine'],
    ['g-eval', 'llm-rubric', 'g-eval'],
    ['promptfoo:redteam:pii', 'llm-rubric', 'promptfoo:redteam:pii'],
    ['javascript', 'exec', 'javascript'],
    ['not-python', 'exec', 'python'],
    ['constructor', 'exec', 'constructor'],
  ])('get a kind: %s becomes %s', async (type, kind, original_type) => {
    const [found] = await assertionsOf({ pass: true, score: 1, reason: 'r', assertion: { type, value: 'v' } })
    expect(found).toMatchObject({ kind, status: 'pass', reason: 'r', criteria: { type: kind, value: 'v' } })
    const criteria = found?.criteria as Record<string, unknown>
    expect(criteria['original_type']).toBe(original_type)
    expect(criteria['negate']).toBe(type.startsWith('not-') ? true : undefined)
  })

  it('have the name of their metric, their weight, and the rest as details', async () => {
    const tokensUsed = { total: 9, prompt: 7, completion: 2, cached: 0 }
    const [found, free] = await assertionsOf(
      { pass: false, score: 0.25, reason: '', assertion: { type: 'equals', metric: 'right', weight: 3 }, tokensUsed },
      { pass: true, score: 0, reason: '', assertion: { type: 'equals', weight: 0 }, metadata: { a: 1 } },
    )
    expect(found).toMatchObject({
      status: 'fail',
      score: 0.25,
      weight: 3,
      criteria: { name: 'right' },
      details: { tokensUsed: { total: 9, prompt: 7, completion: 2 } },
    })
    expect(free).toMatchObject({ weight: 0, details: { metadata: { a: 1 } } })
  })

  it('become one for a set, though its members are listed again after it', async () => {
    const members = [
      { pass: true, score: 1, reason: 'one', assertion: { type: 'contains', value: 'a' } },
      { pass: false, score: 0, reason: 'two', assertion: { type: 'regex', value: 'b' } },
    ]
    const set = {
      pass: true,
      score: 0.5,
      reason: 'set',
      componentResults: members,
      metadata: { assertionSet: { type: 'assert-set', assertionCount: 2, threshold: 0.5, weight: 2, metric: 'both' } },
    }
    const other = { pass: true, score: 1, reason: 'other', assertion: { type: 'is-json' } }
    for (const components of [
      [set, ...members, other],
      [set, other],
    ]) {
      const asserts = await assertionsOf(...structuredClone(components))
      expect(asserts.map(({ reason }) => reason)).toEqual(['set', 'other'])
      expect(asserts[0]).toMatchObject({
        kind: 'exec',
        weight: 2,
        criteria: { original_type: 'assert-set', name: 'both', threshold: 0.5 },
        details: { members },
      })
    }
    // A member that is not a copy is an assertion of its own.
    expect(await assertionsOf(set, { ...members[0], score: 0.9 }, members[1], other)).toHaveLength(4)
  })

  it('leave out copies of members that have the assertion of their parent', async () => {
    const assertion = { type: 'python', value: 'grade.py' }
    const part = { pass: true, score: 1, reason: 'part' }
    const whole = { pass: true, score: 1, reason: 'whole', assertion, componentResults: [part] }
    expect(await assertionsOf(whole, { ...part, assertion })).toHaveLength(1)
  })

  it('may be a single result instead of a list, as in old versions', async () => {
    const gradingResult = { pass: false, score: 0.2, reason: 'differs', assertion: { type: 'equals', value: 'b' } }
    const { item } = await importRow(promptfooRow({ gradingResult, success: false, score: 0.2 }))
    expect(item.asserts).toMatchObject([{ kind: 'equals', status: 'fail', score: 0.2, reason: 'differs' }])
    const none = await importRow(
      promptfooRow({ gradingResult: { pass: true, score: 1, reason: 'No assertions', assertion: null } }),
    )
    expect(none.item).toMatchObject({
      status: 'pass',
      asserts: [],
      raw: { gradingResult: { reason: 'No assertions' } },
    })
  })
})

describe('the tests of an evaluation of promptfoo', () => {
  const named = async (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
    const { cases, losses } = await importRows(rows.map((changes) => promptfooRow(changes)))
    return { names: cases.map(({ cell }) => [cell.test_id, cell.repeat]), cases, losses }
  }
  const test = (testIdx: number, description: string | undefined, word: string, assert: unknown[] = []) => ({
    testIdx,
    testCase: { ...(description !== undefined && { description }), vars: { word }, assert },
  })

  it('have the description as name if no other test has it', async () => {
    const { names, cases } = await named([test(0, 'one', 'a'), test(1, 'two', 'b'), test(2, 'two', 'c')])
    const vars = expect.stringMatching(/^vars-[0-9a-f]{12}$/) as unknown
    expect(names).toEqual([
      ['one', 0],
      [vars, 0],
      [vars, 0],
    ])
    expect(cases.map(({ name }) => name)).toEqual(['one', 'two', 'two'])
  })

  it('are repeats if the variables and the assertions are the same, and are numbered in the order of their tests', async () => {
    const { names, losses } = await named([test(5, 'one', 'a'), test(4, 'one', 'a'), test(9, 'one', 'a')])
    expect(names).toEqual([
      ['one', 1],
      ['one', 0],
      ['one', 2],
    ])
    expect(losses.filter(({ kind }) => kind === 'assumed')).toEqual([])
  })

  it('are different tests if their assertions differ', async () => {
    const regex = [{ type: 'regex', value: 'a' }]
    const { names } = await named([
      test(3, undefined, 'a', regex),
      test(1, undefined, 'a'),
      test(2, undefined, 'a', regex),
    ])
    const [first] = names[1]!
    expect(names).toEqual([
      [`${first}#2`, 1],
      [first, 0],
      [`${first}#2`, 0],
    ])
  })

  it('are numbered in the order of the file if they have no number; this is recorded', async () => {
    const row = { testIdx: undefined, testCase: undefined }
    const { names, losses } = await named([row, row])
    expect(names.map(([, repeat]) => repeat)).toEqual([0, 1])
    expect(losses).toContainEqual(
      expect.objectContaining({ kind: 'assumed', note: expect.stringContaining('repeat') as unknown }),
    )
  })
})
