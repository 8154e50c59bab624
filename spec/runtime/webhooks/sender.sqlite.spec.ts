import { describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { holdPosts } from '../../support/webhooks/hold-posts.ts'
import { messageOf } from '../../support/webhooks/receiver.ts'
import { sendingAppOpener } from '../../support/webhooks/sending-app.ts'

const open = sendingAppOpener()
const SET = { project: 'chat', suite: 'smoke' }
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

describe('a webhook', () => {
  it('sends what it asked for, signed as Standard Webhooks say, with names and numbers and no outputs', async () => {
    const { spec, create, receiver, send, ask, ada, root } = await open()
    const events = ['run.ingested', 'baseline.pinned', 'baseline.unpinned', 'run.deleted']
    const { secret } = await create({ events })
    const cases = [aCase({ output: 'a secret output' }), aCase({ status: 'fail', cell: { test_id: 'b' } })]
    await spec.ingest(aDocument({ run_id: 'r/1', ...SET, cases }))
    const baseline = '/projects/chat/suites/smoke/baseline'
    await ask('PUT', baseline, { token: ada.token, body: { run_id: 'r/1' } })
    await ask('DELETE', baseline, { token: ada.token })
    await ask('DELETE', '/runs/r%2F1', { token: root.token })
    await send()

    const url = 'https://results.example/runs/r%2F1'
    const counts = { cases: 2, passed: 1, failed: 1, errors: 0 }
    expect(receiver.received.map((one) => messageOf(one)).map(({ type, data }) => [type, data])).toEqual([
      ['run.ingested', { run_id: 'r/1', ...SET, counts: null, url }],
      ['baseline.pinned', { run_id: 'r/1', ...SET, url }],
      ['baseline.unpinned', { ...SET, cause: 'request', url: 'https://results.example/projects/chat/suites/smoke' }],
      [
        'run.deleted',
        { run_id: 'r/1', ...SET, cause: 'request', url: 'https://results.example/projects/chat/suites/smoke' },
      ],
    ])
    await spec.ingest(aDocument({ run_id: 'r2', ...SET, cases }))
    await send()
    const last = receiver.received.at(-1)!
    expect(messageOf(last).data).toMatchObject({ run_id: 'r2', counts })
    for (const one of receiver.received) {
      receiver.verify(one, secret)
      expect(one.headers['webhook-id']).toMatch(/^msg_[0-9A-Z]{26}$/)
      expect(one.headers['content-type']).toBe('application/json')
      expect(one.body).not.toContain('secret output')
      expect(() => receiver.verify({ ...one, body: `${one.body} ` }, secret)).toThrow('signature')
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5)
  })

  it('sends nothing from before its creation, of other suites, or that it did not ask for', async () => {
    const { spec, create, receiver, send } = await open()
    await spec.ingest(aDocument({ run_id: 'before', ...SET }))
    await create({ events: ['run.ingested'], ...SET })
    await create({ events: ['run.ingested'], project: 'chat', url: `${receiver.url}/project` })
    await create({ events: ['run.deleted'], url: `${receiver.url}/deleted` })
    await spec.ingest(aDocument({ run_id: 'of the suite', ...SET }))
    await spec.ingest(aDocument({ run_id: 'of another', project: 'chat', suite: 'other' }))
    await spec.ingest(aDocument({ run_id: 'of no project', project: null, suite: null }))
    await send()
    expect(receiver.received.map((one) => [one.path, messageOf(one).data['run_id']]).toSorted()).toEqual([
      ['/', 'of the suite'],
      ['/project', 'of another'],
      ['/project', 'of the suite'],
    ])
  })

  it('sends a test once, also after a failure, and shows how it went', async () => {
    const { create, receiver, send, ask, ada, wait } = await open()
    const { id } = await create({ events: ['run.ingested'] })
    receiver.status(500)
    const test = () => ask('POST', `/webhooks/${id}/test`, { token: ada.token })
    expect((await test()).statusCode).toBe(202)
    const again = await test()
    expect([again.statusCode, again.body]).toEqual([409, '{"error":"a test of this webhook is waiting to be sent"}'])
    await send()
    wait(24 * HOUR_MS)
    await send()
    expect(receiver.received.map((one) => messageOf(one))).toMatchObject([
      { type: 'webhook.test', data: { webhook_id: id, url: 'https://results.example' } },
    ])
    const deliveries = await ask('GET', `/webhooks/${id}/deliveries`, { token: ada.token })
    expect(deliveries.json()).toMatchObject({
      deliveries: [{ event: 'webhook.test', state: 'parked', tries: 1, last_status: 500, last_error: 'status' }],
      next_cursor: null,
    })
  })
})

describe('a delivery', () => {
  it('is tried eight times, later each time, under one id, and then parked', async () => {
    const { spec, create, receiver, send, ask, ada, wait, states, lines } = await open()
    const { id, secret } = await create({ events: ['run.ingested'] })
    receiver.status(503)
    await spec.ingest(aDocument(SET))
    await send()
    const waits = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS]
    for (const [i, ms] of waits.entries()) {
      wait(ms - 1)
      await send()
      expect(receiver.received).toHaveLength(i + 1)
      wait(1)
      await send()
      expect(receiver.received).toHaveLength(i + 2)
    }
    wait(100 * HOUR_MS)
    await send()
    expect(receiver.received).toHaveLength(8)
    expect(await states()).toEqual(['parked'])
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect([ids.size, new Set(times).size, new Set(receiver.received.map(({ body }) => body)).size]).toEqual([1, 8, 1])
    receiver.verify({ ...receiver.received[0]! }, secret)
    expect(lines()).toMatchObject([{ level: 40, tries: 8, status: 503, receiver: receiver.url }])
    const shown = await ask('GET', `/webhooks/${id}/deliveries`, { token: ada.token })
    expect(shown.json()).toMatchObject({ deliveries: [{ state: 'parked', tries: 8, next_try_at: null }] })
  })

  it('is done after any 2xx, and not by a redirect, which is not followed', async () => {
    const { spec, create, receiver, send, wait, states } = await open()
    await create({ events: ['run.ingested'] })
    receiver.answer((n, response) =>
      response.writeHead([301, 307, 202][n] ?? 500, { location: `${receiver.url}/elsewhere` }).end(),
    )
    await spec.ingest(aDocument(SET))
    for (const ms of [0, 5 * SECOND_MS, 5 * MINUTE_MS]) {
      wait(ms)
      await send()
    }
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/', '/'])
    expect(await states()).toEqual(['delivered'])
  })

  it('fails if the receiver answers too late, and does not wait for the body of an answer', async () => {
    const late = new AbortController()
    const { spec, create, receiver, send, states, wait } = await open({
      deadline: () => (late.signal.aborted ? new AbortController().signal : late.signal),
    })
    await create({ events: ['run.ingested'] })
    // The first request gets no answer; the second one a body that never ends.
    receiver.answer((n, response) => {
      if (n === 0) return late.abort()
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
      response.once('close', () => clearInterval(timer))
    })
    await spec.ingest(aDocument(SET))
    await send()
    expect(await states()).toEqual(['waiting'])
    expect(await spec.rows('SELECT last_status, last_error FROM webhook_deliveries')).toEqual([
      { last_status: null, last_error: 'timeout' },
    ])
    wait(5 * SECOND_MS)
    await send()
    expect(await states()).toEqual(['delivered'])
  })

  it('switches its webhook off after a 410, which is an event, and parks what waits', async () => {
    const { spec, create, receiver, send, ask, ada, states } = await open()
    const { id } = await create({ events: ['run.ingested'] })
    for (const n of [1, 2, 3]) await spec.ingest(aDocument({ run_id: `r${n}`, ...SET }))
    receiver.status(410)
    await send()
    await spec.ingest(aDocument({ run_id: 'later', ...SET }))
    await send()
    expect(receiver.received).toHaveLength(1)
    expect(await states()).toEqual(['parked', 'parked', 'parked'])
    const { webhooks } = (await ask('GET', '/webhooks', { token: ada.token })).json<{ webhooks: object[] }>()
    expect(webhooks).toMatchObject([{ id, disabled_at: expect.any(String) as string, disabled_cause: 'gone' }])
    expect(await spec.column("SELECT count(*) FROM events WHERE type = 'WebhookDisabled'")).toEqual([1])
    const test = await ask('POST', `/webhooks/${id}/test`, { token: ada.token })
    expect([test.statusCode, test.body]).toEqual([
      409,
      '{"error":"this webhook is switched off: delete it and create another"}',
    ])
  })

  it('fails alone if its target cannot be decrypted: others are sent, and its owner sees why', async () => {
    const { spec, create, receiver, send, ask, ada } = await open()
    const { id } = await create({ events: ['run.ingested'] })
    await create({ events: ['run.ingested'], url: `${receiver.url}/other` })
    await spec.execute(`UPDATE webhook_targets SET sealed = 'damaged' WHERE webhook_id = '${id}'`)
    await spec.ingest(aDocument({ run_id: 'r1', ...SET }))
    await send()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/other'])
    const asAda = async (method: 'GET' | 'POST', path: string) => ask(method, path, { token: ada.token })
    expect((await asAda('GET', `/webhooks/${id}/deliveries`)).json()).toMatchObject({
      deliveries: [{ state: 'waiting', tries: 1, last_status: null, last_error: 'target_unreadable' }],
    })
    expect((await asAda('GET', '/webhooks')).json()).toMatchObject({
      webhooks: [{ id, url: null, former_secret_until: null }, { url: `${receiver.url}/other` }],
    })
    const replaced = await asAda('POST', `/webhooks/${id}/secret`)
    expect([replaced.statusCode, replaced.json()]).toEqual([
      409,
      { error: 'the webhook cannot be decrypted: delete it and create a new one' },
    ])
  })

  it('is sent alone to its target, and with at most seven others', async () => {
    const { spec, create, receiver, tick, states } = await open()
    const held: Array<() => void> = []
    receiver.answer((_n, response) => void held.push(() => response.writeHead(204).end()))
    await create({ events: ['run.ingested'] })
    await create({ events: ['run.ingested'], url: `${receiver.url}/the-same-target` })
    await spec.ingest(aDocument(SET))
    await tick()
    await expect.poll(() => held.length).toBe(1)
    await tick()
    expect(receiver.received).toHaveLength(1)
    held.shift()?.()
    await expect.poll(() => held.length).toBe(1)
    held.shift()?.()
    await expect.poll(states).toEqual(['delivered', 'delivered'])
    expect(receiver.mostOpen()).toBe(1)
  })

  it('is sent before older ones of an account with more under way', async () => {
    const { post, held } = holdPosts()
    const { spec, create, person, tick } = await open({ post })
    for (let n = 0; n < 10; n++) await create({ events: ['run.ingested'], url: `https://slow-${n}.example/` })
    const bea = await person('bea', 'member')
    for (let n = 0; n < 2; n++) await create({ events: ['run.ingested'], url: `https://bea-${n}.example/` }, bea)
    await spec.ingest(aDocument(SET))
    await tick()
    await expect.poll(() => held.length).toBe(8)
    await spec.ingest(aDocument({ run_id: 'second', ...SET }))
    await tick()
    // The place that is free goes to the account with fewer requests, whichever were first.
    const first = held.find(({ host }) => host.startsWith('bea')) ?? held[0]
    first?.answer()
    await expect.poll(() => held.length).toBe(9)
    expect(held.at(-1)?.host).toMatch(/^bea-/)
    for (let n = 0; n < held.length; n++) {
      held[n]?.answer()
      await expect.poll(() => held.length).toBeGreaterThanOrEqual(Math.min(24, n + 2))
    }
  })

  it('is not sent while eight others are', async () => {
    const { post, held } = holdPosts()
    const { spec, create, tick, states } = await open({ post })
    for (let n = 0; n < 12; n++) await create({ events: ['run.ingested'], url: `https://receiver-${n}.example/` })
    await spec.ingest(aDocument(SET))
    await tick()
    await expect.poll(() => held.length).toBe(8)
    await tick()
    expect(held).toHaveLength(8)
    for (let n = 0; n < 12; n++) {
      await expect.poll(() => held.length).toBeGreaterThan(n)
      held[n]?.answer()
    }
    await expect.poll(async () => new Set(await states())).toEqual(new Set(['delivered']))
    expect(held).toHaveLength(12)
  })
})
