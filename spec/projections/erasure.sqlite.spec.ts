import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as commands from '../../commands/index.ts'
import type { ErasedPart } from '../../commands/erasure/erase-records.ts'
import type { ErasureTarget } from '../../commands/erasure/erasable.ts'
import { Refused } from '../../commands/refused.ts'
import { rebuildTables } from '../../maintenance/rebuild/sqlite.ts'
import { project } from '../../projections/index.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { AnyCommand, Outcome } from '../../storage/command.ts'
import { Stale } from '../../storage/errors.ts'
import { accountStep, commandOf, isUniqueViolation, type AccountStep } from '../support/access/account-steps.ts'
import { viewerOf } from '../support/access/accounts.ts'
import { admin, member } from '../support/access/viewers.ts'
import { aDocument } from '../support/documents/documents.ts'
import { runCount } from '../support/random/runs.ts'
import { readTables } from '../support/stores/read-tables.ts'
import { openStore, type SpecStore } from '../support/stores/store.ts'

/** Commits one command as a group of its own. */
const commit = async ({ writer }: SpecStore, command: AnyCommand): Promise<Outcome> => {
  const prepared = await command.prepare(writer)
  await (prepared as { pending?: Promise<unknown> } | null)?.pending
  const [outcome] = writer.commitGroup([{ command, prepared }])
  if (!outcome) throw new Error('no outcome')
  return outcome
}

class Interrupted extends Error {}

/** Interrupts a rebuild after some small batches. */
const rebuildPartly = ({ writer }: SpecStore, batches: number): void => {
  let done = 0
  const observe = (step: string): void => {
    if (step === 'swap' || (step === 'replayed' && done++ === batches)) throw new Interrupted()
  }
  expect(() => rebuildTables(writer, { batch: { records: 3, bytes: 1e9 }, observe })).toThrow(Interrupted)
}

const RUNS = ['r1', 'r2', 'ä/3'] as const
const USERS = ['u1', 'u2'] as const
/** An account that one of the others may create. */
const CREATED = 'u3'
/** The first name and session of each account. */
const SUFFIX = { u1: 'a', u2: 'b' } as const

/** A person with a session, who may have been deleted; null stands for a static token. */
const actor = fc.constantFrom(...USERS, null)
type Actor = (typeof USERS)[number] | null

const as = (user_id: Actor, sees_all = false): Viewer => {
  if (user_id === null) return sees_all ? admin : member
  return viewerOf(
    { kind: 'session', credential_id: `${user_id}${SUFFIX[user_id]}`, user_id, scope: 'admin' },
    null,
    sees_all,
  )
}

type Act = {
  readonly kind: keyof typeof ACTS
  readonly by: Actor
  readonly run_id: (typeof RUNS)[number]
  readonly user_id: (typeof USERS)[number] | typeof CREATED
  readonly suite: string | null
  readonly n: number
}

let ids = 0
const erase = (target: ErasureTarget): AnyCommand =>
  commands.eraseRecords(admin, { erasure_id: `e${++ids}`, reference: 'case-1', target, dry_run: false, after: 0 })

/** Most runs follow the newest plan, by their configuration. */
const bodyOf = (run_id: string, n: number): Buffer =>
  Buffer.from(
    JSON.stringify(
      aDocument({ run_id, project: 'chat', suite: 'smoke', config_digest: n % 4 === 0 ? '' : 'sha256:c' }),
    ),
  )

const aPlan = (viewer: Viewer, n: number) =>
  commands.registerPlan(viewer, {
    plan_id: `p${++ids}`,
    project: 'chat',
    suite: 'smoke',
    text: `plan ${n}`,
    plan_sha256: null,
    config_digest: 'sha256:c',
    metric: null,
    comparator: null,
    threshold: null,
    case_count: null,
  })

const ACTS = {
  ingest: ({ by, run_id, n }: Act) => commands.ingestRun(as(by), { body: bodyOf(run_id, n), encoding: null }),
  plan: ({ by, n }: Act) => aPlan(as(by), n),
  remove: ({ by, run_id }: Act) => commands.deleteRun(as(by, true), { run_id }),
  pin: ({ by, run_id }: Act) => commands.pinBaseline(as(by), { project: 'chat', suite: 'smoke', run_id }),
  restrict: ({ by, suite }: Act) => commands.restrictSet(as(by, true), { project: 'chat', suite }),
  lift: ({ by, suite }: Act) => commands.liftRestriction(as(by, true), { project: 'chat', suite }),
  grant: ({ by, suite, user_id, n }: Act) =>
    commands.grantAccess(as(by, true), { project: 'chat', suite, user_id, level: n % 2 === 0 ? 'view' : 'upload' }),
  hold: ({ by, run_id, n }: Act) =>
    commands.placeHold(as(by, true), {
      hold_id: `h${++ids}`,
      ...(n % 2 === 0 ? { run_id, project: null, suite: null } : { run_id: null, project: 'other', suite: null }),
      reference: `case-${n}`,
      note: null,
    }),
  createUser: ({ by }: Act) =>
    commands.createUser(as(by, true), { user_id: CREATED, username: CREATED, password_hash: 'hash', role: 'admin' }),
  deleteUser: ({ by, user_id }: Act) => commands.deleteUser(as(by, true), { user_id }),
  eraseRun: ({ run_id }: Act) => erase({ run_id }),
  eraseUser: ({ user_id }: Act) => erase({ user_id }),
  eraseRecord: ({ n }: Act) => erase({ seqs: [n + 1] }),
} as const

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(
    'ingest',
    'ingest',
    'remove',
    'remove',
    'grant',
    'restrict',
    'lift',
    'lift',
    'createUser',
    'deleteUser',
    'eraseUser',
    'eraseUser',
    'eraseRecord',
    ...(Object.keys(ACTS) as Array<keyof typeof ACTS>),
  ),
  by: actor,
  run_id: fc.constantFrom(...RUNS),
  user_id: fc.constantFrom(...USERS, CREATED),
  suite: fc.constantFrom(null, 'smoke'),
  n: fc.nat({ max: 40 }),
})

type Step =
  | { readonly account: AccountStep }
  | { readonly act: Act }
  | { readonly liftHolds: true }
  | { readonly rebuild: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: accountStep.map((account) => ({ account })) },
  { weight: 9, arbitrary: act.map((act) => ({ act })) },
  { weight: 1, arbitrary: fc.constant({ liftHolds: true as const }) },
  { weight: 1, arbitrary: fc.nat({ max: 6 }).map((rebuild) => ({ rebuild })) },
)

/** Both accounts exist and are signed in at the start. */
const START: readonly AccountStep[] = USERS.flatMap((user_id) =>
  (['create', 'signIn'] as const).map((kind) => ({
    kind,
    user_id,
    suffix: SUFFIX[user_id],
    role: 'admin' as const,
    signedInAt: null,
  })),
)

it('erasing any part of any history leaves the tables that a replay gives, also if a rebuild was interrupted', async () => {
  const counts: Record<string, number> = {}
  const kept = { nothing: 0, facts: 0, attempts: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const store = openStore({ project })
      const { database } = store.writer.connection
      for (const account of START) expect(await commit(store, commandOf(account))).toMatchObject({ ok: true })
      expect(await commit(store, aPlan(admin, 0))).toMatchObject({ ok: true })
      for (const step of steps) {
        if ('rebuild' in step) {
          rebuildPartly(store, step.rebuild)
          continue
        }
        if ('liftHolds' in step) {
          const standing = database.prepare('SELECT hold_id FROM holds WHERE lifted_at IS NULL').pluck().all()
          for (const hold_id of standing as string[])
            await commit(store, commands.liftHold(as('u1', true), { hold_id, reference: 'closed' }))
          continue
        }
        const outcome = await commit(store, 'account' in step ? commandOf(step.account) : ACTS[step.act.kind](step.act))
        if (!outcome.ok) {
          if (!(outcome.error instanceof Stale) && !isUniqueViolation(outcome.error))
            expect(outcome.error).toBeInstanceOf(Refused)
          continue
        }
        if (!('act' in step)) continue
        counts[step.act.kind] = (counts[step.act.kind] ?? 0) + 1
        if (!step.act.kind.startsWith('erase')) continue
        const { records, kept: facts } = outcome.result as ErasedPart
        kept.facts += facts
        kept.nothing += records - facts
      }
      const inline = readTables(database)
      rebuildTables(store.writer)
      expect(readTables(database)).toEqual(inline)
      const attempts = database.prepare('SELECT count(*) FROM plan_runs WHERE run_no IS NULL').pluck().get()
      kept.attempts += Number(attempts)
      store.close()
    }),
    { numRuns: runCount(30) },
  )
  expect(Object.keys(counts).toSorted()).toEqual(Object.keys(ACTS).toSorted())
  expect(kept.nothing).toBeGreaterThan(10)
  expect(kept.facts).toBeGreaterThan(2)
  expect(kept.attempts).toBeGreaterThan(0)
})

describe('a rebuild after an erasure', () => {
  const rebuilt = (store: SpecStore): void => {
    const { database } = store.writer.connection
    const inline = readTables(database)
    rebuildTables(store.writer)
    expect(readTables(database)).toEqual(inline)
    store.close()
  }

  it('starts over if an earlier one had replayed what was erased', async () => {
    const store = openStore({ project })
    const ingested = { run_id: 'r1', by: null, kind: 'ingest', user_id: 'u1', suite: null, n: 0 } as const
    for (const run_id of RUNS) await commit(store, ACTS.ingest({ ...ingested, run_id }))
    rebuildPartly(store, 1)
    expect(await commit(store, erase({ run_id: 'r1' }))).toMatchObject({ ok: true })
    rebuilt(store)
  })

  it('deletes the sessions that an erased sign-in had deleted', async () => {
    const store = openStore({ project })
    const account = { kind: 'signIn', user_id: 'u1', suffix: 'a', role: 'admin', signedInAt: 0 } as const
    for (const step of START.filter(({ kind }) => kind === 'create')) await commit(store, commandOf(step))
    await commit(store, commandOf(account))
    // Long after the first session ended: this sign-in deletes it.
    await commit(store, commandOf({ ...account, user_id: 'u2', suffix: 'b', signedInAt: 30_000_000_000 }))
    expect(store.writer.connection.database.prepare('SELECT user_id FROM sessions').pluck().all()).toEqual(['u2'])
    expect(await commit(store, commands.deleteUser(admin, { user_id: 'u2' }))).toMatchObject({ ok: true })
    expect(await commit(store, erase({ user_id: 'u2' }))).toMatchObject({ ok: true })
    rebuilt(store)
  })
})
