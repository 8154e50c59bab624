import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Refused } from '../../../commands/refused.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { findRunPart } from '../../../queries/evidence/evidence.ts'
import { openService } from '../../../runtime/open-service.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf, noise } from '../../support/documents/parts.ts'
import { storedObjects } from '../../support/documents/stored-objects.ts'
import { runCount } from '../../support/random/runs.ts'
import { partsFolderOf } from '../../support/servers/app.ts'
import { PART_LIMITS } from '../../support/servers/part-limits.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'
import { verifyStore } from '../../support/stores/verified.ts'

// On PostgreSQL two replicas race. `SPEC_RUNS=200` runs 10,000 races on SQLite.

const HOUR_MS = 3_600_000
/** More than the hours that a staged part has. */
const ITS_HOURS_MS = 25 * HOUR_MS

let fresh: FreshService
let second: OpenService
let clock = Date.UTC(2026, 4, 4, 8)
beforeAll(async () => {
  fresh = await openFreshService({ now: () => clock })
  const { service, databaseUrl: url } = fresh
  const database =
    url && ({ kind: 'postgres', url, readUrl: null, connections: 4, statementTimeoutMs: 30_000 } as const)
  second = database ? await openService({ database, now: () => clock }) : service
})
afterAll(async () => {
  if (second !== fresh.service) await second.close()
  await fresh.close()
})

const bodyOf = (document: object): Uint8Array => new TextEncoder().encode(JSON.stringify(document))
const openReplica = (service: OpenService) => ({
  service,
  parts: openPartStore({ ...service, now: () => clock, partsFolder: partsFolderOf(fresh) }, PART_LIMITS),
})
type Replica = ReturnType<typeof openReplica>
type Raced = { readonly n: number; readonly run_id: string; readonly manifest: Buffer; readonly large: Buffer }

/** What may happen to staged parts whose hours are over. Each returns the run that names them, or null. */
const ACTS = {
  sweep: async ({ parts }: Replica) => {
    await parts.sweep(AbortSignal.timeout(60_000))
    return null
  },
  sendAgain: async ({ parts }: Replica, { large }: Raced) => {
    await parts.storeWhole(SYSTEM, digestOf(large), new Uint8Array(large))
    return null
  },
  attach: async ({ service }: Replica, { run_id, manifest }: Raced) => {
    const attached = { run_id, manifest: digestOf(manifest), maxPartBytes: Infinity }
    await service.commit.attachEvidence(SYSTEM, attached)
    return run_id
  },
  upload: async ({ service }: Replica, { n, manifest }: Raced) => {
    const named = `with evidence ${n}`
    const document = { ...aDocument({ run_id: named }), evidence_manifest: digestOf(manifest) }
    await service.commit.ingestRun(SYSTEM, { body: bodyOf(document), encoding: null })
    return named
  },
} as const
type Act = keyof typeof ACTS

describe('a sweep of staged parts while a commit names them', () => {
  it('drops all of them or none: what a run names is there byte for byte, and nothing else stays', async () => {
    const replicas = [openReplica(fresh.service), openReplica(second)] as const
    const [first] = replicas
    const outcomes = { named: 0, swept: 0 }
    let races = 0

    const race = async (acts: ReadonlyArray<{ readonly act: Act; readonly replica: number }>): Promise<void> => {
      const n = ++races
      const [small, large] = [noise(100, 2 * n), noise(263_000, 2 * n + 1)]
      const manifest = manifestOf([small, large].map((bytes) => ({ bytes, role: 'original' })))
      const raced = { n, run_id: `run ${n}`, manifest, large }
      await first.service.commit.ingestRun(SYSTEM, {
        ...{ body: bodyOf(aDocument({ run_id: raced.run_id })), encoding: null },
      })
      await first.parts.storeMany(
        SYSTEM,
        [small, large, manifest].map((bytes) => ({ sha256: digestOf(bytes), bytes })),
      )
      clock += ITS_HOURS_MS
      const named = await Promise.all(
        acts.map(({ act, replica }) =>
          ACTS[act](replicas[replica] ?? first, raced).catch((error: unknown) => {
            if (!(error instanceof Refused) || !error.message.startsWith('missing parts: ')) throw error
            outcomes.swept++
            return null
          }),
        ),
      )
      for (const run_id of named) {
        if (run_id === null) continue
        outcomes.named++
        for (const { service, parts } of replicas)
          for (const bytes of [small, large]) {
            const found = await service.reader.read(findRunPart(SYSTEM, run_id, digestOf(bytes)))
            const stored = { sha256: digestOf(bytes), bytes: bytes.length }
            const read = found ? await Array.fromAsync(parts.readWhole(found.part_no, stored, async () => true)) : []
            expect(Buffer.concat(read).equals(bytes), run_id).toBe(true)
          }
      }
    }

    const entrant = fc.record({
      act: fc.constantFrom<Act>('sweep', 'sweep', 'attach', 'upload', 'sendAgain'),
      replica: fc.nat({ max: 1 }),
    })
    await fc.assert(fc.asyncProperty(fc.array(entrant, { minLength: 2, maxLength: 5 }), race), {
      numRuns: runCount(50, 20),
      endOnFailure: true,
    })
    expect(outcomes.named).toBeGreaterThan(3)
    expect(outcomes.swept).toBeGreaterThan(3)

    clock += ITS_HOURS_MS
    await first.parts.sweep(AbortSignal.timeout(60_000))
    const { column } = fresh.sql
    expect(await column('SELECT sha256 FROM staged_parts')).toEqual([])
    const used = await column('SELECT object_id FROM part_objects')
    expect(await storedObjects({ ...fresh, column })).toEqual(used.map(String).toSorted())
    expect(await column('SELECT part_no FROM parts WHERE part_no NOT IN (SELECT part_no FROM run_parts)')).toEqual([])
    expect((await verifyStore(fresh, { parts: 'all' })).finding).toBeNull()
  })
})
