import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lostSilently } from '../../support/interchange/accounting.ts'
import { SAMPLES, countsOf, importBytes, importFile } from '../../support/interchange/import-files.ts'

const sample = (name: string) => join(SAMPLES, 'ctrf', name)
const report = (tests: readonly object[], more: object = {}) =>
  JSON.stringify({
    results: {
      tool: { name: 't' },
      summary: { tests: tests.length, start: 1609459200000, stop: 1609459201000 },
      tests,
    },
    ...more,
  })
const only = async (content: string) => {
  const [result] = await importBytes('report.json', content)
  if (!result || !('run' in result)) throw new Error(countsOf([result!])[0])
  return { ...result.run, ...result.document!, identity: result.identity }
}

describe('the importer of CTRF', () => {
  it.each([
    ['comprehensive.json', '2 / 1 / 0 / 0'],
    ['minimal.json', '1 / 0 / 0 / 0'],
    ['with-retries.json', '2 / 0 / 0 / 0'],
  ])('gives the counts of %s, and loses nothing silently', async (name, counts) => {
    expect(countsOf(await importFile(sample(name)))).toEqual([counts])
    expect(await lostSilently(sample(name))).toEqual([])
  })

  it('takes retries as attempts, and keeps them', async () => {
    const [result] = await importFile(sample('with-retries.json'))
    expect(result!.document!.cases[1]).toMatchObject({
      attempts: 3,
      tags: ['flaky'],
      raw: { retryAttempts: [{ message: 'Connection timeout' }, {}, { status: 'passed' }] },
    })
  })

  it('reads the environment, the times of the summary and the suites', async () => {
    const [result] = await importFile(sample('comprehensive.json'))
    const { run, cases } = result!.document!
    expect(result!.identity).toBe('9d2c6a10-3f7a-4e22-9a8f-1a2b3c4d5e6f')
    expect(run).toMatchObject({
      suite: 'PR #123 E2E Tests',
      started_at: '2021-01-01T00:00:00Z',
      finished_at: '2021-01-01T00:00:20Z',
      git: { branch: 'feature/new-dashboard', commit: 'a1b2c3d4e5f6' },
      ci: { run_url: 'https://ci.example.com/builds/456' },
      origin: { version: 'example-runner 3.5.0' },
    })
    expect(cases.map(({ cell }) => cell.test_id)).toContain('Authentication > Login > user can login')
    expect(cases[2]).toMatchObject({
      latency_ms: 8000,
      vars: { userRole: 'admin' },
      output: 'Loading admin dashboard\nChecking authentication',
      asserts: [{ status: 'fail', reason: 'Element not found: .dashboard-metrics' }],
    })
  })

  it('reads reports without reportFormat, suites as one text, and every status', async () => {
    const { cases, losses } = await only(
      report([
        { name: 'a', status: 'passed', duration: 1, suite: 'x > y', start: 1609459200 },
        { name: 'b', status: 'pending', duration: 0 },
        { name: 'c', status: 'skipped', duration: 0, message: 'later' },
        { name: 'd', status: 'other', rawStatus: 'timedOut', duration: 5, message: 'm', trace: 't' },
        { name: 'e', status: 'new', duration: 5 },
        { name: 'e', status: 'failed', duration: 5 },
      ]),
    )
    expect(cases.map(({ cell, status }) => [cell.test_id, status])).toEqual([
      ['x > y > a', 'pass'],
      ['b', 'skip'],
      ['c', 'skip'],
      ['d', 'error'],
      ['e', 'error'],
      ['e', 'fail'],
    ])
    expect(cases[3]).toMatchObject({
      error: 'm',
      error_details: { trace: 't' },
      raw: { rawStatus: 'timedOut', status: 'other' },
    })
    expect(cases[4]).toMatchObject({ error: 'status new' })
    expect(losses.map(({ note }) => note)).toContain('the same test again: counted as the next repeat')
  })

  it('reads the words of a status in any case, and takes a test without one as an error', async () => {
    const { cases } = await only(
      report([{ name: 'a', status: 'FAILED' }, { name: 'b', status: 'Passed' }, { name: 'c' }]),
    )
    expect(cases.map(({ status }) => status)).toEqual(['fail', 'pass', 'error'])
  })

  it('refuses a report that was cut off or goes on after its end, and shows no shorter run', async () => {
    const whole = report([
      { name: 'a', status: 'passed' },
      { name: 'b', status: 'failed' },
    ])
    const end = whole.indexOf('},{') + 1
    for (const content of [
      whole.slice(0, end),
      whole.slice(0, -1),
      `${whole}x`,
      `${whole.slice(0, end)} ${whole.slice(end + 1)}`,
    ]) {
      const [counts] = countsOf(await importBytes('report.json', content))
      expect(counts).toMatch(/^refused: (not valid JSON|the JSON ends early)/)
    }
  })

  it('has an id of its content if the report has none', async () => {
    const tests = [{ name: 'a', status: 'passed', duration: 1 }]
    expect((await only(report(tests))).identity).toMatch(/^[0-9a-f]{64}$/)
    expect((await only(report(tests, { reportFormat: 'CTRF', runId: 'r' }))).identity).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    '{"reportFormat":"CTRF","results":3}',
    '{"reportFormat":"CTRF","results":{"tests":[1]}}',
    '{"reportFormat":"CTRF"}',
  ])('refuses %s', async (content) => {
    expect(countsOf(await importBytes('r.json', content, { createdAt: '2026-01-01T00:00:00Z' }))[0]).toMatch(
      /^refused: (has no results|holds no cases)/,
    )
  })

  it('has a column for each browser that ran one test, and a test for each file that has one of its name', async () => {
    const test = (name: string, more: object) => ({ name, status: 'passed', duration: 1, ...more })
    const { cases } = await only(
      report([
        test('a', { browser: 'chromium', filePath: 'a.ts' }),
        test('a', { browser: 'firefox', filePath: 'a.ts' }),
        test('b', { browser: 'firefox', filePath: 'a.ts' }),
        test('b', { browser: 'firefox', filePath: 'b.ts' }),
      ]),
    )
    expect(cases.map(({ cell }) => [cell.provider_id, cell.test_id, cell.repeat])).toEqual([
      ['chromium', 'a', 0],
      ['firefox', 'a', 0],
      ['firefox', 'a.ts > b', 0],
      ['firefox', 'b.ts > b', 0],
    ])
  })

  it('recognises seconds in place of milliseconds', async () => {
    const second = 1_777_885_200
    const test = (name: string, duration: number, start: number, stop: number) => ({
      name,
      status: 'passed',
      duration,
      start,
      stop,
    })
    const tests = [
      test('whole seconds', 3, second, second + 3),
      test('a fraction of a second', 0.25, second, second),
      test('milliseconds within a second', 5, second, second + 1),
      test('milliseconds of several seconds', 2_500, second, second + 2),
      test('seconds between exact times', 1.5, second * 1000, second * 1000 + 1500),
      test('milliseconds between exact times', 1500, second * 1000, second * 1000 + 1500),
      test('a part of a longer time', 10, second * 1000, second * 1000 + 6000),
    ]
    const summary = { tests: tests.length, start: second, stop: second + 10 }
    const { run, cases, losses } = await only(JSON.stringify({ results: { tool: { name: 't' }, summary, tests } }))
    expect(run).toMatchObject({ started_at: '2026-05-04T09:00:00Z', finished_at: '2026-05-04T09:00:10Z' })
    expect(cases.map(({ latency_ms }) => latency_ms)).toEqual([3000, 250, 5, 2500, 1500, 1500, 10])
    expect(losses).toContainEqual(
      expect.objectContaining({ kind: 'assumed', path: 'results.tests.*.duration', count: 3 }),
    )
  })
})
