import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setKey } from '../../../domain/sets.ts'
import { SYSTEM, type Viewer } from '../../../queries/access/viewer.ts'
import { listRuns, type RunFilters, type RunList } from '../../../queries/runs/run-list.ts'
import { insertRows, statement } from '../../../storage/sql.ts'
import type { Reader, Token, Value } from '../../../storage/storage.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import { UNINDEXED_PLAN, queryPlan } from '../../support/stores/query-plan.ts'

// More runs than one step of a walk reads.
const RUNS = 3000
const BASE = Date.UTC(2026, 4, 4)

type Row = {
  id: string
  project: string | null
  suite: string | null
  created_at: number
  git_branch: string
  actor: string
  uploaded_by: string
  ci_provider: string | null
  failing: boolean
  erroring: boolean
  fully_cached: boolean
  tags: string[]
}

const rowOf = (n: number): Row => ({
  id: `run-${String((n * 7919) % RUNS).padStart(5, '0')}`,
  // Sets of all sizes: one has half of the runs, a hundred have a few each, and some runs have no project.
  project: n % 10 === 9 ? null : n % 2 === 0 ? 'big' : `p${n % 20}`,
  suite: n % 2 === 0 ? 'only' : `s${n % 7}`,
  created_at: BASE + Math.floor(n / 3) * 1000,
  git_branch: n < 40 ? 'old' : n % 3 === 0 ? 'main' : `feature-${n % 11}`,
  actor: `actor-${n % 5}`,
  uploaded_by: n % 4 === 0 ? 'key-1' : 'key-2',
  ci_provider: n % 4 < 2 ? 'github' : null,
  failing: n % 6 === 0,
  erroring: n % 25 === 0,
  fully_cached: n % 9 === 0,
  // The tag `nightly` and the origin `local` are both common, but no run has both.
  tags: [...(n % 4 === 0 ? ['nightly'] : ['push']), ...(n > 100 && n < 160 ? ['release'] : [])],
})
const rows = Array.from({ length: RUNS }, (_, n) => rowOf(n))

let store: SpecStorage
let reader: Reader
beforeAll(async () => {
  store = await openStorage()
  reader = store.reader
  const made = rows.map(({ tags, ...row }, n): Record<string, Value> => ({
    ...row,
    run_no: n + 1,
    set_key: setKey(row),
    uploaded_at: 0,
    schema_version: 3,
    content_hash: '',
    hash_version: 1,
    document_sha256: '',
    document_bytes: 2,
    case_count: 0,
    pass_count: 0,
    fail_count: 0,
    error_count: 0,
    xfail_count: 0,
    xpass_count: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    duration_ms: 0,
    assert_labels: '[]',
    tags: JSON.stringify(tags),
    digests: '{}',
    stored_cases: 0,
    largest_asserts: 0,
    list_item: JSON.stringify({ id: row.id }),
  }))
  const sets = [...new Map(rows.map((row) => [setKey(row), row]))].flatMap(([key, { project, suite }]) =>
    key === null ? [] : [[key, project, suite, 1, 0, 0, 0, 0, 0]],
  )
  await store.run(
    statement`INSERT INTO principals (id, kind, label) VALUES ('key-1', 'static', 'write'), ('key-2', 'static', 'admin')`,
    insertRows(
      'runs',
      Object.keys(made[0] ?? {}),
      made.map((row) => Object.values(row)),
    ),
    insertRows(
      'run_tags',
      ['tag', 'created_at', 'id', 'run_no'],
      rows.flatMap(({ tags, created_at, id }, n) => tags.map((tag) => [tag, created_at, id, n + 1])),
    ),
    insertRows(
      'sets',
      [
        'set_key',
        'project',
        'suite',
        'run_count',
        'case_count',
        'pass_count',
        'fail_count',
        'error_count',
        'empty_count',
      ],
      sets,
    ),
  )
  if (onPostgres) await store.sql.execute('ANALYZE')
})
afterAll(() => store.close())

const nobody: Viewer = { ...SYSTEM, sees_all: false }

const restrict = (hidden: ReadonlyArray<readonly [project: string, suite: string | null]>): Promise<void> =>
  store.run(
    statement`DELETE FROM restrictions`,
    insertRows(
      'restrictions',
      ['scope_key', 'project', 'suite', 'created_at'],
      hidden.map(([project, suite]) => [JSON.stringify([project, suite]), project, suite, 0]),
    ),
  )

const isHidden = (hidden: ReadonlyArray<readonly [string, string | null]>, { project, suite }: Row): boolean =>
  hidden.some(([p, s]) => p === project && (s === null || s === suite))

const LABELS: Readonly<Record<string, string>> = { write: 'key-1', admin: 'key-2' }
const matches = (filters: RunFilters, row: Row): boolean => {
  const { project, suite, tag, branch, status, since, until, cached, origin, actor } = filters
  return (
    (project === undefined || row.project === project) &&
    (suite === undefined || row.suite === suite) &&
    (tag === undefined || row.tags.includes(tag)) &&
    (branch === undefined || row.git_branch === branch) &&
    (status === undefined || { fail: row.failing, error: row.erroring, pass: !row.failing && !row.erroring }[status]) &&
    (since === undefined || row.created_at >= since) &&
    (until === undefined || row.created_at <= until) &&
    (cached === undefined || cached === 'all' || row.fully_cached === (cached === 'only')) &&
    (origin === undefined || (row.ci_provider !== null) === (origin === 'ci')) &&
    (actor === undefined || row.actor === actor || row.uploaded_by === LABELS[actor])
  )
}
const newestFirst = (found: readonly Row[]): string[] =>
  found.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)).map(({ id }) => id)

const pageOf = async (viewer: Viewer, filters: RunFilters, page: { limit: number; cursor?: string }) =>
  JSON.parse(await listRuns(reader, viewer, filters, page)) as RunList

const listed = async (viewer: Viewer, filters: RunFilters, limit: number): Promise<string[]> => {
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { runs, next_cursor } = await pageOf(viewer, filters, { limit, ...(cursor === undefined ? {} : { cursor }) })
    if (next_cursor !== null) expect(runs).toHaveLength(limit)
    found.push(...runs.map(({ id }) => id))
    cursor = next_cursor
  }
  return found
}

const instant = fc.integer({ min: -1, max: RUNS / 3 + 1 }).map((n) => BASE + n * 1000)
const filters: fc.Arbitrary<RunFilters> = fc.record(
  {
    project: fc.constantFrom('big', 'p1', 'none'),
    suite: fc.constantFrom('only', 's3'),
    tag: fc.constantFrom('nightly', 'push', 'release', 'none'),
    branch: fc.constantFrom('main', 'old', 'feature-3'),
    status: fc.constantFrom('pass', 'fail', 'error'),
    since: instant,
    until: instant,
    cached: fc.constantFrom('exclude', 'only', 'all'),
    origin: fc.constantFrom('ci', 'local'),
    actor: fc.constantFrom('actor-1', 'write', 'nobody'),
  },
  { requiredKeys: [] },
)

const ALL_SETS = [
  ...new Map(
    rows.flatMap(({ project, suite }) =>
      project === null ? [] : [[JSON.stringify([project, suite]), [project, suite] as const] as const],
    ),
  ).values(),
]

describe('a walk through the runs', () => {
  // Hidden sets: none, the largest, every second one, all except a small one, all.
  const hiddens = [
    [],
    [['big', null]],
    ALL_SETS.filter((_, n) => n % 2 === 0),
    ALL_SETS.filter(([project, suite]) => !(project === 'p1' && suite === 's1')),
    ALL_SETS,
  ] as ReadonlyArray<ReadonlyArray<readonly [string, string | null]>>

  it('finds the matches in order on every page, whichever filter leads', async () => {
    for (const hidden of hiddens) {
      await restrict(hidden)
      const seen = rows.filter((row) => !isHidden(hidden, row))
      await fc.assert(
        fc.asyncProperty(filters, fc.constantFrom(20, 50, 199), fc.boolean(), async (asked, limit, all) => {
          expect(await listed(all ? SYSTEM : nobody, asked, limit)).toEqual(
            newestFirst((all ? rows : seen).filter((row) => matches(asked, row))),
          )
        }),
        { numRuns: 25 },
      )
    }
    await restrict([])
  })

  it('counts the cached runs that it excludes', async () => {
    for (const hidden of hiddens) {
      await restrict(hidden)
      await fc.assert(
        fc.asyncProperty(filters, async (asked) => {
          const { cached_hidden } = await pageOf(nobody, { ...asked, cached: 'exclude' }, { limit: 1 })
          expect(cached_hidden).toBe(
            rows.filter((row) => !isHidden(hidden, row) && matches({ ...asked, cached: 'only' }, row)).length,
          )
        }),
        { numRuns: 25 },
      )
    }
    await restrict([])
  })

  /** Returns the plans of all queries of a list, and the number of queries. */
  const plansOf = async (
    viewer: Viewer,
    asked: RunFilters,
    { limit = 50, cursor }: { limit?: number; cursor?: string } = {},
  ): Promise<{ plans: string[]; queries: number }> => {
    const asks: Token[] = []
    const note = (query: Parameters<Reader['read']>[0]) => {
      if (query.token) asks.push(query.token)
    }
    const watched: Reader = {
      dialect: reader.dialect,
      read: (query) => {
        note(query)
        return reader.read(query)
      },
      readAll: (queries) => {
        for (const query of Object.values(queries)) note(query)
        return reader.readAll(queries)
      },
    }
    await listRuns(watched, viewer, asked, { limit, cursor })
    const plans: string[] = []
    for (const token of asks) plans.push(...(await queryPlan(store, token)))
    return { plans, queries: asks.length }
  }

  const EACH: readonly RunFilters[] = [
    {},
    { project: 'big' },
    { suite: 's3' },
    { project: 'big', suite: 'only' },
    { tag: 'nightly' },
    { branch: 'main' },
    { status: 'pass' },
    { status: 'fail' },
    { status: 'error' },
    { cached: 'exclude' },
    { cached: 'only' },
    { cached: 'all' },
    { origin: 'ci' },
    { origin: 'local' },
    { actor: 'write' },
    { actor: 'actor-1' },
    { since: BASE },
    { until: BASE + 500_000 },
    { since: BASE, until: BASE + 500_000 },
    { project: 'big', until: BASE + 900_000 },
    { branch: 'main', tag: 'push' },
    { project: 'big', suite: 'only', branch: 'main' },
    { project: 'big', status: 'fail' },
    { actor: 'write', status: 'pass', origin: 'ci' },
  ]

  it.each(EACH)('reads %j from an index in the order of the list, on any page', async (asked) => {
    for (const viewer of [SYSTEM, nobody]) {
      // Only a first page has a count, which is not a walk, so this reads later pages.
      for (const cursor of [`${BASE + 1e9}:x`, `${BASE + 400_000}:x`]) {
        const { plans } = await plansOf(viewer, asked, { cursor })
        for (const detail of plans) expect(detail).not.toMatch(UNINDEXED_PLAN)
      }
    }
  })

  it('lets the rarest of several filters lead, so that a page takes one step', async () => {
    for (const asked of [
      { branch: 'old', tag: 'push' },
      { tag: 'push', branch: 'old' },
      { tag: 'release', status: 'pass', project: 'big' },
    ] as const) {
      // One query for the end of each filter, then one for the rows.
      expect((await plansOf(SYSTEM, asked)).queries).toBe(Object.keys(asked).length + 1)
    }
  })

  it('reads the few visible sets when nearly all are hidden', async () => {
    await restrict(ALL_SETS.filter(([project, suite]) => !(project === 'p1' && suite === 's1')))
    const { plans, queries } = await plansOf(nobody, {}, { limit: 199 })
    expect(plans.filter((detail) => /runs_by_set/.test(detail)).length).toBeGreaterThan(0)
    expect(queries).toBeLessThan(10)
    await restrict([])
  })
})
