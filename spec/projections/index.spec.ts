import { describe, expect, it } from 'vitest'
import { accessGranted, accessRevoked, restrictionLifted, setRestricted } from '../../commands/access/events.ts'
import { userChanged, userCreated, userDeleted } from '../../commands/account/events.ts'
import { badgeKeyMinted, badgeKeysRevoked } from '../../commands/badge/events.ts'
import { baselinePinned, baselineUnpinned } from '../../commands/baseline/events.ts'
import { identityLinked } from '../../commands/identity/events.ts'
import { eventErased } from '../../commands/erasure/events.ts'
import { holdLifted, holdPlaced } from '../../commands/hold/events.ts'
import type { DomainEvent } from '../../commands/index.ts'
import { keyMinted, keyRevoked } from '../../commands/key/events.ts'
import { logKeyAdopted, logKeyRetired } from '../../commands/log-key/events.ts'
import { planRegistered, planRevealed, planWithdrawn } from '../../commands/plan/events.ts'
import { runDeleted, runIngested } from '../../commands/run/events.ts'
import { storedRun } from '../../commands/run/stored-run.ts'
import { cacheEntryDeleted, cachePruned, projectionRebuilt, started } from '../../commands/service/events.ts'
import { sessionsEnded, signedIn, signedOut, signInRefused } from '../../commands/session/events.ts'
import { prepareRun } from '../../domain/run/prepare.ts'
import { project, projections } from '../../projections/index.ts'
import { outdatedProjections } from '../../projections/replay.ts'
import type { NewEvent, Recorded } from '../../storage/command.ts'
import { member } from '../support/access/viewers.ts'
import {
  webhookCreated,
  webhookDeleted,
  webhookDisabled,
  webhookSecretReplaced,
} from '../../commands/webhook/events.ts'
import { theExample } from '../support/documents/documents.ts'
import { openStorage } from '../support/stores/open-storage.ts'

const stored = storedRun(prepareRun(Buffer.from(JSON.stringify(theExample()))), { withVectors: false })
const { run, cases } = stored
const set = { project: run.project ?? '', suite: run.suite ?? '' }
const deletedData = { document_sha256: '', run_no: 1, ...set }

/** One event of each type: a missing type does not compile. */
const EVENT_BY_TYPE: { readonly [T in DomainEvent['type']]: NewEvent } = {
  RunIngested: runIngested(
    run.id,
    {
      case_count: cases.length,
      content_hash: run.content_hash,
      document_bytes: 1,
      document_sha256: 'aa',
      hash_version: 1,
      run_no: 1,
      ...set,
    },
    stored,
    [],
  ),
  BaselinePinned: baselinePinned({ ...set, run_id: run.id }),
  BaselineUnpinned: baselineUnpinned({ ...set, cause: 'request' }),
  BadgeKeyMinted: badgeKeyMinted({ ...set, key_sha256: 'k' }),
  BadgeKeysRevoked: badgeKeysRevoked(set),
  RunDeleted: runDeleted(run.id, { cause: 'request', ...deletedData }),
  SetRestricted: setRestricted(set),
  RestrictionLifted: restrictionLifted(set),
  AccessGranted: accessGranted({ ...set, level: 'view', user_id: 'u' }),
  AccessRevoked: accessRevoked({ ...set, cause: 'request', user_id: 'u' }),
  UserCreated: userCreated(
    { has_password: true, role: 'member', user_id: 'u' },
    { username: 'ada', password_hash: '', label_salt: '' },
  ),
  UserChanged: userChanged({ disabled: true, password_replaced: false, role: null, user_id: 'u' }, null),
  UserDeleted: userDeleted({ user_id: 'u' }),
  IdentityLinked: identityLinked(
    { identity_id: 'i', provider: 'oidc:p', user_id: 'u' },
    { subject: 's', salt: '0', email: null, at: 1 },
  ),
  SignedIn: signedIn('u', { session_id: 's', token_hash: '' }),
  SignedOut: signedOut({ session_id: 's', user_id: 'u' }),
  SessionsEnded: sessionsEnded({ except: null, user_id: 'u' }),
  SignInRefused: signInRefused('a', { count: 1, reason: 'wrong_password', user_id: 'u' }),
  KeyMinted: keyMinted(
    { key_id: 'k', scope: 'read', user_id: 'u' },
    { name: null, prefix: '', secret_hash: '', label_salt: '' },
  ),
  KeyRevoked: keyRevoked({ key_id: 'k', user_id: 'u' }),
  Started: started('i', { config_sha256: '', schema: 1, version: '1' }),
  ProjectionRebuilt: projectionRebuilt('i', { name: 'runs', position: 1, version: 1 }),
  CachePruned: cachePruned('i', {
    bytes: 1,
    cause: 'request',
    created_before: 1,
    created_from: null,
    empty_reasons: null,
    kind: null,
    model: null,
    pruned: 1,
    target_bytes: null,
  }),
  CacheEntryDeleted: cacheEntryDeleted('i', { key: 'k' }),
  LogKeyAdopted: logKeyAdopted({ continues: null, key_id: 'k', origin: 'o', vkey: 'v' }),
  LogKeyRetired: logKeyRetired({ key_id: 'k', origin: 'o' }),
  EventErased: eventErased(
    { cause: 'records', erasure_id: 'e', followed: null, kept: null, reference: 'r', seq: 1 },
    { type: 'Started', recorded_at: 1 },
  ),
  HoldPlaced: holdPlaced({ hold_id: 'h', project: 'p', reference: 'r', run_id: null, suite: null }),
  HoldLifted: holdLifted({ hold_id: 'h', reference: 'r' }),
  PlanRegistered: planRegistered({
    case_count: null,
    comparator: null,
    config_digest: null,
    metric: null,
    plan_bytes: null,
    plan_id: 'n',
    plan_sha256: '',
    project: 'p',
    suite: 's',
    threshold: null,
  }),
  PlanRevealed: planRevealed({ plan_bytes: 1, plan_id: 'n' }),
  PlanWithdrawn: planWithdrawn({ plan_id: 'n' }),
  WebhookCreated: webhookCreated(
    { events: ['run.ingested'], project: null, suite: null, user_id: 'u', webhook_id: 'w' },
    'sealed',
  ),
  WebhookSecretReplaced: webhookSecretReplaced({ user_id: 'u', webhook_id: 'w' }, 'sealed again'),
  WebhookDisabled: webhookDisabled({ cause: 'gone', user_id: 'u', webhook_id: 'w' }),
  WebhookDeleted: webhookDeleted({ cause: 'request', user_id: 'u', webhook_id: 'w' }),
}

const recorded = (event: NewEvent, seq = 1): Recorded => ({
  ...event,
  seq,
  version: 1,
  recorded_at: 1000 + seq,
  actor: member.actor,
  request_id: null,
})

const TABLES = [
  'runs',
  'run_tags',
  'run_configs',
  'cases',
  'matrices',
  'matrix_rows',
  'sets',
  'suite_series',
  'baselines',
  'badge_keys',
  'restrictions',
  'grants',
  'users',
  'sessions',
  'api_keys',
  'run_search',
  'search',
  'log_keys',
  'holds',
  'plans',
  'webhooks',
] as const

describe('the read models', () => {
  const counts = async (...types: ReadonlyArray<keyof typeof EVENT_BY_TYPE>): Promise<Record<string, unknown>> => {
    const { run, sql, close } = await openStorage()
    for (const [i, type] of types.entries()) await run(...project(recorded(EVENT_BY_TYPE[type], i + 1)))
    const rowCounts: Record<string, unknown> = {}
    for (const table of TABLES) [rowCounts[table]] = await sql.column(`SELECT count(*) FROM ${table}`)
    await close()
    return rowCounts
  }
  const noRows = Object.fromEntries(TABLES.map((table) => [table, 0]))
  const example = {
    ...noRows,
    runs: 1,
    run_tags: 1,
    run_configs: 1,
    cases: 5,
    matrices: 1,
    matrix_rows: 3,
    sets: 1,
    suite_series: 1,
    run_search: 1,
    search: 5,
  }

  it('show an ingested run', async () => expect(await counts('RunIngested')).toEqual(example))
  it('show nothing of a deleted run', async () => expect(await counts('RunIngested', 'RunDeleted')).toEqual(noRows))
  it('show a pin', async () =>
    expect(await counts('RunIngested', 'BaselinePinned')).toEqual({ ...example, baselines: 1 }))
  it('show one pin of a suite that was pinned repeatedly', async () =>
    expect(await counts('BaselinePinned', 'BaselinePinned')).toEqual({ ...noRows, baselines: 1 }))
  it('show no pin after it was removed', async () =>
    expect(await counts('RunIngested', 'BaselinePinned', 'BaselineUnpinned')).toEqual(example))
  it('show a restriction until it is lifted', async () => {
    expect(await counts('SetRestricted')).toEqual({ ...noRows, restrictions: 1 })
    expect(await counts('SetRestricted', 'RestrictionLifted')).toEqual(noRows)
  })
  it('show badge keys until they are revoked, or their suite is restricted', async () => {
    expect(await counts('BadgeKeyMinted')).toEqual({ ...noRows, badge_keys: 1 })
    expect(await counts('BadgeKeyMinted', 'BadgeKeysRevoked')).toEqual(noRows)
    expect(await counts('BadgeKeyMinted', 'SetRestricted')).toEqual({ ...noRows, restrictions: 1 })
  })
  it('show one grant per user and set until it is revoked', async () => {
    expect(await counts('AccessGranted', 'AccessGranted')).toEqual({ ...noRows, grants: 1 })
    expect(await counts('AccessGranted', 'AccessRevoked')).toEqual(noRows)
  })
  it('show an account with its sessions and keys until it is deleted', async () => {
    const accountRows = { ...noRows, users: 1, sessions: 1, api_keys: 1 }
    expect(await counts('UserCreated', 'SignedIn', 'KeyMinted', 'UserChanged', 'KeyRevoked', 'SignInRefused')).toEqual(
      accountRows,
    )
    expect(await counts('UserCreated', 'SignedIn', 'KeyMinted', 'SignedOut')).toEqual({ ...accountRows, sessions: 0 })
    expect(await counts('UserCreated', 'SignedIn', 'KeyMinted', 'UserDeleted')).toEqual(noRows)
  })
  it('show nothing of service events', async () =>
    expect(await counts('Started', 'ProjectionRebuilt', 'CachePruned', 'CacheEntryDeleted')).toEqual(noRows))

  it('show a signing key, a hold and a plan, also after their end', async () => {
    expect(await counts('LogKeyAdopted', 'LogKeyRetired')).toEqual({ ...noRows, log_keys: 1 })
    expect(await counts('HoldPlaced', 'HoldLifted')).toEqual({ ...noRows, holds: 1 })
    expect(await counts('PlanRegistered', 'PlanRevealed', 'PlanWithdrawn')).toEqual({ ...noRows, plans: 1 })
  })

  it('show a webhook until it is deleted, also switched off', async () => {
    expect(await counts('WebhookCreated', 'WebhookSecretReplaced', 'WebhookDisabled')).toEqual({
      ...noRows,
      webhooks: 1,
    })
    expect(await counts('WebhookCreated', 'WebhookDisabled', 'WebhookDeleted')).toEqual(noRows)
  })

  it('throw for an unknown event type', () =>
    expect(() => [...project(recorded({ stream: 's', type: 'SomethingNewer', data: {} }, 12))]).toThrow(
      'event 12 is of the unknown type SomethingNewer',
    ))

  it('throw for an ingest without its document', () => {
    const { attached: _, ...bare } = EVENT_BY_TYPE.RunIngested
    expect(() => [...project(recorded(bare))]).toThrow('has no attached document')
  })

  it('are rebuilt if an earlier version wrote different rows', () => {
    expect(outdatedProjections(projections.map(({ name }) => ({ name, version: 1 })))).toEqual([
      'runs',
      'cases',
      'matrix',
      'sets',
      'accounts',
      'search',
    ])
  })

  it('have unique names, and each has tables and event types', () => {
    expect(new Set(projections.map(({ name }) => name)).size).toBe(projections.length)
    expect(projections.every(({ tables, types }) => tables.length > 0 && types.length > 0)).toBe(true)
  })
})
