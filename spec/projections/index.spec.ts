import { describe, expect, it } from 'vitest'
import { EVENTS } from '../../commands/events.ts'
import { storedRun } from '../../commands/run/stored-run.ts'
import type { EventName } from '../../domain/proof/event-names.ts'
import { prepareRun } from '../../domain/run/prepare.ts'
import { project, projections, readTables } from '../../projections/index.ts'
import { outdatedModels } from '../../projections/models.ts'
import type { NewEvent, Recorded } from '../../storage/command.ts'
import { event } from '../../storage/log/event.ts'
import { toShadowTables } from '../../storage/sqlite/shadow-tables.ts'
import { RELEASED } from '../commands/released-shapes.ts'
import { member } from '../support/access/viewers.ts'
import { theExample } from '../support/documents/documents.ts'
import { openStorage } from '../support/stores/open-storage.ts'

const document = { ...theExample(), project: 'chat', suite: 'smoke' }
const attached = storedRun(prepareRun(Buffer.from(JSON.stringify(document))), { withVectors: false })

/** What was added to the run. */
const texts = {
  added: { title: 'Second try', note: null, tags: ['flaky', 'slow'] },
  run: {
    ...{ id: 'r', created_at: 1, project: 'chat', suite: 'smoke', git_branch: null, git_commit: null },
    ...{ note: null, tags: [], fully_cached: false },
  },
}
const ATTACHED: Readonly<Record<string, object>> = {
  RunIngested: { attached },
  RunAnnotated: { attached: texts },
  RunCommented: { attached: { case_key: null, text: 'Look at this.' } },
}
const attachedTo = (type: string) => ATTACHED[type] ?? {}

const bareEvent = (type: EventName): NewEvent => event('run/r', type, RELEASED[type][0])

const recorded = (event: NewEvent, seq = 1): Recorded => ({
  ...event,
  seq,
  version: 1,
  recorded_at: 1000 + seq,
  actor: member.actor,
  request_id: null,
})

describe('the read models', () => {
  const counts = async (...types: readonly EventName[]): Promise<Record<string, unknown>> => {
    const { run, sql, close } = await openStorage()
    for (const [i, type] of types.entries())
      await run(...project(recorded({ ...bareEvent(type), ...attachedTo(type) }, i + 1)))
    const rowCounts: Record<string, unknown> = {}
    for (const table of readTables) [rowCounts[table]] = await sql.column(`SELECT count(*) FROM ${table}`)
    await close()
    return rowCounts
  }
  const noRows = Object.fromEntries(readTables.map((table) => [table, 0]))
  const example = {
    ...noRows,
    runs: 1,
    run_tags: 1,
    run_configs: 1,
    run_providers: 2,
    set_providers: 2,
    cases: 5,
    matrices: 1,
    matrix_rows: 3,
    run_outlines: 1,
    run_judges: 1,
    judged_cases: 1,
    sets: 1,
    suite_series: 1,
    run_search: 1,
    search: 5,
  }

  it('show an ingested run', async () => expect(await counts('RunIngested')).toEqual(example))
  it('show nothing of a deleted run', async () => expect(await counts('RunIngested', 'RunDeleted')).toEqual(noRows))
  it('show what was added to a run until it is deleted', async () => {
    expect(await counts('RunIngested', 'RunAnnotated')).toEqual({
      ...example,
      run_annotations: 1,
      run_annotated: 1,
      run_added_tags: 2,
      run_search: 2,
    })
    expect(await counts('RunIngested', 'RunAnnotated', 'RunDeleted')).toEqual(noRows)
  })
  it('show a comment until it or its run is deleted', async () => {
    expect(await counts('RunIngested', 'RunCommented')).toEqual({ ...example, run_comments: 1 })
    expect(await counts('RunIngested', 'RunCommented', 'CommentDeleted')).toEqual(example)
    expect(await counts('RunIngested', 'RunCommented', 'RunDeleted')).toEqual(noRows)
  })
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
  it('show a link until it is used, revoked or replaced, or its account or its maker is gone', async () => {
    expect(await counts('InviteMade')).toEqual({ ...noRows, account_links: 1 })
    expect(await counts('InviteMade', 'LinkUsed')).toEqual(noRows)
    expect(await counts('ResetLinkMade', 'LinkRevoked')).toEqual(noRows)
    // Of a maker without an account, as an erased one is.
    expect(await counts('ResetLinkMade')).toEqual(noRows)
    expect(await counts('InviteMade', 'UserDeleted')).toEqual(noRows)
    expect(await counts('ResetLinkMade', 'UserDeleted')).toEqual(noRows)
  })
  it('show nothing of service events', async () =>
    expect(await counts('Started', 'ProjectionRebuilt', 'CachePruned', 'CacheEntryDeleted')).toEqual(noRows))

  it('show which code is a judge, once', async () =>
    expect(await counts('JudgeDeclared', 'JudgeDeclared')).toEqual({ ...noRows, declared_judges: 1 }))
  it('show a signing key, a hold and a plan, also after their end', async () => {
    expect(await counts('LogKeyAdopted', 'LogKeyRetired')).toEqual({ ...noRows, log_keys: 1 })
    expect(await counts('HoldPlaced', 'HoldLifted')).toEqual({ ...noRows, holds: 1 })
    expect(await counts('SuiteSettingChanged', 'SuiteSettingChanged')).toEqual({ ...noRows, suite_settings: 1 })
    expect(await counts('PlanRegistered', 'PlanRevealed', 'PlanWithdrawn')).toEqual({ ...noRows, plans: 1 })
    expect(await counts('RubricVersioned', 'RubricRetired')).toEqual({ ...noRows, rubrics: 1 })
  })

  it('show queues with their people and labels, also closed', async () => {
    const opened = ['ReviewQueueOpened', 'ReviewersChanged'] as const
    const queue = { ...noRows, review_queues: 1, review_items: 3, review_people: 2 }
    expect(await counts(...opened, 'ReviewQueueClosed')).toEqual(queue)
    expect(
      await counts(...opened, 'LabelGiven', 'LabelWithdrawn', 'ItemDeclined', 'ItemAdjudicated', 'ReviewQueueClosed'),
    ).toEqual({ ...queue, labels: 2, review_declines: 1 })
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

  it('throw for an ingest without its document', () =>
    expect(() => [...project(recorded(bareEvent('RunIngested')))]).toThrow('has no attached document'))

  it('take every released shape of an event', async () => {
    const { run, sql, close } = await openStorage()
    let seq = 0
    const apply = (type: string, data: unknown) =>
      run(...project(recorded({ type, data, stream: 's', ...(type === 'RunIngested' ? { attached } : {}) }, ++seq)))
    for (const [type, shapes] of Object.entries(RELEASED))
      for (const data of shapes) {
        // The account of the event exists before it.
        if (type !== 'UserCreated') await apply('UserCreated', RELEASED.UserCreated[0])
        await apply(type, data)
        expect({ type, users: await sql.column('SELECT count(*) FROM users') }).toEqual({
          type,
          users: [type === 'UserDeleted' ? 0 : 1],
        })
        await apply('UserDeleted', RELEASED.UserDeleted[0])
        if (type === 'RunIngested') await apply('RunDeleted', RELEASED.RunDeleted[0])
      }
    await close()
  })

  it('are built next to the served tables by the statements of every event: each table in them can be renamed', () => {
    const redirect = toShadowTables(readTables)
    for (const [type, shapes] of Object.entries(RELEASED))
      for (const data of shapes) {
        const statements = [...project(recorded({ type, data, stream: 's', ...attachedTo(type) }))]
        expect({ type, redirected: statements.map(redirect).length }).toEqual({ type, redirected: statements.length })
      }
  })

  it('are rebuilt if an earlier version wrote different rows', () => {
    const outdated = outdatedModels(projections.map(({ name }) => ({ name, version: 1 })))
    expect(outdated.map(({ name }) => name)).toEqual([
      'runs',
      'cases',
      'matrix',
      'sets',
      'outlines',
      'judges',
      'comments',
      'accounts',
      'suiteSettings',
      'search',
    ])
  })

  it('have tables, unique names, and every name that a type of event has', () => {
    const names = projections.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const taken = Object.values(EVENTS).flatMap(({ projections }) => (projections === 'none' ? [] : [...projections]))
    expect([...new Set<string>(taken)].toSorted()).toEqual(names.toSorted())
    expect(projections.every(({ tables }) => tables.length > 0)).toBe(true)
  })
})
