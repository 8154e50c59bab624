import { afterAll, describe, expect, it } from 'vitest'
import type { NearestRun } from '../../../queries/runs/nearest-run.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { casesOfLetters } from '../../support/documents/letters.ts'
import { openApp } from '../../support/servers/app.ts'

let day = 0

/** Uploads a run that finished a day after the last one. Each letter of `statuses` is the status of one test. */
const upload = async (
  run_id: string,
  statuses: string,
  { suite = 'smoke', ...cell }: { provider_id?: string; suite?: string | null } = {},
) => {
  const finished_at = new Date(Date.UTC(2026, 4, 1 + day++)).toISOString()
  const answer = await spec.ingest(
    aDocument({ run_id, suite, started_at: finished_at, finished_at, cases: casesOfLetters(statuses, cell) }),
    {
      caller: 'admin',
    },
  )
  expect(answer.statusCode, answer.body).toBe(201)
}
const nearestOf = async (base: string, head: string): Promise<NearestRun['nearest']> =>
  (await spec.getJson<NearestRun>(`/runs/${base}/compare/${head}/nearest`)).nearest

const spec = await openApp()
await upload('oldest', 'ppppffff..')
await upload('partial', 'pp........')
await upload('skipping', 'ppsssssss.')
await upload('other-model', 'pppppppp..', { provider_id: 'another' })
await upload('elsewhere', 'pppppppp..', { suite: 'deep' })
await upload('head', 'pfpfpfpf..')
await upload('later', 'ffffffff..')
await upload('alone', 'pppppppp..', { suite: null })
afterAll(() => spec.close())

describe('the nearest run that can be compared', () => {
  it('shares most cases with the head; of equal ones, the earlier run', async () => {
    expect(await nearestOf('partial', 'head')).toEqual({
      id: 'oldest',
      project: 'chat',
      suite: 'smoke',
      note: null,
      created_at: '2026-05-01T00:00:00+00:00',
      case_count: 8,
      pairs: 8,
    })
  })

  it('is not the base, and may be later than the head', async () => {
    expect(await nearestOf('oldest', 'head')).toMatchObject({ id: 'later', pairs: 8 })
    expect(await nearestOf('elsewhere', 'oldest')).toMatchObject({ id: 'head' })
  })

  it('is missing where no other run has the providers and enough of the cases', async () => {
    for (const head of ['partial', 'skipping', 'other-model', 'elsewhere', 'alone'])
      expect(await nearestOf('oldest', head), head).toBeNull()
  })

  it('says what the suite has instead', async () => {
    const othersOf = async (head: string) =>
      (await spec.getJson<NearestRun>(`/runs/oldest/compare/${head}/nearest`)).others
    // The suite has six runs: the base, the head, and four others.
    expect(await othersOf('other-model')).toEqual({ runs: 4, same_providers: 0, most_pairs: 0 })
    expect(await othersOf('partial')).toEqual({ runs: 4, same_providers: 3, most_pairs: 2 })
    expect(await othersOf('elsewhere')).toEqual({ runs: 0, same_providers: 0, most_pairs: 0 })
    expect(await othersOf('alone')).toBeNull()
  })

  it('changes when a run is uploaded and when it is deleted', async () => {
    await upload('newest', 'pppppppp..')
    expect(await nearestOf('later', 'newest')).toMatchObject({ id: 'head' })
    await spec.sendAs('admin')('DELETE', '/runs/head')
    expect(await nearestOf('later', 'newest')).toMatchObject({ id: 'oldest' })
  })

  it('does not exist for a viewer who may not see one of the runs', async () => {
    await spec.restrict('chat', 'deep')
    const { send } = await spec.addUser('mira', 'member')
    const [hidden, absent] = [
      await send('GET', '/runs/oldest/compare/elsewhere/nearest'),
      await send('GET', '/runs/oldest/compare/none/nearest'),
    ]
    expect([hidden.statusCode, hidden.body]).toEqual([404, absent.body])
  })
})
