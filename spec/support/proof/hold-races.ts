import { Refused } from '../../../commands/refused.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { findAgedRun } from '../../../queries/runs/expired-runs.ts'
import { erase } from '../../../runtime/proof/erase.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { aDocument } from '../documents/documents.ts'
import type { PlainSql } from '../stores/plain-sql.ts'

// Holds, deletions, retention and erasures of the same run at the same time: whichever comes first wins, and what is held
// then is not lost.

export const BEFORE = Date.UTC(2026, 11)
const REFERENCE = 'case-1'

export const ingest = (service: OpenService, run_id: string, finished_at = '2026-05-04T09:00:01Z') =>
  service.commit.ingestRun(SYSTEM, {
    body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id, finished_at }))),
    encoding: null,
  })

export const placeHold = async (
  service: OpenService,
  hold_id: string,
  scope: { readonly run_id: string | null; readonly project: string | null; readonly suite: string | null },
): Promise<boolean> => {
  await service.commit.placeHold(SYSTEM, { hold_id, reference: hold_id, note: null, ...scope })
  return true
}

/** What may happen to a run. Each returns whether it did what it is for. */
const ACTS = {
  holdRun: (service: OpenService, run_id: string, id: string) =>
    placeHold(service, id, { run_id, project: null, suite: null }),
  holdSuite: (service: OpenService, _: string, id: string) =>
    placeHold(service, id, { run_id: null, project: 'chat', suite: 'smoke' }),
  remove: async (service: OpenService, run_id: string) => {
    await service.commit.deleteRun(SYSTEM, { run_id })
    return true
  },
  expire: async (service: OpenService, run_id: string) => {
    const candidate = await service.reader.read(findAgedRun(SYSTEM, run_id))
    if (!candidate) return false
    return (await service.commit.expireRun(SYSTEM, { candidate, before: BEFORE })).deleted
  },
  erase: async (service: OpenService, run_id: string, id: string) => {
    const erasure = { erasure_id: id, reference: REFERENCE, target: { run_id }, dry_run: false }
    return (await erase({ commit: service.commit, wipe: async () => {} }, SYSTEM, erasure)).documents > 0
  },
} as const
export type Act = keyof typeof ACTS
export const ALL_ACTS = Object.keys(ACTS) as readonly Act[]

const isHold = (act: Act): boolean => act === 'holdRun' || act === 'holdSuite'

/** One act of a race, and the number of the replica that does it. */
export type Entrant = { readonly act: Act; readonly replica: number }

/** `problem` says which rule was broken, or is null. */
export type Raced = { readonly problem: string | null; readonly isHeld: boolean; readonly isStored: boolean }

/** Returns a function that uploads a new run and lets some acts on it race. All holds are lifted afterwards. */
export const holdRaces = (replicas: readonly [OpenService, ...OpenService[]], sql: Pick<PlainSql, 'column'>) => {
  let n = 0
  return async (entrants: readonly Entrant[]): Promise<Raced> => {
    const run_id = `run ${++n}`
    const [first] = replicas
    await ingest(first, run_id)
    const results = await Promise.all(
      entrants.map(async ({ act, replica }, i) => {
        const id = `${n} ${i}`
        try {
          return { act, id, won: await ACTS[act](replicas[replica] ?? first, run_id, id), error: null }
        } catch (error) {
          // Another one came first.
          return { act, id, won: false, error: error as Error }
        }
      }),
    )
    const isStored = (await first.reader.read(findAgedRun(SYSTEM, run_id))) !== null
    const holds = results.filter(({ act, won }) => isHold(act) && won)
    const losses = results.filter(({ act, won }) => !isHold(act) && won)
    // All holds of earlier runs are lifted, so no deletion may come after a hold of this one.
    const types = await sql.column(
      `SELECT type FROM events
       WHERE type IN ('HoldPlaced', 'RunDeleted') AND seq > coalesce((SELECT max(seq) FROM events WHERE type = 'HoldLifted'), 0) ORDER BY seq`,
    )
    const firstHold = types.indexOf('HoldPlaced')
    for (const { id } of holds) await first.commit.liftHold(SYSTEM, { hold_id: id, reference: REFERENCE })

    const broken = [
      [results.some(({ error }) => error !== null && !(error instanceof Refused)), 'an act failed'],
      [losses.length !== (isStored ? 0 : 1), 'not exactly one act deleted the run'],
      [!isStored && holds.some(({ act }) => act === 'holdRun'), 'a run under a hold of its own is gone'],
      [firstHold >= 0 && types.slice(firstHold).includes('RunDeleted'), 'a run was deleted after a hold on it'],
    ] as const
    const problem = broken.find(([isBroken]) => isBroken)?.[1]
    const described = results.map(({ act, won, error }) => `${act} ${error?.message ?? won}`).join(', ')
    return {
      problem: problem === undefined ? null : `${run_id}: ${problem}: ${described}`,
      isHeld: isStored && holds.length > 0,
      isStored,
    }
  }
}
