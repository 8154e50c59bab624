import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { baselinePinned } from '../../../commands/baseline/events.ts'
import { EVENT_NAMES, EVENTS } from '../../../commands/events.ts'
import type { ErasureTarget } from '../../../commands/erasure/erasable.ts'
import * as commands from '../../../commands/index.ts'
import { resetLinkMade } from '../../../commands/link/events.ts'
import { Refused } from '../../../commands/refused.ts'
import { rebuildTables } from '../../../maintenance/rebuild/sqlite.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { project } from '../../../projections/index.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { erase } from '../../../runtime/proof/erase.ts'
import type { OpenService } from '../../../runtime/services.ts'
import type { AnyCommand } from '../../../storage/command.ts'
import { commandOf, type AccountStep } from '../../support/access/account-steps.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { admin } from '../../support/access/viewers.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { LOG_VKEY } from '../../support/proof/check-value.ts'
import { readTables } from '../../support/stores/read-tables.ts'
import { aCommand, commitAll, openStore, type SpecStore } from '../../support/stores/store.ts'
import { callsByName } from '../../../runtime/calls-by-name.ts'

/** More records than one commit erases. */
const MANY = 1010

let store: SpecStore
let wiped = 0
beforeEach(() => {
  store = openStore({ project })
  wiped = 0
})
afterEach(() => store.close())

const commit = async (command: AnyCommand): Promise<unknown> => {
  const prepared = await command.prepare(store.writer)
  await (prepared as { pending?: Promise<unknown> } | null)?.pending
  const [outcome] = store.writer.commitGroup([{ command, prepared }])
  if (!outcome) throw new Error('no outcome')
  if (!outcome.ok) throw outcome.error
  return outcome.result
}
const wipe = async (): Promise<void> => void wiped++
type Erasing = Parameters<typeof commands.eraseRecords>
const eraser = callsByName<OpenService['commit']>((_, args: Erasing) => commit(commands.eraseRecords(...args)))
let erasures = 0
const eraseAll = (target: ErasureTarget, dry_run = false) =>
  erase({ commit: eraser, wipe }, admin, { erasure_id: `e${++erasures}`, reference: 'case-1', target, dry_run })

const as = (user_id: string): Viewer =>
  viewerOf({ kind: 'session', credential_id: `session of ${user_id}`, user_id, scope: 'admin' }, null, true)
const create = (by: Viewer, user_id: string) =>
  commit(commands.createUser(by, { user_id, username: user_id, password_hash: 'hash', role: 'admin' }))
/** Creates accounts `root` and `x`, which is signed in. */
const createX = async (): Promise<void> => {
  await create(admin, 'root')
  await create(admin, 'x')
  const session_id = 'session of x'
  await commit(
    commands.signIn(admin, { user_id: 'x', password_hash: 'hash', session_id, token_hash: 'token of x', at: 1 }),
  )
}
const remove = (by: Viewer, user_id: string) => commit(commands.deleteUser(by, { user_id }))
const ingest = (by: Viewer, run_id: string) =>
  commit(commands.ingestRun(by, { body: Buffer.from(JSON.stringify(aDocument({ run_id }))), encoding: null }))
/** Records pins of a run, all in one commit. */
const pin = (by: Viewer, run_id: string, count: number): void => {
  const pins = Array.from({ length: count }, () => baselinePinned({ project: 'chat', run_id, suite: 'smoke' }))
  commitAll(store.writer, aCommand(pins, { actor: by.actor }))
}
const column = (sql: string): unknown[] => store.writer.connection.database.prepare(sql).pluck().all()
const erasedCount = () => Number(column("SELECT count(*) FROM events WHERE type = 'EventErased'")[0])
const inOrder = async (): Promise<void> => {
  expect((await verifyLog(store.file, null)).finding).toBeNull()
  const inline = readTables(store.writer.connection.database)
  rebuildTables(store.writer)
  expect(readTables(store.writer.connection.database)).toEqual(inline)
}

describe('an account that an erased account created', () => {
  beforeEach(createX)

  it('does not come back once it is erased too', async () => {
    await create(as('x'), 'y')
    await commit(commands.grantAccess(as('x'), { project: 'chat', suite: null, user_id: 'y', level: 'view' }))
    await remove(admin, 'x')
    await eraseAll({ user_id: 'x' })
    await remove(admin, 'y')
    // Kept: the end of the account and of its grant.
    expect(await eraseAll({ user_id: 'y' })).toMatchObject({ records: 2, kept: 2 })
    expect(column("SELECT id FROM principals WHERE kind = 'user' AND label IS NOT NULL")).toEqual(['root'])
    expect(column('SELECT id FROM users')).toEqual(['root'])
    await inOrder()
  })

  it('does not come back if only its grant was erased before', async () => {
    await create(admin, 'y')
    await commit(commands.grantAccess(admin, { project: 'chat', suite: null, user_id: 'y', level: 'view' }))
    const [granted] = column("SELECT seq FROM events WHERE type = 'AccessGranted'")
    await eraseAll({ seqs: [Number(granted)] })
    await remove(admin, 'y')
    await eraseAll({ user_id: 'y' })
    expect(column('SELECT user_id FROM grants')).toEqual([])
    await inOrder()
  })

  it('loses its label also if all its records were kept before', async () => {
    await create(as('x'), 'y')
    await remove(as('x'), 'y')
    await remove(admin, 'x')
    await eraseAll({ user_id: 'x' })
    expect(column("SELECT label FROM principals WHERE id = 'y'")).toEqual(['y'])
    await eraseAll({ user_id: 'y' }, true)
    expect(column("SELECT label FROM principals WHERE id = 'y'")).toEqual(['y'])
    expect(await eraseAll({ user_id: 'y' })).toMatchObject({ records: 0 })
    expect(column("SELECT label FROM principals WHERE id = 'y'")).toEqual([null])
    await inOrder()
  })
})

const ACCOUNT_TYPES = EVENT_NAMES.filter((name) => EVENTS[name].erasure.startsWith('account'))

describe('an account with every kind of record', () => {
  const step = (kind: AccountStep['kind'], suffix: 'a' | 'b', signedInAt: number | null = 1) =>
    commandOf({ kind, user_id: 'u1', suffix, role: 'member', signedInAt })

  it.each(ACCOUNT_TYPES)('leaves nothing of %s', async (type) => {
    await create(admin, 'root')
    const linked = column('SELECT max(seq) FROM events').map(Number)[0] ?? 0
    // The first sign-in through a provider creates the account.
    await commit(
      commands.signInWithIdentity(admin, {
        ...{
          user_id: 'u1',
          identity_id: 'identity u1',
          provider: 'oidc:corp',
          subject: 'a',
          salt: 'salt',
          email: null,
        },
        ...{ role: 'admin', rule: 'default_role', usernames: ['ada'], expected: null, replay: null },
        ...{ session_id: 'u1a', token_hash: 'u1a', at: 1 },
      }),
    )
    const owner = viewerOf({ kind: 'session', credential_id: 'u1a', user_id: 'u1' }, null)
    for (const command of [
      commands.makeInvite(owner, {
        ...{ link_id: 'invite', secret_sha256: 'i', label: 'u1', role: 'member', grants: [], expires_at: null, at: 1 },
        salt: 'salt',
      }),
      step('change', 'b'),
      step('signIn', 'b'),
      step('mint', 'a'),
      step('revoke', 'a'),
      commands.createWebhook(owner, {
        webhook_id: 'w',
        ...{ events: ['run.ingested'], project: null, suite: null, sealed: 's' },
      }),
      commands.replaceWebhookSecret(owner, { webhook_id: 'w', former: 's', sealed: 't' }),
      commands.noteDelivery(admin, {
        ...{ delivery_id: 'd', webhook_id: 'w', at: 1, status: 410 },
        error: 'status',
        next_at: null,
      }),
      commands.deleteWebhook(owner, { webhook_id: 'w' }),
      step('endOthers', 'a'),
      step('signOut', 'a'),
      step('grant', 'a'),
      commands.revokeAccess(admin, { project: 'chat', suite: 'a', user_id: 'u1' }),
      commands.refuseSignIn(admin, { attempt_id: 'try', count: 1, reason: 'wrong_password', user_id: 'u1' }),
      step('remove', 'a'),
    ])
      await commit(command)
    // No link is made for an account that signs in through a provider; it may have had one before.
    const reset = resetLinkMade({ expires_at: 1, link_id: 'reset', secret_sha256: 'r', user_id: 'u1' })
    commitAll(store.writer, aCommand([reset], { actor: admin.actor }))
    const seqs = column(`SELECT seq FROM events WHERE seq > ${linked} AND type = '${type}'`).map(Number)
    expect(seqs).not.toEqual([])
    expect(await eraseAll({ user_id: 'u1' })).toMatchObject({ kept: 0 })
    const bodies = column('SELECT body FROM event_bodies').map(String)
    expect(bodies.filter((body) => body.includes('u1'))).toEqual([])
    const erasures = bodies.map((body) => (JSON.parse(body) as { data: { seq?: number; kept?: unknown } }).data)
    for (const erased of seqs) expect(erasures.find(({ seq }) => seq === erased)).toMatchObject({ kept: null })
    await inOrder()
  })
})

const NO_PARTS = { parts: 0, shared_parts: 0, objects_pending: 0 }

describe('a run with more records than one commit erases', () => {
  it('is erased as a whole, and counted once', async () => {
    await ingest(admin, 'a')
    pin(admin, 'a', MANY)
    const counts = { records: MANY + 2, kept: 0, documents: 1, ...NO_PARTS }
    // The deletion is not there yet.
    expect(await eraseAll({ run_id: 'a' }, true)).toEqual(counts)
    expect(await eraseAll({ run_id: 'a' })).toEqual(counts)
    expect(column('SELECT seq FROM event_bodies WHERE body LIKE \'%"run_id":"a"%\' OR stream = \'run/a\'')).toEqual([])
    expect(wiped).toBe(1)
    await expect(eraseAll({ run_id: 'a' })).rejects.toThrow(new Refused('not_found', 'run not found'))
    await inOrder()
  })

  it('is known by its pins alone, if its upload was erased with the account', async () => {
    await createX()
    await ingest(as('x'), 'a')
    pin(admin, 'a', 1)
    await commit(commands.deleteRun(as('x'), { run_id: 'a' }))
    await remove(admin, 'x')
    await eraseAll({ user_id: 'x' })
    expect(await eraseAll({ run_id: 'a' })).toEqual({ records: 1, kept: 0, documents: 0, ...NO_PARTS })
    await expect(eraseAll({ run_id: 'a' })).rejects.toThrow(new Refused('not_found', 'run not found'))
    await inOrder()
  })
})

it('pins that an erased account placed leave facts only while they stand', async () => {
  await createX()
  for (const run_id of ['first', 'second', 'third']) await ingest(admin, run_id)
  for (const run_id of ['first', 'second', 'third']) pin(as('x'), run_id, 1)
  await remove(admin, 'x')
  await eraseAll({ user_id: 'x' })
  const erasures = column("SELECT body FROM event_bodies WHERE stream LIKE 'erasure/%'").map(String)
  expect(erasures.filter((body) => body.includes('"run_id"')).map((body) => JSON.parse(body) as unknown)).toEqual([
    expect.objectContaining({
      data: expect.objectContaining({ kept: expect.objectContaining({ version: 3 }) as object }) as object,
    }),
  ])
  expect(column('SELECT run_id FROM baselines')).toEqual(['third'])
  await inOrder()
  pin(admin, 'first', 1)
  await inOrder()
})

describe('an erasure that is refused', () => {
  it('has erased nothing, even if the last of many records is the reason', async () => {
    await createX()
    await ingest(admin, 'other')
    pin(as('x'), 'other', MANY)
    await ingest(as('x'), 'held')
    await commit(
      commands.placeHold(admin, {
        hold_id: 'h',
        run_id: 'held',
        project: null,
        suite: null,
        reference: 'case-2',
        note: null,
      }),
    )
    await remove(admin, 'x')
    await expect(eraseAll({ user_id: 'x' })).rejects.toThrow('run is under legal hold h')
    expect(erasedCount()).toBe(0)
    expect(column("SELECT label FROM principals WHERE id = 'x'")).toEqual(['x'])
  })

  it('overwrites what was erased, if a later commit fails', async () => {
    await ingest(admin, 'a')
    pin(admin, 'a', MANY)
    const failing = callsByName<OpenService['commit']>((_, [viewer, args]: Erasing) =>
      args.after > 0 && !args.dry_run
        ? Promise.reject(new Error('the disk is full'))
        : commit(commands.eraseRecords(viewer, args)),
    )
    const erasure = { erasure_id: 'e', reference: 'case-1', target: { run_id: 'a' }, dry_run: false }
    await expect(erase({ commit: failing, wipe }, admin, erasure)).rejects.toThrow('the disk is full')
    expect(erasedCount()).toBeGreaterThan(900)
    expect(wiped).toBe(1)
    await eraseAll({ run_id: 'a' })
    expect(column('SELECT seq FROM event_bodies WHERE body LIKE \'%"run_id":"a"%\' OR stream = \'run/a\'')).toEqual([])
  })
})

it('the erasure of any record that is no part of an account or of a gone run leaves a store in order', async () => {
  const suite = { project: 'chat', suite: 'smoke' }
  const plan = { config_digest: null, metric: null, comparator: null, threshold: null, case_count: null }
  const hold = { hold_id: 'h', run_id: 'a', project: null, suite: null, reference: 'case-2', note: null }
  const logKey = { key_id: '207a464c', origin: 'results.example/log', vkey: LOG_VKEY }
  await commit(commands.changeLogKeys(admin, { keys: [logKey], continues: null }))
  await commit(
    commands.registerPlan(admin, { ...suite, ...plan, plan_id: 'p', text: 'Nine of ten.', plan_sha256: null }),
  )
  await ingest(admin, 'a')
  await commit(commands.pinBaseline(admin, { ...suite, run_id: 'a' }))
  await commit(commands.unpinBaseline(admin, suite))
  await commit(commands.restrictSet(admin, suite))
  await commit(commands.liftRestriction(admin, suite))
  await commit(commands.withdrawPlan(admin, { plan_id: 'p', set: suite }))
  await commit(commands.placeHold(admin, hold))
  await commit(commands.liftHold(admin, { hold_id: 'h', reference: 'case-2' }))
  await commit(commands.changeLogKeys(admin, { keys: [], continues: null }))
  const records = column('SELECT seq FROM events').map(Number)
  for (const seq of records) {
    // A pin that is no more the last is needed by no table.
    const isReplaced = column(`SELECT type FROM events WHERE seq = ${seq}`)[0] === 'BaselinePinned'
    expect(await eraseAll({ seqs: [seq] })).toMatchObject({ records: 1, kept: isReplaced ? 0 : 1 })
    await inOrder()
  }
  expect(column('SELECT DISTINCT type FROM events ORDER BY type')).toEqual([
    'BaselinePinned',
    'BaselineUnpinned',
    'EventErased',
    'HoldLifted',
    'HoldPlaced',
    'LogKeyAdopted',
    'LogKeyRetired',
    'PlanRegistered',
    'PlanWithdrawn',
    'RestrictionLifted',
    'RunIngested',
    'SetRestricted',
  ])
})

it('an erasure does not have the address of the caller', async () => {
  await ingest(admin, 'a')
  const at = { ...admin, actor: { ...admin.actor, address: '192.0.2.7' } }
  await commit(
    commands.eraseRecords(at, {
      erasure_id: 'e',
      reference: 'case-1',
      target: { run_id: 'a' },
      dry_run: false,
      after: 0,
    }),
  )
  expect(column("SELECT body FROM event_bodies WHERE body LIKE '%192.0.2.7%'")).toEqual([])
})
