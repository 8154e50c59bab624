import { afterAll, describe, expect, it } from 'vitest'
import type { PreviousRun } from '../../../queries/runs/previous-run.ts'
import { openApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { casesOfLetters } from '../../support/documents/letters.ts'

let day = 0

/** Uploads a run that finished a day after the last one. Each letter of `statuses` is the status of one test. */
const upload = async (
  run_id: string,
  statuses: string,
  { suite = 'smoke', ...cell }: { provider_id?: string; suite?: string | null } = {},
) => {
  const finished_at = new Date(Date.UTC(2026, 4, 1 + day++)).toISOString()
  const answer = await spec.ingest(
    aDocument({
      run_id,
      suite,
      started_at: finished_at,
      finished_at,
      cases: casesOfLetters(statuses, cell),
      origin: { note: `note of ${run_id}` },
    }),
    { caller: 'admin' },
  )
  expect(answer.statusCode, answer.body).toBe(201)
}
const previousOf = async (id: string): Promise<PreviousRun['previous']> =>
  (await spec.getJson<PreviousRun>(`/runs/${id}/previous`)).previous

const spec = await openApp()
await upload('first', 'ppppffss..')
await upload('elsewhere', 'pppppppp..', { suite: 'deep' })
await upload('other-model', 'pppppppp..', { provider_id: 'another' })
await upload('partial', 'pp........')
await upload('second', 'pfespf.sp.')
await upload('alone', 'pp........', { suite: null })
afterAll(() => spec.close())

describe('the previous run', () => {
  it('is the newest earlier run of the suite with the same providers and enough of the cases', async () => {
    expect(await previousOf('second')).toEqual({
      id: 'first',
      created_at: '2026-05-01T00:00:00+00:00',
      note: 'note of first',
      case_count: 8,
      pass_count: 4,
      shared: 7,
      worse: 2,
      better: 1,
      lost: 1,
      added: 1,
      removed: 1,
    })
    // The earlier run has all cases of the partial one.
    expect(await previousOf('partial')).toMatchObject({ id: 'first', shared: 2, worse: 0, removed: 6 })
  })

  it('is missing for the first run, for another model, and for a run without a suite', async () => {
    for (const id of ['first', 'other-model', 'elsewhere', 'alone']) expect(await previousOf(id), id).toBeNull()
  })

  it('changes when a run is uploaded between the two, and when it is deleted', async () => {
    await upload('later', 'pppppppp..')
    expect(await previousOf('later')).toMatchObject({ id: 'second' })
    await spec.sendAs('admin')('DELETE', '/runs/second')
    expect(await previousOf('later')).toMatchObject({ id: 'first' })
  })
})
