import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseRunCursor, runCursorText, type RunList, type RunListItem } from '../../../queries/runs/run-list.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { aCase, aDocument, theExample, type ADocument } from '../../support/documents/documents.ts'
import { runCount as drawn } from '../../support/random/runs.ts'

const list = async (spec: SpecApp, query: Readonly<Record<string, string | number>> = {}): Promise<RunList> => {
  return spec.getJson<RunList>(
    `/runs?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString()}`,
  )
}
const ids = async (spec: SpecApp, query: Readonly<Record<string, string | number>> = {}) =>
  (await list(spec, { limit: 200, ...query })).runs.map(({ id }) => id)

/** Returns the ids of all pages, following the cursors like a client. */
const paged = async (spec: SpecApp, query: Readonly<Record<string, string | number>>): Promise<string[]> => {
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: RunList = await list(spec, { ...query, ...(cursor === undefined ? {} : { cursor }) })
    if (cursor !== undefined) expect(page.cached_hidden).toBeNull()
    expect(page.runs.length).toBeLessThanOrEqual(Number(query['limit'] ?? 50))
    found.push(...page.runs.map(({ id }) => id))
    cursor = page.next_cursor
    if (cursor !== null) expect(page.runs.length).toBeGreaterThan(0)
  }
  return found
}

describe('a row of the run list', () => {
  let spec: SpecApp
  beforeAll(async () => {
    spec = await openApp({ now: () => Date.UTC(2026, 4, 4, 9, 0, 44) })
    await spec.ingest(theExample())
  })
  afterAll(() => spec.close())

  it('returns the documented values for the worked example', async () => {
    const { runs } = await list(spec)
    expect(runs).toEqual([
      {
        id: '01K2ZQ7C8V4T9E6M3B5N1R0WXA',
        project: 'support-desk',
        suite: 'refunds',
        created_at: '2026-05-04T09:00:42.250+00:00',
        git_branch: 'main',
        git_commit: '9f3c2ab',
        git_dirty: false,
        case_count: 5,
        pass_count: 2,
        fail_count: 1,
        error_count: 0,
        xfail_count: 0,
        xpass_count: 1,
        pass_rate: 0.4,
        // Two of its cases are trials of one test.
        pass_interval: { lower: 0.08000000000000002, upper: 0.72 },
        prompt_tokens: 2765,
        completion_tokens: 29,
        cost_usd: 0.00144,
        duration_ms: 42250,
        cache_hits: 1,
        cache_misses: 4,
        empty_count: 1,
        providers: ['fast-model', 'crm-bot'],
        provider_count: 2,
        actor: 'mira',
        host: 'runner-3',
        uploaded_at: '2026-05-04T09:00:44+00:00',
        uploaded_by: 'write',
        ci_provider: 'github',
        ci_run_url: 'https://ci.example/runs/812',
        note: 'Refund answers',
        service_version: '1.4.0',
        tags: ['nightly'],
      },
    ])
  })

  it('equals the run detail, which has no pass rate and no empty count, but more fields', async () => {
    const [row] = (await list(spec)).runs
    const {
      pass_rate: _,
      empty_count: __,
      providers: ___,
      provider_count: ____,
      ...shared
    } = row ?? ({} as RunListItem)
    const detail = (await spec.sendAs('read')('GET', `/runs/${theExample().run_id}`)).json<Record<string, unknown>>()
    expect(detail).toEqual({
      ...shared,
      uploaded_at: '2026-05-04T09:00:44+00:00',
      schema_version: 3,
      content_hash: detail['content_hash'],
      config_digest: 'blake3:5d1f',
      cache_read_tokens: 300,
      cache_write_tokens: 0,
      cache_savings_usd: null,
      grader_cost_usd: 0.0083,
      assert_labels: ['contains', 'contains-json', 'icontains', 'llm-rubric'],
      empty_counts: { refusal: 1 },
      held: false,
      plan: null,
      judges: [expect.objectContaining({ metric: 'llm-rubric', judge_id: null, passed: 1, failed: 1, other: 0 })],
    })
    expect(detail['content_hash']).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('is found only by the filters that the API reference documents for it', async () => {
    for (const query of [
      { status: 'fail' },
      { origin: 'ci' },
      { actor: 'mira' },
      { actor: 'write' },
      { cached: 'exclude' },
      { tag: 'nightly' },
      { provider: 'crm-bot' },
      { branch: 'main' },
    ])
      expect(await ids(spec, query), JSON.stringify(query)).toHaveLength(1)
    for (const query of [
      { cached: 'only' },
      { status: 'pass' },
      { status: 'error' },
      { origin: 'local' },
      { actor: 'Mira' },
      { tag: 'night' },
      { provider: 'none' },
    ])
      expect(await ids(spec, query), JSON.stringify(query)).toHaveLength(0)
  })

  it('has null for absent values, never a missing key, but omits an empty count of 0', async () => {
    const own = await openApp({ mode: 'open', now: () => 0 })
    await own.ingest(
      {
        ...aDocument({ run_id: 'bare', cases: [] }),
        project: null,
        suite: null,
        summary: { total: 0, passed: 0, failed: 0, errored: 0, skipped: 0 },
      },
      { caller: null },
    )
    expect((await list(own)).runs).toEqual([
      {
        id: 'bare',
        project: null,
        suite: null,
        created_at: '2026-05-04T09:00:01+00:00',
        git_branch: null,
        git_commit: null,
        git_dirty: null,
        case_count: 0,
        pass_count: 0,
        fail_count: 0,
        error_count: 0,
        xfail_count: 0,
        xpass_count: 0,
        pass_rate: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        cost_usd: null,
        duration_ms: 1000,
        cache_hits: 0,
        cache_misses: 0,
        providers: [],
        provider_count: 0,
        actor: null,
        host: null,
        uploaded_at: '1970-01-01T00:00:00+00:00',
        uploaded_by: null,
        ci_provider: null,
        ci_run_url: null,
        note: null,
        service_version: null,
        tags: [],
      },
    ])
    const detail = (await own.sendAs(null)('GET', '/runs/bare')).json<object>()
    expect(detail).toMatchObject({
      config_digest: null,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      cache_savings_usd: null,
      grader_cost_usd: null,
      assert_labels: [],
    })
    expect(detail).not.toHaveProperty('empty_counts')
    await own.close()
  })

  it('takes its totals from the sent summary, and its empty count from the cases', async () => {
    const own = await openApp()
    const cases = [
      aCase({ status: 'skip', empty_reason: 'refusal' }),
      aCase({ cell: { repeat: 1 }, empty_reason: 'blank' }),
      aCase({ cell: { repeat: 2 }, empty_reason: 'blank' }),
      aCase({ cell: { repeat: 3 }, empty_reason: '' }),
    ]
    await own.ingest(
      aDocument({
        cases,
        summary: { total: 10, passed: 3, xfailed: 2, xpassed: 1, empty_counts: { other: 9 }, cost_usd: 0.12345678 },
      }),
    )
    const [row] = (await list(own)).runs
    expect(row).toMatchObject({
      case_count: 10,
      pass_count: 3,
      pass_rate: 0.3,
      xfail_count: 2,
      xpass_count: 1,
      empty_count: 3,
      cost_usd: 0.123457,
    })
    expect((await own.sendAs('read')('GET', '/runs/run-1')).json()).toMatchObject({
      empty_counts: { blank: 2, refusal: 1 },
    })
    await own.close()
  })

  it('reads its note from origin, else the configuration; a blank note is null', async () => {
    const own = await openApp()
    const note = async (overrides: Partial<ADocument>) => {
      const run_id = JSON.stringify(overrides)
      await own.ingest(aDocument({ run_id, ...overrides }))
      return (await own.sendAs('read')('GET', `/runs/${encodeURIComponent(run_id)}`)).json<{ note: string | null }>()
        .note
    }
    expect(await note({ origin: { note: 'mine' }, config_snapshot: { description: 'theirs' } })).toBe('mine')
    expect(await note({ config_snapshot: { description: 'theirs' } })).toBe('theirs')
    expect(await note({ origin: { note: '  ' }, config_snapshot: { description: 'theirs' } })).toBeNull()
    expect(await note({ config_snapshot: { description: 4 } })).toBeNull()
    expect(await note({ config_snapshot: 'text' })).toBeNull()
    expect(await note({ config_snapshot: { description: ' ' } })).toBeNull()
    await own.close()
  })

  it('sorts tags without duplicates, and has no negative duration', async () => {
    const own = await openApp()
    await own.ingest(
      aDocument({
        filters: { tags: ['b', 'a', 'b', '\uFFFF', '🎉'] },
        started_at: '2026-05-04T09:00:02Z',
        finished_at: '2026-05-04T11:00:01.500+02:00',
      }),
    )
    const [row] = (await list(own)).runs
    expect(row).toMatchObject({
      tags: ['a', 'b', '\uFFFF', '🎉'],
      duration_ms: 0,
      created_at: '2026-05-04T09:00:01.500+00:00',
    })
    await own.close()
  })
})

it('the order of the run list is newest first, and within one instant by id in descending byte order', async () => {
  const spec = await openApp()
  const same = ['a', 'B', 'b', 'aa', 'é', '\uFFFD', '🎉', 'Z', '0', ':', 'a:b']
  for (const run_id of same) await spec.ingest(aDocument({ run_id }))
  await spec.ingest(aDocument({ run_id: 'older', finished_at: '2026-05-04T09:00:00.999Z' }))
  await spec.ingest(aDocument({ run_id: 'newer', finished_at: '2026-05-04T09:00:01.001Z' }))
  const expected = ['newer', ...same.toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a))), 'older']
  expect(await ids(spec)).toEqual(expected)
  for (const limit of [1, 2, 3, 12, 13]) expect(await paged(spec, { limit })).toEqual(expected)
  await spec.close()
})

describe('cursors', () => {
  it('round-trip for any run', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger().filter((ms) => Math.abs(ms) < 1e15),
        fc.string({ unit: 'binary', minLength: 1 }),
        (created_at, id) => {
          expect(parseRunCursor(runCursorText({ created_at, id }))).toEqual({ created_at, id })
        },
      ),
    )
  })

  it('are the time and the id of the last row', async () => {
    const spec = await openApp()
    await spec.ingest(theExample())
    await spec.ingest(aDocument({ run_id: 'older', finished_at: '2026-05-04T09:00:01Z' }))
    expect((await list(spec, { limit: 1 })).next_cursor).toBe('1777885242250:01K2ZQ7C8V4T9E6M3B5N1R0WXA')
    // A page that ends exactly with the list has no next cursor.
    expect((await list(spec, { limit: 2 })).next_cursor).toBeNull()
    expect((await list(spec, { cursor: '1777885242250:01K2ZQ7C8V4T9E6M3B5N1R0WXA' })).runs.map(({ id }) => id)).toEqual(
      ['older'],
    )
    expect((await list(spec, { cursor: '0:x' })).runs).toEqual([])
    await spec.close()
  })

  it('that are invalid return the first page, with its counts', async () => {
    const spec = await openApp()
    await spec.ingest(theExample())
    for (const cursor of ['', 'junk', ':', '1:', ':x', '1.5:x', ' 1:x', '1e3:x', '123'])
      expect(await list(spec, { cursor, cached: 'exclude' }), cursor).toEqual(await list(spec, { cached: 'exclude' }))
    expect((await list(spec, { cursor: '9999999999999:x', cached: 'exclude' })).cached_hidden).toBeNull()
    await spec.close()
  })
})

it('limits are 50 by default, and clamped to 1 and 200', async () => {
  const spec = await openApp()
  for (let n = 0; n < 203; n++) await spec.ingest(aDocument({ run_id: `run-${n}` }))
  const size = async (query: Readonly<Record<string, string | number>>) => (await list(spec, query)).runs.length
  expect([
    await size({}),
    await size({ limit: 0 }),
    await size({ limit: -7 }),
    await size({ limit: 3 }),
    await size({ limit: 200 }),
    await size({ limit: 201 }),
    await size({ limit: 1e15 }),
  ]).toEqual([50, 1, 1, 3, 200, 200, 200])
  await spec.close()
})

type Traits = {
  project: string | null
  suite: string | null
  tags: string[]
  providers: string[]
  branch: string | null
  ci: 'none' | 'provider' | 'url only'
  actor: string | null
  caller: 'write' | 'admin'
  counts: { passed: number; failed: number; errored: number; skipped: number; xfailed: number; xpassed: number }
  cache: { cache_hits: number; cache_misses: number }
  ms: number
}

const few = fc.nat(1)
const traits: fc.Arbitrary<Traits> = fc.record({
  project: fc.constantFrom(null, 'chat', 'Chat', '', 'secret'),
  suite: fc.constantFrom(null, 'smoke', '', 'dark'),
  tags: fc.subarray(['nightly', 'Nightly', 'night', '']),
  providers: fc.subarray(['gpt', 'GPT', 'claude']),
  branch: fc.constantFrom(null, 'main', 'dev', ''),
  ci: fc.constantFrom('none', 'provider', 'url only'),
  actor: fc.constantFrom(null, 'mira', 'write', ''),
  caller: fc.constantFrom('write', 'admin'),
  counts: fc.record({ passed: few, failed: few, errored: few, skipped: few, xfailed: few, xpassed: few }),
  cache: fc.record({ cache_hits: few, cache_misses: few }),
  ms: fc.integer({ min: 0, max: 5 }),
})

const BASE = Date.UTC(2026, 4, 4)
const documentOf = (
  { project, suite, tags, providers, branch, ci, actor, counts, cache, ms }: Traits,
  n: number,
): ADocument =>
  aDocument({
    run_id: `run-${n}`,
    project,
    suite,
    finished_at: new Date(BASE + ms).toISOString(),
    filters: { tags },
    git: { branch },
    ci: { none: null, provider: { provider: 'github' }, 'url only': { run_url: 'https://ci.example/1' } }[ci],
    origin: { actor },
    cases: providers.map((provider_id) => aCase({ cell: { provider_id } })),
    summary: { total: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts, ...cache },
  })

const failing = ({ counts }: Traits) => counts.failed > 0 || counts.xpassed > 0
const fullyCached = ({ cache }: Traits) => cache.cache_misses === 0 && cache.cache_hits > 0

/** The filters that the API reference documents, as predicates. */
const FILTERS: Readonly<Record<string, (run: Traits, value: string) => boolean>> = {
  project: ({ project }, value) => project === value,
  suite: ({ suite }, value) => suite === value,
  tag: ({ tags }, value) => tags.includes(value),
  provider: ({ providers }, value) => providers.includes(value),
  branch: ({ branch }, value) => branch === value,
  actor: ({ actor, caller }, value) => actor === value || caller === value,
  origin: ({ ci }, value) => (ci === 'provider') === (value === 'ci'),
  status: (run, value) =>
    value === 'fail'
      ? failing(run)
      : value === 'error'
        ? run.counts.errored > 0
        : !failing(run) && run.counts.errored === 0,
  cached: (run, value) => value === 'all' || fullyCached(run) === (value === 'only'),
  since: ({ ms }, value) => BASE + ms >= Number(value),
  until: ({ ms }, value) => BASE + ms <= Number(value),
}

const instant = fc.integer({ min: -1, max: 6 }).map((ms) => String(BASE + ms))
const filters = fc.record(
  {
    project: fc.constantFrom('chat', 'Chat', '', 'secret', 'none'),
    suite: fc.constantFrom('smoke', '', 'dark'),
    tag: fc.constantFrom('nightly', 'Nightly', '', 'nigh'),
    provider: fc.constantFrom('gpt', 'claude', 'clau'),
    branch: fc.constantFrom('main', '', 'MAIN'),
    actor: fc.constantFrom('mira', 'write', 'admin', ''),
    origin: fc.constantFrom('ci', 'local'),
    status: fc.constantFrom('pass', 'fail', 'error'),
    cached: fc.constantFrom('exclude', 'only', 'all'),
    since: instant,
    until: instant,
  },
  { requiredKeys: [] },
)

describe('the filters of the run list', () => {
  it('select the documented runs, in order, on every page, for every viewer', async () => {
    const spec = await openApp()
    const runs = fc.sample(traits, { numRuns: 120, seed: 7 })
    for (const [n, run] of runs.entries())
      expect((await spec.ingest(documentOf(run, n), { caller: run.caller })).statusCode).toBe(201)
    await spec.restrict('secret')
    await spec.restrict('chat', 'dark')
    const seen = runs
      .map((run, n) => ({ ...run, id: `run-${n}` }))
      .filter(({ project, suite }) => project !== 'secret' && !(project === 'chat' && suite === 'dark'))
      .sort((a, b) => b.ms - a.ms || (a.id < b.id ? 1 : -1))

    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (asked, limit) => {
        const query = Object.fromEntries(
          Object.entries(asked).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
        const matches = (without: string | null) =>
          seen.filter((run) =>
            Object.entries(query).every(([name, value]) => name === without || FILTERS[name]?.(run, value)),
          )
        expect(await paged(spec, { ...query, limit })).toEqual(matches(null).map(({ id }) => id))
        const { cached_hidden } = await list(spec, query)
        expect(cached_hidden).toBe(query['cached'] === 'exclude' ? matches('cached').filter(fullyCached).length : null)
      }),
      { numRuns: drawn(200, 60) },
    )
    await spec.close()
  })

  it('compare instants in both forms, both bounds inclusive', async () => {
    const spec = await openApp()
    await spec.ingest(theExample())
    for (const at of ['1777885242250', '2026-05-04T09:00:42.250Z', '2026-05-04T11:00:42.25+02:00']) {
      expect(await ids(spec, { since: at, until: at }), at).toHaveLength(1)
    }
    expect(await ids(spec, { since: '1777885242251' })).toHaveLength(0)
    expect(await ids(spec, { until: '2026-05-04T09:00:42.249Z' })).toHaveLength(0)
    await spec.close()
  })
})
