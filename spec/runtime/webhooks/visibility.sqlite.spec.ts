import { describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { messageOf } from '../../support/webhooks/receiver.ts'
import { sendingAppOpener, type SendingApp } from '../../support/webhooks/sending-app.ts'

const open = sendingAppOpener()
const OPEN = { project: 'open', suite: 's' }
const SECRET = { project: 'secret', suite: 's' }
const events = ['run.ingested', 'baseline.pinned', 'run.deleted']

const sentTo = ({ receiver }: Pick<SendingApp, 'receiver'>): unknown[] =>
  receiver.received.map((one) => [one.path, messageOf(one).data['run_id']]).toSorted()

describe('what a webhook sends', () => {
  it('is what its owner may see: all, by a grant, or only open suites', async () => {
    const app = await open()
    const { spec, create, root, person, receiver, send } = app
    const [bea, cyd] = [await person('bea', 'member'), await person('cyd', 'member')]
    await spec.restrict('secret')
    await spec.grant(bea.id, 'view', 'secret', 's')
    await create({ events, url: `${receiver.url}/root` }, root)
    await create({ events, url: `${receiver.url}/bea` }, bea)
    await create({ events, url: `${receiver.url}/cyd` }, cyd)
    // Asking for a hidden suite by its name shows nothing either.
    await create({ events, url: `${receiver.url}/cyd-named`, ...SECRET }, cyd)
    await spec.ingest(aDocument({ run_id: 'seen', ...OPEN }))
    await spec.ingest(aDocument({ run_id: 'hidden', ...SECRET }), { caller: 'admin' })
    await spec.ingest(aDocument({ run_id: 'other', project: 'secret', suite: 'other' }), { caller: 'admin' })
    await send()
    expect(sentTo(app)).toEqual([
      ['/bea', 'hidden'],
      ['/bea', 'seen'],
      ['/cyd', 'seen'],
      ['/root', 'hidden'],
      ['/root', 'other'],
      ['/root', 'seen'],
    ])
  })

  it('is checked when it is sent: access that was lost meanwhile counts, and leaves no trace', async () => {
    const app = await open()
    const { spec, create, person, receiver, send, wait, ask, counts } = app
    const bea = await person('bea', 'member')
    const { id } = await create({ events }, bea)
    receiver.status(500)
    await spec.ingest(aDocument({ run_id: 'r', ...SECRET }))
    await send()
    await spec.restrict('secret')
    wait(60_000)
    await send()
    expect(receiver.received).toHaveLength(1)
    expect(counts()).toEqual({ delivered: 0, failed: 1, dropped: 1 })
    const shown = await ask('GET', `/webhooks/${id}/deliveries`, { token: bea.token })
    expect(shown.body).toBe('{"deliveries":[],"next_cursor":null}')
  })

  it('is nothing for a disabled account, or one that is deleted, whose webhooks are deleted too', async () => {
    const app = await open()
    const { spec, create, person, receiver, send, wait, change, ask, root } = app
    const [bea, cyd] = [await person('bea', 'member'), await person('cyd', 'admin')]
    await create({ events, url: `${receiver.url}/bea` }, bea)
    await create({ events, url: `${receiver.url}/cyd` }, cyd)
    receiver.status(500)
    await spec.ingest(aDocument({ run_id: 'r1', ...OPEN }))
    await send()
    expect(receiver.received).toHaveLength(2)
    await change(bea.id, { disabled: true })
    expect((await ask('DELETE', `/users/${cyd.id}`, { token: root.token })).statusCode).toBe(204)
    await spec.ingest(aDocument({ run_id: 'r2', ...OPEN }))
    wait(3_600_000)
    await send()
    expect(receiver.received).toHaveLength(2)
    expect(await spec.column('SELECT count(*) FROM webhook_deliveries')).toEqual([0])
    expect(await spec.column('SELECT count(*) FROM webhook_targets')).toEqual([1])
    // Of an account that is enabled again, what happened meanwhile is not sent.
    await change(bea.id, { disabled: false })
    await send()
    await spec.ingest(aDocument({ run_id: 'r3', ...OPEN }))
    await send()
    expect(receiver.received.slice(2).map((one) => [one.path, messageOf(one).data['run_id']])).toEqual([['/bea', 'r3']])
  })

  it('is nothing of an erased run, and deliveries name no run, suite or URL', async () => {
    const app = await open()
    const { spec, create, receiver, send, wait, ask, root } = app
    await create({ events, url: `${receiver.url}/path-canary` })
    receiver.status(500)
    await spec.ingest(aDocument({ run_id: 'run-canary', project: 'project-canary', suite: 'suite-canary' }))
    await send()
    for (const table of ['webhook_deliveries', 'webhook_targets', 'webhooks', 'webhook_cursor'])
      expect(JSON.stringify(await spec.rows(`SELECT * FROM ${table}`)), table).not.toContain('canary')
    const erased = await ask('POST', '/erasures', {
      token: root.token,
      body: { run_id: 'run-canary', reference: 'case-1' },
    })
    expect(erased.statusCode, erased.body).toBe(200)
    expect(await spec.column('SELECT count(*) FROM webhook_deliveries')).toEqual([0])
    wait(3_600_000)
    await send()
    expect(receiver.received).toHaveLength(1)
  })
})

describe('an account that is erased', () => {
  it('leaves no record of its webhooks, also of those that the service or an admin ended', async () => {
    const { spec, create, person, receiver, send, ask, root } = await open()
    const bea = await person('bea', 'member')
    await create({ events }, bea)
    const { id } = await create({ events: ['baseline.pinned'] }, bea)
    receiver.status(410)
    await spec.ingest(aDocument({ run_id: 'r', ...OPEN }))
    await send()
    expect((await ask('DELETE', `/webhooks/${id}`, { token: root.token })).statusCode).toBe(204)
    await ask('DELETE', `/users/${bea.id}`, { token: root.token })
    const stored = () => spec.column("SELECT count(*) FROM event_bodies WHERE stream LIKE 'webhook/%'")
    expect(await stored()).toEqual([5])
    const body = { user_id: bea.id, reference: 'case-1' }
    expect((await ask('POST', '/erasures', { token: root.token, body })).statusCode).toBe(200)
    expect(await stored()).toEqual([0])
  })
})

describe('a sender that is stopped', () => {
  it('is resumed by the next one: a request that was cut off is sent again, under its id', async () => {
    const app = await open()
    const { spec, create, receiver, tick, send } = app
    await create({ events })
    receiver.answer(() => {})
    for (const n of [1, 2]) await spec.ingest(aDocument({ run_id: `r${n}`, ...OPEN }))
    await tick()
    await expect.poll(() => receiver.received.length).toBe(1)
    receiver.status(204)
    await app.restart()
    await send()
    expect(receiver.received.map((one) => messageOf(one).data['run_id'])).toEqual(['r1', 'r1', 'r2'])
    const [first, again] = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(first).toBe(again)
    expect(await spec.column('SELECT tries FROM webhook_deliveries ORDER BY delivery_id')).toEqual([1, 1])
  })
})

it('a lease lets one replica send, until its lease ends or it stops', async () => {
  const app = await open({ isShared: true })
  const { spec, create, receiver, tick, send, wait } = app
  await create({ events })
  await spec.service.commit.takeWebhookLease(SYSTEM, {
    holder: 'another',
    at: app.now(),
    until: app.now() + 30_000,
  })
  await spec.ingest(aDocument({ run_id: 'r1', ...OPEN }))
  await tick()
  wait(29_999)
  await tick()
  expect(receiver.received).toHaveLength(0)
  wait(1)
  await send()
  expect(receiver.received).toHaveLength(1)
  expect(await spec.column('SELECT count(*) FROM webhook_lease')).toEqual([1])
  await app.restart()
  expect(await spec.column('SELECT count(*) FROM webhook_lease')).toEqual([0])
})
