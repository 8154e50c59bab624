import { afterAll, describe, expect, it } from 'vitest'
import { openApp } from '../support/servers/app.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'

const MOST = Number.MAX_SAFE_INTEGER
const RUNS = 2000

const COUNTERS = [
  'total',
  'passed',
  'failed',
  'errored',
  'skipped',
  'xfailed',
  'xpassed',
  'prompt_tokens',
  'completion_tokens',
  'cache_hits',
  'cache_misses',
  'cache_read_tokens',
  'cache_write_tokens',
]
const summary = Object.fromEntries(COUNTERS.map((name) => [name, MOST]))
const totals = { case_count: MOST, pass_count: MOST, fail_count: MOST, error_count: MOST }
const answered = {
  ...totals,
  xfail_count: MOST,
  xpass_count: MOST,
  prompt_tokens: MOST,
  completion_tokens: MOST,
  cache_hits: MOST,
  cache_misses: MOST,
}
const get = async (path: string): Promise<unknown> => {
  const answer = await spec.sendAs('admin')('GET', path)
  expect([answer.statusCode, path]).toEqual([200, path])
  return answer.json()
}

/** Inserts copies of a row, one for each number from 3 to `last`. The columns in `made` are computed from the number. */
const copies = async (
  table: string,
  where: string,
  last: number,
  made: Readonly<Record<string, string>>,
): Promise<void> => {
  const [row] = await spec.rows(`SELECT * FROM ${table} WHERE ${where}`)
  const columns = Object.keys(row ?? {})
  await spec.execute(`
    INSERT INTO ${table} (${columns.join(', ')})
    WITH RECURSIVE numbers(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${last})
    SELECT ${columns.map((name) => made[name] ?? `${table}.${name}`).join(', ')} FROM ${table}, numbers WHERE ${where}`)
}

const spec = await openApp()
const measured = aCase({
  latency_ms: MOST,
  wall_ms: MOST,
  attempts: MOST,
  usage: { input_tokens: MOST, output_tokens: MOST },
})
for (const run_id of ['big-1', 'big-2'])
  expect(
    (await spec.ingest(aDocument({ run_id, project: 'big', suite: 'one', cases: [measured], summary }))).statusCode,
  ).toBe(201)
afterAll(() => spec.close())

describe(`${RUNS} runs whose counters are 2^53 - 1`, () => {
  it('are accepted and returned unchanged', async () => {
    expect(await get('/runs/big-1')).toMatchObject({ ...answered, cache_read_tokens: MOST, cache_write_tokens: MOST })
    expect(await get('/runs?project=big')).toMatchObject({ runs: [answered, answered] })
    expect(await get('/runs/big-1/cases')).toMatchObject({
      cases: [{ latency_ms: MOST, prompt_tokens: MOST, completion_tokens: MOST }],
    })
    expect(await get('/runs/big-1/compare/big-2')).toMatchObject({
      totals: { base: { prompt_tokens: MOST, case_count: MOST }, head: { completion_tokens: MOST, pass_count: MOST } },
    })
  })

  it('have sums capped at that number when added one by one', async () => {
    expect(await get('/sets/big/suites/one')).toMatchObject({ run_count: 2, ...totals })
    expect(await get('/sets')).toMatchObject({ projects: [{ project: 'big', run_count: 2, ...totals }] })
  })

  it('have sums capped at that number when counted again after a deletion', async () => {
    await copies('runs', "id = 'big-1'", RUNS + 1, { run_no: '1000 + i', id: "'big-' || i" })
    expect((await spec.sendAs('admin')('DELETE', '/runs/big-2')).statusCode).toBe(204)
    expect(await get('/sets/big/suites/one')).toMatchObject({ run_count: RUNS, ...totals })
    expect(await spec.column('SELECT case_count FROM sets')).toEqual([MOST])
  })

  it('have sums capped at that number over almost 2000 suites', async () => {
    await copies('sets', "project = 'big'", RUNS, { set_key: "'key ' || i", suite: "'suite ' || i" })
    expect(await get('/sets')).toMatchObject({ projects: [{ suite_count: RUNS - 1, ...totals }] })
    expect(await get('/projects')).toMatchObject({ projects: [{ project: 'big', suite_count: RUNS - 1 }] })
  })

  it('have exact sums below that number', async () => {
    for (const [run_id, total] of [
      ['low-1', MOST - 3],
      ['low-2', 1],
      ['low-3', 1],
      ['low-4', 1],
    ] as const)
      await spec.ingest(aDocument({ run_id, project: 'low', suite: 'one', summary: { total } }))
    expect(await get('/sets/low/suites/one')).toMatchObject({ case_count: MOST, pass_count: 4 })
    await spec.sendAs('admin')('DELETE', '/runs/low-4')
    expect(await get('/sets/low/suites/one')).toMatchObject({ case_count: MOST - 1, pass_count: 3 })
    await spec.sendAs('admin')('DELETE', '/runs/low-1')
    expect(await get('/sets/low/suites/one')).toMatchObject({ case_count: 2, pass_count: 2 })
  })
})

describe('cases whose latencies are 2^53 - 1 ms', () => {
  it('have means that do not exceed that number, in the matrix and in the distribution', async () => {
    const cases = Array.from({ length: RUNS }, (_, repeat) => aCase({ cell: { repeat }, latency_ms: MOST }))
    await spec.ingest(aDocument({ run_id: 'slow', cases }))
    expect(await get('/runs/slow/matrix')).toMatchObject({
      rows: [{ cells: [{ total: RUNS, latency_ms_mean: MOST }] }],
    })
    expect(await get('/runs/slow/distribution')).toMatchObject({
      latency_ms: { median: MOST, p95: MOST, bins: [{ from: MOST }] },
      columns: [{ latency_ms_mean: MOST }],
    })
    expect(await get(`/runs/slow/distribution/cases?latency_from=${MOST}&limit=1`)).toMatchObject({
      cases: [{ latency_ms: MOST }],
    })
  })
})

it('an empty reason that is empty text counts as no reason in lists, counts and details', async () => {
  const [empty, named] = [aCase({ empty_reason: '' }), aCase({ cell: { repeat: 1 }, empty_reason: 'blank' })]
  await spec.ingest(aDocument({ run_id: 'empty', cases: [empty, named] }))
  expect(await get('/runs/empty')).toMatchObject({ empty_counts: { blank: 1 } })
  const { cases } = (await get('/runs/empty/cases')) as { cases: object[] }
  expect(cases.map((each) => 'empty_reason' in each)).toEqual([false, true])
  expect(await get(`/runs/empty/cases/${empty.case_key}`)).not.toHaveProperty('empty_reason')
  expect(await get(`/runs/empty/cases/${named.case_key}`)).toHaveProperty('empty_reason', 'blank')
})
