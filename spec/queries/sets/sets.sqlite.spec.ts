import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { aDocument, theExample } from '../../support/documents/documents.ts'
import { runCount } from '../../support/random/runs.ts'

afterAll(() => spec.close())

const json = { 'content-type': 'application/json' }
const get = (path: string, of: SpecApp = spec): Promise<unknown> => of.getJson(path)
const spec = await openApp()

describe('run sets', () => {
  it('return the documented values for the worked example', async () => {
    const own = await openApp()
    await own.ingest(theExample())
    expect(await get('/sets', own)).toEqual({
      projects: [
        {
          project: 'support-desk',
          suite_count: 1,
          run_count: 1,
          last_run_at: 1777885242250,
          pass_count: 2,
          fail_count: 1,
          error_count: 0,
          case_count: 5,
          empty_count: 1,
          recent_pass_rates: [0.4],
          restricted: false,
          my_level: null,
        },
      ],
    })
    const suite = {
      suite: 'refunds',
      run_count: 1,
      last_run_at: 1777885242250,
      pass_count: 2,
      fail_count: 1,
      error_count: 0,
      case_count: 5,
      empty_count: 1,
      latest_pass_rate: 0.4,
      sparkline: [0.4],
      baseline_run_id: null,
      restricted: false,
      my_level: null,
    }
    expect(await get('/sets/support-desk', own)).toEqual({
      project: 'support-desk',
      restricted: false,
      my_level: null,
      suites: [suite],
    })
    expect(await get('/sets/support-desk/suites/refunds', own)).toEqual({ project: 'support-desk', ...suite })
    expect(await get('/projects', own)).toEqual({
      projects: [
        { project: 'support-desk', run_count: 1, suite_count: 1, last_run_at: '2026-05-04T09:00:42.250+00:00' },
      ],
    })
    expect(await get('/projects/support-desk/suites', own)).toEqual({
      project: 'support-desk',
      suites: [
        {
          suite: 'refunds',
          run_count: 1,
          last_run_at: '2026-05-04T09:00:42.250+00:00',
          baseline_run_id: null,
          series: [
            {
              run_id: theExample().run_id,
              created_at: '2026-05-04T09:00:42.250+00:00',
              total: 5,
              passed: 2,
              pass_rate: 0.4,
            },
          ],
        },
      ],
    })
    await own.close()
  })

  it('do not exist without a run', async () => {
    for (const path of ['/sets/none', '/sets/none/suites/none'])
      expect((await spec.sendAs('read')('GET', path)).json()).toEqual({ error: 'run set not found' })
    expect(await get('/projects/none/suites')).toEqual({ project: 'none', suites: [] })
  })

  it('have the newest 20 runs: oldest first in a sparkline, newest first in a series', async () => {
    for (let n = 0; n < 23; n++) {
      const finished_at = new Date(Date.UTC(2026, 4, 4) + Math.floor(n / 2) * 1000).toISOString()
      await spec.ingest(
        aDocument({
          run_id: `p-${String(n).padStart(2, '0')}`,
          project: 'points',
          suite: 'many',
          finished_at,
          cases: [],
          summary: { total: 100, passed: n },
        }),
      )
    }
    const newest = Array.from({ length: 20 }, (_, n) => 22 - n)
    expect(await get('/sets/points/suites/many')).toMatchObject({
      run_count: 23,
      sparkline: newest.map((n) => n / 100).reverse(),
      latest_pass_rate: 0.22,
      case_count: 2300,
      pass_count: 253,
    })
    const { suites } = (await get('/projects/points/suites')) as {
      suites: Array<{ run_count: number; series: Array<{ run_id: string; pass_rate: number }> }>
    }
    expect(suites[0]).toMatchObject({ run_count: 20 })
    expect(suites[0]?.series.map(({ run_id }) => run_id)).toEqual(newest.map((n) => `p-${String(n).padStart(2, '0')}`))
    expect(suites[0]?.series[0]).toMatchObject({ total: 100, passed: 22, pass_rate: 0.22 })
  })

  it('have a pass rate of 0 for a run without cases, and omit an empty count of 0', async () => {
    await spec.ingest(aDocument({ run_id: 'no-cases', project: 'empty', suite: 'empty', cases: [] }))
    expect(await get('/sets/empty/suites/empty')).toMatchObject({ sparkline: [0], latest_pass_rate: 0 })
    expect(await get('/sets/empty')).not.toHaveProperty('suites.0.empty_count')
    expect(await get('/sets')).toMatchObject({ projects: [{ project: 'empty', recent_pass_rates: [0] }, {}] })
  })

  it('list projects in byte order in /sets, newest first in /projects, ties by name', async () => {
    const own = await openApp()
    const names = ['b', 'B', 'a', 'é', '🎉', '\uFFFD', '', 'a b']
    for (const [n, project] of names.entries())
      await own.ingest(aDocument({ run_id: `run-${n}`, project, finished_at: `2026-05-04T09:00:0${n % 2}Z` }))
    await own.ingest(aDocument({ run_id: 'homeless', project: null }))
    const byBytes = (some: readonly string[]) => some.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const projects = async (path: string) =>
      ((await get(path, own)) as { projects: Array<{ project: string }> }).projects.map(({ project }) => project)
    expect(await projects('/sets')).toEqual(byBytes(names))
    expect(await projects('/projects')).toEqual([
      ...byBytes(names.filter((_, n) => n % 2 === 1)),
      ...byBytes(names.filter((_, n) => n % 2 === 0)),
    ])
    await own.close()
  })

  it('count and list only named suites, but also count the runs without a suite', async () => {
    for (const [n, suite] of ['b', null, 'B', '', 'a', null].entries())
      await spec.ingest(
        aDocument({ run_id: `suite-${n}`, project: 'suites', suite, finished_at: `2026-05-04T09:00:0${n}Z` }),
      )
    const names = async (path: string) =>
      ((await get(path)) as { suites: Array<{ suite: string }> }).suites.map(({ suite }) => suite)
    expect(await names('/sets/suites')).toEqual(['', 'B', 'a', 'b'])
    expect(await names('/projects/suites/suites')).toEqual(['', 'B', 'a', 'b'])
    const { projects } = (await get('/sets')) as {
      projects: Array<{
        project: string
        run_count: number
        suite_count: number
        last_run_at: number
        recent_pass_rates: number[]
      }>
    }
    expect(projects.find(({ project }) => project === 'suites')).toMatchObject({
      run_count: 6,
      suite_count: 4,
      last_run_at: Date.UTC(2026, 4, 4, 9, 0, 5),
      recent_pass_rates: [1, 1, 1, 1],
    })
    // An empty suite name is valid, but no path can contain it.
    expect((await spec.sendAs('read')('GET', '/sets/suites/suites/')).json()).toEqual({ error: 'route not found' })
    await spec.ingest(aDocument({ run_id: 'suiteless', project: 'suiteless', suite: null }))
    expect(await get('/sets/suiteless')).toEqual({
      project: 'suiteless',
      restricted: false,
      my_level: null,
      suites: [],
    })
  })

  it('cap the recent pass rates at 20 suites in the order of their names', async () => {
    for (let n = 0; n < 22; n++)
      await spec.ingest(
        aDocument({
          run_id: `cap-${n}`,
          project: 'cap',
          suite: String(n).padStart(2, '0'),
          cases: [],
          summary: { total: 100, passed: n },
        }),
      )
    const { projects } = (await get('/sets')) as {
      projects: Array<{ project: string; suite_count: number; recent_pass_rates: number[] }>
    }
    expect(projects.find(({ project }) => project === 'cap')).toMatchObject({
      suite_count: 22,
      recent_pass_rates: Array.from({ length: 20 }, (_, n) => n / 100),
    })
  })

  it('agree with the run list after any uploads and deletions', async () => {
    const upload = fc.record({
      suite: fc.constantFrom('a', 'b', null),
      ms: fc.nat(3),
      passed: fc.nat(3),
      failed: fc.nat(3),
      deleted: fc.boolean(),
    })
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(upload, { minLength: 1, maxLength: 8 }), async (uploads) => {
        const project = `round-${round++}`
        const kept: Array<(typeof uploads)[number] & { id: string }> = []
        for (const [n, each] of uploads.entries()) {
          const id = `${project}-${n}`
          const { suite, ms, passed, failed } = each
          await spec.ingest(
            aDocument({
              run_id: id,
              project,
              suite,
              finished_at: new Date(Date.UTC(2026, 4, 4) + ms).toISOString(),
              cases: [],
              summary: { total: passed + failed, passed, failed },
            }),
          )
          if (each.deleted) await spec.sendAs('admin')('DELETE', `/runs/${id}`)
          else kept.push({ ...each, id })
        }
        if (kept.length === 0) {
          expect((await spec.sendAs('read')('GET', `/sets/${project}`)).statusCode).toBe(404)
          return
        }
        const suites = [...new Set(kept.flatMap(({ suite }) => suite ?? []))].sort()
        const expected = suites.map((suite) => {
          const runs = kept.filter((run) => run.suite === suite).sort((a, b) => a.ms - b.ms || (a.id < b.id ? -1 : 1))
          const sum = (count: (run: (typeof runs)[number]) => number) =>
            runs.reduce((total, run) => total + count(run), 0)
          const sparkline = runs.map(({ passed, failed }) => (passed + failed === 0 ? 0 : passed / (passed + failed)))
          return {
            suite,
            run_count: runs.length,
            last_run_at: Date.UTC(2026, 4, 4) + (runs.at(-1)?.ms ?? 0),
            pass_count: sum(({ passed }) => passed),
            fail_count: sum(({ failed }) => failed),
            error_count: 0,
            case_count: sum(({ passed, failed }) => passed + failed),
            latest_pass_rate: sparkline.at(-1) ?? null,
            sparkline,
            baseline_run_id: null,
            restricted: false,
            my_level: null,
          }
        })
        expect(await get(`/sets/${project}`)).toEqual({ project, restricted: false, my_level: null, suites: expected })
      }),
      { numRuns: runCount(40) },
    )
  })
})

it('a baseline appears with its suite, until another run replaces it or its run is deleted', async () => {
  for (const n of [1, 2]) await spec.ingest(aDocument({ run_id: `base-${n}`, project: 'based', suite: 'one' }))
  const pin = (run_id: string) =>
    spec.sendAs('write')('PUT', '/projects/based/suites/one/baseline', { headers: json, body: { run_id } })
  const shown = async () => [
    ((await get('/sets/based')) as { suites: Array<{ baseline_run_id: string | null }> }).suites[0]?.baseline_run_id,
    ((await get('/sets/based/suites/one')) as { baseline_run_id: string | null }).baseline_run_id,
    ((await get('/projects/based/suites')) as { suites: Array<{ baseline_run_id: string | null }> }).suites[0]
      ?.baseline_run_id,
  ]
  expect(await shown()).toEqual([null, null, null])
  for (const run_id of ['base-1', 'base-2', 'base-2']) {
    const answer = await pin(run_id)
    expect([answer.statusCode, answer.json()]).toEqual([200, { project: 'based', suite: 'one', run_id }])
    expect(await shown()).toEqual([run_id, run_id, run_id])
  }
  await spec.sendAs('admin')('DELETE', '/runs/base-2')
  expect(await shown()).toEqual([null, null, null])
})
