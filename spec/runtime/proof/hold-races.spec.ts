import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Refused } from '../../../commands/refused.ts'
import { findAgedRun } from '../../../queries/runs/expired-runs.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { openService } from '../../../runtime/open-service.ts'
import { expireRuns } from '../../../runtime/background/expire-runs.ts'
import { erase } from '../../../runtime/proof/erase.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { runCount } from '../../support/random/runs.ts'
import { openFreshService } from '../../support/stores/open-fresh.ts'
import type { FreshService } from '../../support/stores/open-fresh.ts'

// Holds, deletions, retention and erasures of the same run at the same time, on PostgreSQL by two replicas: whichever
// comes first wins, and what is held then is not lost.

let fresh: FreshService
let replicas: readonly OpenService[]
beforeAll(async () => {
  fresh = await openFreshService()
  const { service, databaseUrl } = fresh
  const second =
    databaseUrl === null
      ? service
      : await openService({
          database: { kind: 'postgres', url: databaseUrl, readUrl: null, connections: 4, statementTimeoutMs: 30_000 },
        })
  replicas = [service, second]
  // All other runs are older, so retention may delete them.
  await ingest(service, 'newest', '2027-01-01T00:00:00Z')
})
afterAll(async () => {
  if (replicas[1] !== fresh.service) await replicas[1]?.close()
  await fresh.close()
})

const ingest = (service: OpenService, run_id: string, finished_at = '2026-05-04T09:00:01Z') =>
  service.commit('ingestRun', SYSTEM, {
    body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id, finished_at }))),
    encoding: null,
  })

const REFERENCE = 'case-1'
type Result = { readonly won: boolean }

const before = Date.UTC(2026, 11)

/** What may happen to a run. Each returns whether it did what it is for. */
const ACTS = {
  holdRun: (service: OpenService, run_id: string, id: string) =>
    hold(service, id, { run_id, project: null, suite: null }),
  holdSuite: (service: OpenService, _: string, id: string) =>
    hold(service, id, { run_id: null, project: 'chat', suite: 'smoke' }),
  remove: async (service: OpenService, run_id: string) => {
    await service.commit('deleteRun', SYSTEM, { run_id })
    return { won: true }
  },
  expire: async (service: OpenService, run_id: string) => {
    const candidate = await service.reader.read(findAgedRun(SYSTEM, run_id))
    if (!candidate) return { won: false }
    const { deleted } = await service.commit('expireRun', SYSTEM, { candidate, before })
    return { won: deleted }
  },
  erase: async (service: OpenService, run_id: string, id: string) => {
    const { documents } = await erase({ commit: service.commit, wipe: async () => {} }, SYSTEM, {
      erasure_id: id,
      reference: REFERENCE,
      target: { run_id },
      dry_run: false,
    })
    return { won: documents > 0 }
  },
} as const
type Act = keyof typeof ACTS

const hold = async (
  service: OpenService,
  hold_id: string,
  scope: { readonly run_id: string | null; readonly project: string | null; readonly suite: string | null },
): Promise<Result> => {
  await service.commit('placeHold', SYSTEM, { hold_id, reference: hold_id, note: null, ...scope })
  return { won: true }
}

const isHold = (act: Act): boolean => act === 'holdRun' || act === 'holdSuite'

const act = fc.record({
  act: fc.constantFrom(...(Object.keys(ACTS) as Act[])),
  replica: fc.nat({ max: 1 }),
})

describe('holds, deletions, retention and erasures at the same time', () => {
  it('never lose a run that is held', async () => {
    let n = 0
    const outcomes = { held: 0, lost: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 6 }), async (acts) => {
        const run_id = `run ${++n}`
        const { service } = fresh
        await ingest(service, run_id)
        const results = await Promise.all(
          acts.map(async ({ act, replica }, i) => {
            try {
              const { won } = await ACTS[act](replicas[replica] ?? service, run_id, `${n} ${i}`)
              return { act, id: `${n} ${i}`, won, error: null }
            } catch (error) {
              // Another one came first.
              expect(error).toBeInstanceOf(Refused)
              return { act, id: `${n} ${i}`, won: false, error: String(error) }
            }
          }),
        )
        const isStored = (await service.reader.read(findAgedRun(SYSTEM, run_id))) !== null
        const holds = results.filter(({ act, won }) => isHold(act) && won)
        const losses = results.filter(({ act, won }) => !isHold(act) && won)
        // Exactly one of them deletes a run.
        expect({ results, losses: losses.length }).toEqual({ results, losses: isStored ? 0 : 1 })
        // A hold on the run itself was placed while the run was there.
        if (!isStored) expect(holds.filter(({ act }) => act === 'holdRun')).toEqual([])
        if (holds.length > 0 && isStored) outcomes.held++
        if (!isStored) outcomes.lost++
        // All holds of earlier runs are lifted, so no deletion comes after a hold of this one.
        const types = await fresh.sql.column(
          `SELECT type FROM events
           WHERE type IN ('HoldPlaced', 'RunDeleted') AND seq > coalesce((SELECT max(seq) FROM events WHERE type = 'HoldLifted'), 0) ORDER BY seq`,
        )
        const firstHold = types.indexOf('HoldPlaced')
        if (firstHold >= 0) expect(types.slice(firstHold)).not.toContain('RunDeleted')
        for (const { id } of holds) await service.commit('liftHold', SYSTEM, { hold_id: id, reference: REFERENCE })
      }),
      { numRuns: runCount(300, 30) },
    )
    expect(outcomes.held).toBeGreaterThan(3)
    expect(outcomes.lost).toBeGreaterThan(3)
  })

  it('are passed over by the retention of a whole store', async () => {
    const { service } = fresh
    await ingest(service, 'held')
    await ingest(service, 'free')
    await hold(service, 'last', { run_id: 'held', project: null, suite: null })
    const { signal } = new AbortController()
    await expireRuns(service, { before, signal })
    expect(await fresh.sql.column('SELECT id FROM runs ORDER BY id')).toEqual(['held', 'newest'])
  })
})
