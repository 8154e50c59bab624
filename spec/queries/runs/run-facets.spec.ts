import { afterAll, describe, expect, it } from 'vitest'
import type { RunFacets } from '../../../queries/runs/run-facets.ts'
import { openApp, type Send } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

/** More runs of a suite than a page of the run list has. */
const RUNS = 25
const SUITES = [
  ['chat', 'smoke', RUNS],
  ['search', 'smoke', RUNS],
  ['search', 'nightly', 2],
  ['vault', 'secret', 3],
  ['search', 'hidden', 1],
] as const
afterAll(() => spec.close())

const facets = async (send: Send): Promise<RunFacets> => {
  const answer = await send('GET', '/run-facets')
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}
const spec = await openApp()
const mira = await spec.addUser('mira')
for (const [project, suite, runs] of SUITES)
  for (let n = 0; n < runs; n++)
    await spec.ingest(
      aDocument({
        run_id: `${project}-${suite}-${n}`,
        project,
        suite,
        cases: [aCase({ cell: { provider_id: suite } })],
      }),
    )
await spec.ingest(
  aDocument({ run_id: 'no-suite', project: 'search', suite: null, cases: [aCase({ cell: { provider_id: 'smoke' } })] }),
)
await spec.ingest(
  aDocument({
    run_id: 'no-project',
    project: null,
    suite: 'smoke',
    cases: [aCase({ cell: { provider_id: 'smoke' } })],
  }),
)
await spec.restrict('vault')
await spec.restrict('search', 'hidden')

describe('the facets of the run list', () => {
  it('count all runs of a suite in all its projects, those with the most runs first', async () => {
    expect(await facets(spec.sendAs('admin'))).toEqual({
      projects: [
        { project: 'search', run_count: RUNS + 4 },
        { project: 'chat', run_count: RUNS },
        { project: 'vault', run_count: 3 },
      ],
      suites: [
        { suite: 'smoke', projects: ['chat', 'search'], run_count: 2 * RUNS },
        { suite: 'secret', projects: ['vault'], run_count: 3 },
        { suite: 'nightly', projects: ['search'], run_count: 2 },
        { suite: 'hidden', projects: ['search'], run_count: 1 },
      ],
      providers: [
        { provider: 'smoke', run_count: 2 * RUNS + 2 },
        { provider: 'secret', run_count: 3 },
        { provider: 'nightly', run_count: 2 },
        { provider: 'hidden', run_count: 1 },
      ],
    })
  })

  it('are the same as the counts of the runs that each filter lists', async () => {
    for (const { suite, run_count } of (await facets(mira.send)).suites) {
      const answer = await mira.send('GET', `/runs?suite=${suite}&limit=200`)
      // The run without a project is in no set.
      expect(
        answer
          .json<{ runs: ReadonlyArray<{ project: string | null }> }>()
          .runs.filter(({ project }) => project !== null),
      ).toHaveLength(run_count)
    }
  })

  it('contain neither a hidden suite nor a hidden project, nor their runs', async () => {
    expect(await facets(mira.send)).toEqual({
      projects: [
        { project: 'search', run_count: RUNS + 3 },
        { project: 'chat', run_count: RUNS },
      ],
      suites: [
        { suite: 'smoke', projects: ['chat', 'search'], run_count: 2 * RUNS },
        { suite: 'nightly', projects: ['search'], run_count: 2 },
      ],
      providers: [
        { provider: 'smoke', run_count: 2 * RUNS + 2 },
        { provider: 'nightly', run_count: 2 },
      ],
    })
  })

  it('contain a suite that a user may view by a grant, and not the rest of its project', async () => {
    await spec.grant('mira', 'view', 'search', 'hidden')
    expect((await facets(mira.send)).suites).toContainEqual({ suite: 'hidden', projects: ['search'], run_count: 1 })
    await spec.restrict('chat', 'smoke')
    expect((await facets(mira.send)).suites).toContainEqual({
      suite: 'smoke',
      projects: ['search'],
      run_count: RUNS,
    })
    expect((await facets(mira.send)).projects.map(({ project }) => project)).toEqual(['search'])
    await spec.lift('chat', 'smoke')
    await spec.revoke('mira', 'search', 'hidden')
  })

  it('count no run of a provider any more once it is deleted', async () => {
    for (const id of ['search-nightly-0', 'search-nightly-1'])
      expect((await spec.sendAs('admin')('DELETE', `/runs/${id}`)).statusCode).toBe(204)
    expect((await facets(mira.send)).providers).toEqual([{ provider: 'smoke', run_count: 2 * RUNS + 2 }])
  })
})
