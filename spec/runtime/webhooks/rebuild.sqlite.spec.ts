import { expect, it } from 'vitest'
import * as commands from '../../../commands/index.ts'
import { rebuildTables } from '../../../maintenance/rebuild/sqlite.ts'
import { project } from '../../../projections/index.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import type { AnyCommand } from '../../../storage/command.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { admin } from '../../support/access/viewers.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { readTables } from '../../support/stores/read-tables.ts'
import { openStore } from '../../support/stores/store.ts'

it('a rebuild restores webhooks, and neither deliveries nor the place in the log change', async () => {
  const { writer, close } = openStore({ project })
  const { database } = writer.connection
  const commit = async (command: AnyCommand): Promise<void> => {
    const [outcome] = writer.commitGroup([{ command, prepared: await command.prepare(writer) }])
    expect(outcome).toMatchObject({ ok: true })
  }
  const ada = viewerOf({ kind: 'session', credential_id: 'session', user_id: 'ada' }, null)
  await commit(commands.createUser(admin, { user_id: 'ada', username: 'ada', password_hash: 'h', role: 'member' }))
  await commit(commands.signIn(SYSTEM, { user_id: 'ada', password_hash: 'h', session_id: 'session', token_hash: 't' }))
  for (const webhook_id of ['kept', 'replaced', 'gone', 'deleted'])
    await commit(
      commands.createWebhook(ada, {
        webhook_id,
        events: ['run.ingested'],
        project: 'chat',
        suite: null,
        sealed: webhook_id,
      }),
    )
  await commit(
    commands.replaceWebhookSecret(ada, { webhook_id: 'replaced', former: 'replaced', sealed: 'replaced again' }),
  )
  await commit(commands.deleteWebhook(ada, { webhook_id: 'deleted' }))
  await commit(commands.ingestRun(admin, { body: Buffer.from(JSON.stringify(aDocument())), encoding: null }))
  const to = writer.head().size
  const deliveries = ['kept', 'gone', 'deleted'].map((webhook_id) => ({
    delivery_id: `to ${webhook_id}`,
    webhook_id,
    seq: to,
    event: 'run.ingested' as const,
    facts: {},
    isParked: false,
  }))
  await commit(commands.makeDeliveries(SYSTEM, { from: 0, to, at: 1, deliveries }))
  await commit(
    commands.noteDelivery(SYSTEM, {
      delivery_id: 'to gone',
      webhook_id: 'gone',
      at: 2,
      status: 410,
      error: 'status',
      next_at: null,
    }),
  )
  const own = () =>
    ['webhook_deliveries', 'webhook_cursor', 'webhook_targets'].map((table) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all(),
    )
  const [inline, before] = [readTables(database), own()]
  // None is for the deleted webhook, though it was read before the deletion.
  expect(before[0]).toMatchObject([{ delivery_id: 'to gone', state: 'parked' }, { delivery_id: 'to kept' }])
  expect(inline['webhooks']).toHaveLength(3)
  rebuildTables(writer)
  expect([readTables(database), own()]).toEqual([inline, before])
  close()
})
