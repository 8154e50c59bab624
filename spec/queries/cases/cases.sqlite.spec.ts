import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parseIndexCursor, type CaseList } from '../../../queries/cases/cases.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, theExample, type ACase } from '../../support/documents/documents.ts'
import { runCount } from '../../support/random/runs.ts'

afterAll(() => spec.close())

type Query = Readonly<Record<string, string | number>>
const list = async (id: string, query: Query = {}): Promise<CaseList> => {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return spec.getJson<CaseList>(`/runs/${encodeURIComponent(id)}/cases?${parameters.toString()}`)
}
const places = async (id: string, query: Query = {}) =>
  (await list(id, { limit: 200, ...query })).cases.map(({ idx }) => idx)
const upload = async (run_id: string, cases: readonly ACase[]) =>
  expect((await spec.ingest(aDocument({ run_id, cases }))).statusCode).toBe(201)
const numbered = (cases: ReadonlyArray<Parameters<typeof aCase>[0]>) =>
  cases.map((each, repeat) => aCase({ ...each, cell: { repeat, ...each?.cell } }))
const spec = await openApp()
await spec.ingest(theExample())

describe('a row of the case list', () => {
  it('returns the documented values for the worked example', async () => {
    const { cases, next_cursor } = await list(theExample().run_id)
    expect(next_cursor).toBeNull()
    expect(cases[2]).toEqual({
      case_key: 'bd75180fbe9cd7fa',
      idx: 2,
      name: null,
      status: 'skip',
      output_preview: '',
      asserts: [{ label: 'contains', kind: 'contains', passed: false, score: 0 }],
      prompt_tokens: 715,
      completion_tokens: 0,
      cost_usd: 0.00036,
      latency_ms: 350,
      provider_id: 'fast-model',
      prompt_id: 'terse',
      test_id: 'refund/abuse',
      repeat: 0,
      score: 0,
      stop_reason: 'refusal',
      cached: false,
      error: null,
      error_class: null,
      empty_reason: 'refusal',
    })
    expect(cases[4]).toEqual({
      case_key: '2e729be0ea27d081',
      idx: 4,
      name: null,
      status: 'pass',
      output_preview: 'Yes, you can return it within 30 days.',
      asserts: [{ label: 'icontains', kind: 'icontains', passed: true, score: 1 }],
      prompt_tokens: null,
      completion_tokens: null,
      cost_usd: null,
      latency_ms: 45,
      provider_id: 'crm-bot',
      prompt_id: null,
      test_id: 'refund/eligible',
      repeat: 0,
      score: 1,
      stop_reason: null,
      cached: true,
      error: null,
      error_class: null,
    })
    expect(cases[0]).toMatchObject({ prompt_tokens: 420, name: 'eligible refund' })
    expect(cases[3]).toMatchObject({ output_preview: '{"eta_days":3}' })
  })

  it('previews the first 300 code points of an output, and never splits one', async () => {
    await upload(
      'previews',
      numbered([
        { output: '🎉'.repeat(301) },
        { output: 'x'.repeat(300) },
        { output: null },
        { output: '' },
        { output: { a: [1, 'ü'] } },
        { output: 0 },
        { output: false },
      ]),
    )
    expect((await list('previews')).cases.map(({ output_preview }) => output_preview)).toEqual([
      '🎉'.repeat(300),
      'x'.repeat(300),
      null,
      '',
      '{"a":[1,"ü"]}',
      '0',
      'false',
    ])
  })

  it('shows empty texts as null; names the answering provider only if it is not the configured one', async () => {
    await upload(
      'nulls',
      numbered([
        { error: '', cell: { prompt_id: '' } },
        { cell: { prompt_id: null }, answered_by_provider_id: 'backup' },
        { answered_by_provider_id: 'model' },
      ]),
    )
    const { cases } = await list('nulls')
    expect(cases[0]).toMatchObject({ error: null, prompt_id: null })
    expect(cases.map((row) => row.answered_by_provider_id)).toEqual([undefined, 'backup', undefined])
    expect(cases[0]).not.toHaveProperty('answered_by_provider_id')
    expect(cases[0]).not.toHaveProperty('empty_reason')
  })

  it('marks an assertion as passed only if its status is pass', async () => {
    const asserts = ['pass', 'fail', 'error', 'skipped'].map((status) => ({
      kind: 'regex',
      status,
      score: 0.5,
      weight: 1,
    }))
    await upload('verdicts', [aCase({ asserts })])
    expect((await list('verdicts')).cases[0]?.asserts).toEqual(
      [true, false, false, false].map((passed) => ({ label: 'regex', kind: 'regex', passed, score: 0.5 })),
    )
  })

  it('is the first of two cases with the same key; the second is only in the export', async () => {
    await upload('twins', [aCase({ name: 'first' }), aCase({ name: 'second' }), aCase({ cell: { repeat: 1 } })])
    expect((await list('twins')).cases.map(({ idx, name }) => [idx, name])).toEqual([
      [0, 'first'],
      [2, null],
    ])
    expect((await spec.sendAs('read')('GET', `/runs/twins/cases/${aCase().case_key}`)).json()).toMatchObject({
      name: 'first',
    })
    expect((await spec.sendAs('read')('GET', '/runs/twins/export')).body).toContain('second')
  })
})

describe('pages of the case list', () => {
  it('are in document order, 50 a page by default, 200 at most', async () => {
    await upload('pages', numbered(Array.from({ length: 203 }, () => ({}))))
    const first = await list('pages')
    expect([first.cases.length, first.next_cursor]).toEqual([50, '49'])
    for (const [limit, size] of [
      [0, 1],
      [-1, 1],
      [7, 7],
      [200, 200],
      [999, 200],
    ] as const)
      expect((await list('pages', { limit })).cases).toHaveLength(size)
    for (const limit of [1, 7, 50, 200]) {
      const found: number[] = []
      for (let cursor: string | null = '-'; cursor !== null;) {
        const page: CaseList = await list('pages', { limit, cursor })
        found.push(...page.cases.map(({ idx }) => idx))
        cursor = page.next_cursor
      }
      expect(found).toEqual(Array.from({ length: 203 }, (_, n) => n))
    }
    expect((await list('pages', { limit: 3, cursor: 199 })).next_cursor).toBeNull()
    expect((await list('pages', { cursor: 999 })).cases).toEqual([])
  })

  it('start with the first case if the cursor is invalid', async () => {
    for (const cursor of ['', 'junk', '-1', '1.5', ' 1', '1e2', '0x1', '9'.repeat(30)])
      expect(await list('pages', { cursor }), cursor).toEqual(await list('pages'))
    expect(parseIndexCursor(undefined)).toBeNull()
  })
})

type Traits = {
  status: string
  tags: string[]
  name: string | null
  provider_id: string
  prompt_id: string | null
  test_id: string
  stop_reason: string | null
  error_class: string | null
  empty_reason: string | null
  answered_by_provider_id: string | null
  cached: boolean
}
const statuses = ['pass', 'fail', 'error', 'skip', 'xfail', 'xpass']
const traits: fc.Arbitrary<Traits> = fc.record({
  status: fc.constantFrom(...statuses),
  tags: fc.subarray(['a', 'A', 'a]', '[b', 'a][b', '\\', '']),
  name: fc.constantFrom(null, 'refund', '100%'),
  provider_id: fc.constantFrom('small', 'Small', 'large', ''),
  prompt_id: fc.constantFrom(null, 'terse', ''),
  test_id: fc.constantFrom('a/b', 'a', ''),
  stop_reason: fc.constantFrom(null, 'end_turn', 'refusal', ''),
  error_class: fc.constantFrom(null, 'exec_failed', 'custom'),
  empty_reason: fc.constantFrom(null, 'refusal', 'odd one', ''),
  answered_by_provider_id: fc.constantFrom(null, 'large'),
  cached: fc.boolean(),
})

const FILTERS: Readonly<Record<string, (each: Traits, value: string) => boolean>> = {
  status: ({ status }, value) => status === value,
  tag: ({ tags }, value) => tags.includes(value),
  // The configured provider, not the one that answered.
  provider: ({ provider_id }, value) => provider_id === value,
  prompt: ({ prompt_id }, value) => value !== '' && prompt_id === value,
  test: ({ test_id }, value) => test_id === value,
  stop_reason: ({ stop_reason }, value) => stop_reason === value,
  error_class: ({ status, error_class }, value) =>
    value === 'unknown' ? status === 'error' && error_class === null : error_class === value,
  empty_reason: ({ empty_reason }, value) => value !== '' && empty_reason === value,
  cached: ({ cached }, value) => String(cached) === value,
}

const filters = fc.record(
  {
    status: fc.constantFrom(...statuses),
    tag: fc.constantFrom('a', 'A', 'a]', '[b', 'a][b', '\\', '', 'none', 'b'),
    provider: fc.constantFrom('small', 'Small', 'large', '', 'none'),
    prompt: fc.constantFrom('terse', '', 'Terse'),
    test: fc.constantFrom('a/b', 'a', ''),
    stop_reason: fc.constantFrom('end_turn', 'refusal', ''),
    error_class: fc.constantFrom('exec_failed', 'custom', 'unknown', ''),
    empty_reason: fc.constantFrom('refusal', 'odd one', '', 'blank'),
    cached: fc.constantFrom('true', 'false'),
  },
  { requiredKeys: [] },
)

describe('the filters of the case list', () => {
  it('match only whole tags, whatever characters the tags contain', async () => {
    const tags = ['a', 'b', 'a][b', '[b', 'a]', '[b]', '\\', '\\(b', '\\)', '(b)', '', 'ab', '%', "'"]
    await upload('tagged', numbered(tags.map((tag) => ({ tags: [tag] }))))
    for (const [n, tag] of tags.entries()) expect(await places('tagged', { tag }), tag).toEqual([n])
    await upload('all-tags', [aCase({ tags })])
    for (const tag of tags) expect(await places('all-tags', { tag }), tag).toEqual([0])
    for (const tag of ['a]b', ')', '(', 'A', '][', '\\\\', 'a][', '[a]'])
      expect(await places('all-tags', { tag }), tag).toEqual([])
  })

  it('select the same cases as the reference predicates, over all pages', async () => {
    const cases = fc.sample(traits, { numRuns: 150, seed: 11 })
    await upload(
      'filtered',
      cases.map(({ provider_id, prompt_id, test_id, status, ...rest }, repeat) =>
        aCase({ cell: { provider_id, prompt_id, test_id, repeat }, status: status as 'pass', ...rest }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 70 }), async (asked, limit) => {
        const query = Object.fromEntries(
          Object.entries(asked).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
        const expected = cases.flatMap((each, n) =>
          Object.entries(query).every(([name, value]) => FILTERS[name]?.(each, value)) ? [n] : [],
        )
        const found: number[] = []
        for (let cursor: string | null = ''; cursor !== null;) {
          const page: CaseList = await list('filtered', { ...query, limit, cursor })
          found.push(...page.cases.map(({ idx }) => idx))
          cursor = page.next_cursor
        }
        expect(found).toEqual(expected)
      }),
      { numRuns: runCount(200) },
    )
  })
})

describe('free text in the case list', () => {
  it('finds the end of a name that the list cuts', async () => {
    await upload('long-name', numbered([{ name: `${'n'.repeat(5000)} needle` }, { name: 'other' }]))
    expect(await places('long-name', { q: 'NEEDLE' })).toEqual([0])
  })

  it('is matched with the output and the name, ignoring upper and lower case, with wildcards % and _', async () => {
    await upload(
      'texts',
      numbered([
        { output: 'Yes, within 30 days.' },
        { output: 'No.', name: 'THIRTY days' },
        { output: { days: 30, note: 'Yes' } },
        { output: null, name: 'yes' },
        { output: null },
        { output: 'ÄPFEL' },
        { output: '100% sure' },
        { output: `${'x'.repeat(2000)}needle` },
        { output: 'line one\nline two' },
        {
          output: 'reason elsewhere',
          asserts: [{ kind: 'regex', status: 'pass', score: 1, weight: 1, reason: 'haystack' }],
        },
      ]),
    )
    for (const [q, expected] of [
      ['yes', [0, 2, 3]],
      ['DAYS', [0, 1, 2]],
      ['"days":30', [2]],
      ['30 days', [0]],
      ['30_days', [0]],
      ['yes%days', [0]],
      ['days%yes', [2]],
      ['äpfel', [5]],
      ['needle', [7]],
      ['one%two', [8]],
      ['e\nl', [8]],
      ['haystack', []],
      ['none', []],
      ['%', [0, 1, 2, 3, 5, 6, 7, 8, 9]],
      ['', [0, 1, 2, 3, 5, 6, 7, 8, 9]],
    ] as const) {
      expect(await places('texts', { q }), q).toEqual(expected)
    }
    expect(await places('texts', { q: 'yes', cached: 'false', limit: 1 })).toEqual([0])
    const page = await list('texts', { q: 'yes', limit: 2 })
    expect([page.cases.map(({ idx }) => idx), page.next_cursor]).toEqual([[0, 2], '2'])
    expect((await list('texts', { q: 'yes', limit: 2, cursor: 2 })).cases.map(({ idx }) => idx)).toEqual([3])
  })

  it('matches the uploaded digits of a number that a double cannot represent', async () => {
    const document = JSON.stringify(aDocument({ run_id: 'digits', cases: [aCase({ output: { id: 0 } })] })).replace(
      '"id":0',
      '"id":12345678901234567891',
    )
    expect((await spec.ingest(document)).statusCode).toBe(201)
    expect(await places('digits', { q: '12345678901234567891' })).toEqual([0])
    expect(await places('digits', { q: '12345678901234567000' })).toEqual([])
  })

  it('is found in a run with more cases than one query reads', async () => {
    await upload(
      'many',
      numbered(Array.from({ length: 1300 }, (_, n) => ({ output: n % 650 === 649 ? 'rare' : 'plain', latency_ms: 1 }))),
    )
    expect(await places('many', { q: 'rare' })).toEqual([649, 1299])
  })
})

describe('one case', () => {
  it('is normalized: defaults are filled in; null, empty and unknown fields are left out', async () => {
    await upload('one', [
      {
        ...aCase({ name: null, request: null, vars: {}, tags: [], tool_calls: [], unknown: 1 }),
        asserts: [{ kind: 'regex', status: 'pass', score: 1, weight: 1 }],
      },
    ])
    expect((await spec.sendAs('read')('GET', `/runs/one/cases/${aCase().case_key}`)).json()).toEqual({
      asserts: [{ cached: false, kind: 'regex', reason: '', score: 1, status: 'pass', weight: 1 }],
      attempts: 0,
      cached: false,
      case_key: aCase().case_key,
      cell: { prompt_id: 'terse', provider_id: 'model', repeat: 0, test_id: 'greeting' },
      latency_ms: 10,
      output: 'Hello there.',
      score: 1,
      status: 'pass',
    })
  })

  it('has its cost and its numbers exactly as they were uploaded; the list rounds the cost', async () => {
    const document = JSON.stringify(
      aDocument({ run_id: 'exact', cases: [aCase({ cost_usd: 0.123456789, raw: { seed: 0 } })] }),
    ).replace('"seed":0', '"seed":12345678901234567890')
    await spec.ingest(document)
    const { body } = await spec.sendAs('read')('GET', `/runs/exact/cases/${aCase().case_key}`)
    expect(body).toContain('"cost_usd":0.123456789')
    expect(body).toContain('"seed":12345678901234567890')
    expect((await list('exact')).cases[0]).toMatchObject({ cost_usd: 0.123457 })
  })

  it('equals the uploaded case, for each case of the worked example', async () => {
    for (const each of theExample().cases) {
      const found = (
        await spec.sendAs('read')('GET', `/runs/${theExample().run_id}/cases/${each.case_key}`)
      ).json<object>()
      expect(found).toEqual(each)
    }
  })

  it('is found by its key, whatever characters the key contains', async () => {
    const keys = ['a/b', 'a b', '%2F', '🎉', '...']
    await upload(
      'keys',
      keys.map((case_key, repeat) => aCase({ case_key, cell: { repeat } })),
    )
    for (const key of keys)
      expect(
        (await spec.sendAs('read')('GET', `/runs/keys/cases/${encodeURIComponent(key)}`)).json(),
        key,
      ).toMatchObject({
        case_key: key,
      })
  })

  it('has the same 404 response for an unknown case and for an unknown run', async () => {
    const bodies = ['/runs/one/cases/none', '/runs/none/cases/none', `/runs/none/cases/${aCase().case_key}`].map(
      async (path) => {
        const answer = await spec.sendAs('read')('GET', path)
        expect(answer.statusCode).toBe(404)
        return answer.body
      },
    )
    expect(new Set(await Promise.all(bodies))).toEqual(new Set(['{"error":"case not found"}']))
  })
})
