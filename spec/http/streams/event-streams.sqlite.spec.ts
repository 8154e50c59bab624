import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { hashOfToken, newApiKey, newSessionToken, shownPrefixOf } from '../../../http/identity/secrets.ts'
import { STREAM_LIMITS } from '../../../http/streams/event-streams.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openEvents, type EventClient } from '../../support/http/event-stream.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'

const KEY = Buffer.alloc(32, 5)
const START = Date.UTC(2026, 4, 5)
let time = START
let runs = 0
const clients: EventClient[] = []

const open = async (token: string | null, options: Parameters<typeof openEvents>[1] = {}): Promise<EventClient> => {
  const client = await openEvents(url, { token, ...options })
  clients.push(client)
  return client
}
/** Uploads a run of a set, and returns its id. */
const upload = async (project: string, suite = 'smoke'): Promise<string> => {
  const run_id = `run-${runs++}`
  expect((await spec.ingest(aDocument({ run_id, project, suite }), { caller: 'admin' })).statusCode).toBe(201)
  return run_id
}
const idsOf = (changed: Awaited<ReturnType<EventClient['nextChanged']>>): string[] =>
  (changed?.runs ?? []).map(({ id }) => id)

const spec = await openApp({ now: () => time++, secretKey: KEY })
await spec.app.listen({ port: 0, host: '127.0.0.1' })
const url = `http://127.0.0.1:${(spec.app.server.address() as AddressInfo).port}`
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})
afterAll(() => spec.close())

describe('a stream of events', () => {
  it('reports runs and baselines once, with headers that no proxy changes', async () => {
    const client = await open(TOKENS.read, { headers: { 'accept-encoding': 'gzip, br' } })
    expect(client.status).toBe(200)
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    expect(client.headers).not.toHaveProperty('content-encoding')
    const id = await upload('open')
    expect(await client.nextChanged()).toEqual({
      runs: [{ id, project: 'open', suite: 'smoke' }],
      baselines: [],
      reviews: [],
      sets: [{ project: 'open', suite: 'smoke' }],
    })
    expect(client.text()).toMatch(/^retry: 3000\nid: [\w-]+\n\n/)
    await spec.service.commit.pinBaseline(SYSTEM, { project: 'open', suite: 'smoke', run_id: id })
    expect(await client.nextChanged()).toEqual({
      runs: [],
      baselines: [{ project: 'open', suite: 'smoke' }],
      reviews: [],
      sets: [{ project: 'open', suite: 'smoke' }],
    })
    await spec.service.commit.deleteRun(SYSTEM, { run_id: id })
    expect(await client.nextChanged()).toMatchObject({ runs: [{ id }], baselines: [{ suite: 'smoke' }] })
  })

  it('reports only changes of the project and suite that it names', async () => {
    const client = await open(TOKENS.read, { query: '?project=one&suite=wanted' })
    await upload('two', 'wanted')
    await upload('one', 'other')
    const wanted = await upload('one', 'wanted')
    expect(idsOf(await client.nextChanged())).toEqual([wanted])
  })

  it('joins what happens within a quarter of a second', async () => {
    const client = await open(TOKENS.read)
    const uploaded = await Promise.all(Array.from({ length: 20 }, () => upload('burst')))
    const seen: string[] = []
    let messages = 0
    while (seen.length < uploaded.length) {
      seen.push(...idsOf(await client.nextChanged()))
      messages++
    }
    expect(seen.sort()).toEqual(uploaded.sort())
    expect(messages).toBeLessThan(uploaded.length)
  })

  it('shows each viewer what the viewer may see at that moment, and sends news of access', async () => {
    const [granted, onlooker] = [await spec.addUser('granted'), await spec.addUser('onlooker')]
    await spec.restrict('secret')
    const streams = {
      admin: await open(TOKENS.admin),
      read: await open(TOKENS.read),
      granted: await open(granted.token),
      onlooker: await open(onlooker.token),
    }
    const hidden = await upload('secret')
    const shown = await upload('open')
    expect(idsOf(await streams.onlooker.nextChanged())).toEqual([shown])
    expect(idsOf(await streams.granted.nextChanged())).toEqual([shown])
    expect(idsOf(await streams.read.nextChanged())).toEqual([shown])
    const all = idsOf(await streams.admin.nextChanged())
    expect([...all, ...(all.length < 2 ? idsOf(await streams.admin.nextChanged()) : [])]).toEqual([hidden, shown])

    await spec.grant('granted', 'view', 'secret')
    expect(await streams.granted.next()).toMatchObject({ event: 'access' })
    const later = await upload('secret')
    expect(idsOf(await streams.granted.nextChanged())).toEqual([later])

    await spec.revoke('granted', 'secret')
    expect(await streams.granted.next()).toMatchObject({ event: 'access' })
    await upload('secret')
    // A restriction inside of the hidden project is no news for those who cannot see the project.
    await spec.restrict('secret', 'inner')
    const last = await upload('open')
    expect(await streams.onlooker.next()).toMatchObject({ event: 'changed', data: { runs: [{ id: last }] } })
    expect(idsOf(await streams.granted.nextChanged())).toEqual([last])
    expect(streams.onlooker.text()).not.toContain('secret')
    expect(streams.read.text()).not.toContain('secret')

    await spec.restrict('open')
    expect(await streams.onlooker.next()).toMatchObject({ event: 'access' })
    await spec.lift('open')
    expect(await streams.onlooker.next()).toMatchObject({ event: 'access' })
  })

  it('resumes after the last message, with what the viewer may see now', async () => {
    const first = await open(TOKENS.read)
    const seen = await upload('open')
    expect(idsOf(await first.nextChanged())).toEqual([seen])
    const id = first.lastId() ?? ''
    first.close()
    await spec.restrict('later')
    await upload('later')
    const missed = await upload('open')
    const byHeader = await open(TOKENS.read, { lastEventId: id })
    expect(await byHeader.next()).toMatchObject({ event: 'access' })
    expect(idsOf(await byHeader.nextChanged())).toEqual([missed])
    const byQuery = await open(TOKENS.read, { query: `?after=${id}` })
    expect(idsOf(await byQuery.nextChanged())).toEqual([missed])
    // The header is of a later time than the address.
    const again = await open(TOKENS.read, { lastEventId: byHeader.lastId(), query: `?after=${id}` })
    const fresh = await upload('open')
    expect(idsOf(await again.nextChanged())).toEqual([fresh])
  })

  it('resumes with the same bytes whether or not something hidden happened', async () => {
    const onlooker = await spec.addUser('resuming')
    await spec.restrict('unseen')
    await spec.restrict('unseen', 'inner')
    const first = await open(onlooker.token)
    const shown = await upload('open')
    expect(idsOf(await first.nextChanged())).toEqual([shown])
    const query = `?after=${first.lastId()}`
    /** The first lines of a stream that resumes, without what is random in them. */
    const firstLines = async (): Promise<string> => {
      const client = await open(onlooker.token, { query })
      while (!client.text().includes('\n\n')) await new Promise((resolve) => setImmediate(resolve))
      client.close()
      return client.text().replace(/id: [\w-]+/, 'id: sealed')
    }
    expect(await firstLines()).toBe('retry: 3000\nid: sealed\n\n')
    const hidden = await upload('unseen')
    await spec.service.commit.pinBaseline(SYSTEM, { project: 'unseen', suite: 'smoke', run_id: hidden })
    await spec.lift('unseen', 'inner')
    expect(await firstLines()).toBe('retry: 3000\nid: sealed\n\n')
    await spec.service.commit.deleteRun(SYSTEM, { run_id: shown })
    const client = await open(onlooker.token, { query })
    expect(idsOf(await client.nextChanged())).toEqual([shown])
    expect(client.text()).toMatch(/^retry: 3000\n\nevent: changed\n/)
  })

  it.each(['', 'x', 'A'.repeat(70), '%00', '1'])('starts again after the unreadable id %j', async (id) => {
    const client = await open(TOKENS.read, { query: `?after=${id}` })
    if (id !== '') expect(await client.next()).toMatchObject({ event: 'reset', data: {} })
    const run = await upload('open')
    expect(idsOf(await client.nextChanged())).toEqual([run])
  })

  it('ends when its credential is revoked, its account disabled, or its session over', async () => {
    const key = newApiKey()
    const { viewer, send, token } = await spec.addUser('leaving')
    await spec.service.commit.mintKey(viewer, {
      at: 0,
      key_id: 'leaving key',
      name: null,
      scope: null,
      prefix: shownPrefixOf(key),
      secret_hash: hashOfToken(key),
    })
    const revoked = await open(key)
    await spec.service.commit.revokeKey(viewer, { key_id: 'leaving key' })
    await revoked.ended
    const signedOut = await open(token)
    expect((await send('POST', '/auth/logout')).statusCode).toBe(200)
    await signedOut.ended
    const disabled = await open((await spec.addUser('disabled')).token)
    const demoted = await open((await spec.addUser('demoted', 'admin')).token)
    await spec.addUser('root', 'admin')
    const change = { role: null, disabled: null, password_hash: null }
    await spec.service.commit.changeUser(SYSTEM, { ...change, user_id: 'disabled', disabled: true })
    await disabled.ended
    await spec.service.commit.changeUser(SYSTEM, { ...change, user_id: 'demoted', role: 'viewer' })
    expect(await demoted.next()).toMatchObject({ event: 'access' })
    const expiring = newSessionToken()
    await spec.service.commit.signIn(SYSTEM, {
      user_id: 'demoted',
      password_hash: '',
      session_id: 'expiring',
      token_hash: hashOfToken(expiring),
      at: time,
    })
    const overdue = await open(expiring)
    expect(overdue.status).toBe(200)
    time += 31 * 24 * 60 * 60 * 1000
    await overdue.ended
    await demoted.ended
  })

  it('refuses more streams of one identity than the limit, until one of them ends', async () => {
    const { token } = await spec.addUser('many')
    const opened = []
    for (let n = 0; n < STREAM_LIMITS.identity; n++) opened.push(await open(token))
    expect(opened.every(({ status }) => status === 200)).toBe(true)
    const refused = await open(token)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30'])
    opened[0]?.close()
    // The server notices the end of the connection a moment later.
    await expect.poll(async () => (await open(token)).status).toBe(200)
    expect((await open(TOKENS.read)).status).toBe(200)
  })

  it('cuts a client off that is too far behind', async () => {
    const openStreams = async (): Promise<string | undefined> =>
      /^service_event_streams (\d+)$/m.exec((await spec.sendAs('admin')('GET', '/metrics')).body)?.[1]
    await expect.poll(openStreams).toBe('0')
    const client = await open(TOKENS.admin)
    client.pause()
    const { changes } = spec.service
    const at = changes.position()
    // Larger than what the operating system takes for a client that does not read.
    const suite = 's'.repeat(16 * 1024 * 1024)
    changes.publish({ from: at, to: at, changes: [{ seq: at, kind: 'run', id: 'large', project: 'p', suite }] })
    expect(await openStreams()).toBe('1')
    await expect.poll(openStreams).toBe('0')
  })

  it('serves a hundred streams while runs are uploaded', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => (await spec.addUser(`crowd-${n}`)).token),
    )
    const streams = await Promise.all(Array.from({ length: 100 }, (_, n) => open(tokens[n % tokens.length] ?? null)))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    const uploaded: string[] = []
    for (let n = 0; n < 40; n++) uploaded.push(await upload('import'))
    for (const stream of streams) {
      const seen: string[] = []
      while (seen.length < uploaded.length) seen.push(...idsOf(await stream.nextChanged()))
      expect(seen).toEqual(uploaded)
    }
  })

  it('answers HEAD without a stream, and refuses unknown parameters', async () => {
    const head = await fetch(`${url}/api/v1/events/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${TOKENS.read}` },
    })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect((await open(TOKENS.read, { query: '?branch=main' })).status).toBe(400)
    expect((await open('unknown')).status).toBe(401)
  })
})

it('streams of a closing app end first, and do not delay the close', async () => {
  const closing = await openApp({ mode: 'open' })
  await closing.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = closing.app.server.address() as AddressInfo
  const streams = await Promise.all([openEvents(`http://127.0.0.1:${port}`), openEvents(`http://127.0.0.1:${port}`)])
  await Promise.all([closing.close(), ...streams.map(({ ended }) => ended)])
})
