import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { openService } from '../../../runtime/open-service.ts'
import { expireRuns } from '../../../runtime/background/expire-runs.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { ALL_ACTS, BEFORE, holdRaces, ingest, placeHold } from '../../support/proof/hold-races.ts'
import { runCount } from '../../support/random/runs.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

// On PostgreSQL two replicas race. `npm run soak -- hold-races` runs 10,000 races.

let fresh: FreshService
let second: OpenService
beforeAll(async () => {
  fresh = await openFreshService()
  const { service, databaseUrl } = fresh
  second =
    databaseUrl === null
      ? service
      : await openService({
          database: { kind: 'postgres', url: databaseUrl, readUrl: null, connections: 4, statementTimeoutMs: 30_000 },
        })
  // All other runs are older, so retention may delete them.
  await ingest(service, 'newest', '2027-01-01T00:00:00Z')
})
afterAll(async () => {
  if (second !== fresh.service) await second.close()
  await fresh.close()
})

describe('holds, deletions, retention and erasures at the same time', () => {
  it('never lose a run that is held', async () => {
    const race = holdRaces([fresh.service, second], fresh.sql)
    const outcomes = { held: 0, lost: 0 }
    const entrant = fc.record({ act: fc.constantFrom(...ALL_ACTS), replica: fc.nat({ max: 1 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(entrant, { minLength: 2, maxLength: 6 }), async (entrants) => {
        const { problem, isHeld, isStored } = await race(entrants)
        expect(problem).toBeNull()
        if (isHeld) outcomes.held++
        if (!isStored) outcomes.lost++
      }),
      { numRuns: runCount(500, 30) },
    )
    expect(outcomes.held).toBeGreaterThan(3)
    expect(outcomes.lost).toBeGreaterThan(3)
  })

  it('are passed over by the retention of a whole store', async () => {
    const { service } = fresh
    await ingest(service, 'held')
    await ingest(service, 'free')
    await placeHold(service, 'last', { run_id: 'held', project: null, suite: null })
    const { signal } = new AbortController()
    await expireRuns(service, { before: BEFORE, signal })
    expect(await fresh.sql.column('SELECT id FROM runs ORDER BY id')).toEqual(['held', 'newest'])
    await service.commit.liftHold(SYSTEM, { hold_id: 'last', reference: 'last' })
  })
})
