import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { smallDocument } from '../support/documents/small-document.ts'
import { openEvents } from '../support/http/event-stream.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { inRotation, startReplicas, type Replica } from '../support/servers/replicas.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'

const PASSWORD = 'correct horse battery'

let database: FreshDatabase
let replicas: readonly Replica[]

describe('streams of events on three replicas', () => {
  beforeAll(async () => {
    database = await freshDatabase()
    replicas = await startReplicas(3, database.appUrl, {
      SERVICE_SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
    })
  })
  afterAll(async () => {
    for (const replica of replicas) await replica.stop()
    await database.close()
  })

  it('report a commit of any replica on every replica, and resume on another one', async () => {
    const streams = await Promise.all(replicas.map(({ url, token }) => openEvents(url, { token })))
    for (const n of [0, 1, 2]) {
      const uploaded = await inRotation(replicas, n).ask('POST', '/runs', { body: smallDocument(`run-${n}`) })
      expect(uploaded.status).toBe(201)
      for (const stream of streams) expect(await stream.nextChanged()).toMatchObject({ runs: [{ id: `run-${n}` }] })
    }
    const lastEventId = streams[0]?.lastId() ?? null
    for (const stream of streams) stream.close()
    expect((await inRotation(replicas, 0).ask('DELETE', '/runs/run-1')).status).toBe(204)
    const { url, token } = inRotation(replicas, 2)
    const resumed = await openEvents(url, { token, lastEventId })
    expect(await resumed.next()).toMatchObject({ event: 'changed', data: { runs: [{ id: 'run-1' }] } })
    resumed.close()
  })

  it('end on every replica when an account is disabled on one of them', async () => {
    const [first, ...others] = replicas as readonly [Replica, ...Replica[]]
    const { body } = await first.ask('POST', '/users', {
      body: { username: 'leaving', password: PASSWORD, role: 'member' },
    })
    const signedIn = await first.ask('POST', '/auth/login', {
      token: null,
      body: { username: 'leaving', password: PASSWORD },
    })
    const token = String(signedIn.body['token'])
    const streams = await Promise.all(others.map(({ url }) => openEvents(url, { token })))
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    expect((await first.ask('PATCH', `/users/${String(body['id'])}`, { body: { disabled: true } })).status).toBe(200)
    await Promise.all(streams.map(({ ended }) => ended))
  })
})
