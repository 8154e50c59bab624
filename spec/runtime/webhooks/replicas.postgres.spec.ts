import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { smallDocument } from '../../support/documents/small-document.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { inRotation, queryRows, startReplicas, type Replica } from '../../support/servers/replicas.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { messageOf, openReceiver, type Receiver } from '../../support/webhooks/receiver.ts'

let database: FreshDatabase
let replicas: readonly Replica[]
let receiver: Receiver
let token: string

const upload = (from: number, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      inRotation(replicas, n).ask('POST', '/runs', { body: smallDocument(`run-${from + n}`) }),
    ),
  )
const sentRuns = () => receiver.received.map((one) => String(messageOf(one).data['run_id'])).toSorted()
const runsTo = (count: number) => Array.from({ length: count }, (_, n) => `run-${n}`).toSorted()

describe('two replicas', () => {
  beforeAll(async () => {
    receiver = await openReceiver()
    database = await freshDatabase()
    replicas = await startReplicas(2, database.appUrl, {
      SERVICE_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      SERVICE_WEBHOOK_ALLOW: '127.0.0.1',
    })
    const setup = { username: 'root', password: 'long enough' }
    const made = await replicas[0]!.ask('POST', '/auth/setup', { token: null, body: setup })
    token = String(made.body['token'])
    const body = { url: receiver.url, events: ['run.ingested'] }
    expect((await replicas[1]!.ask('POST', '/webhooks', { token, body })).status).toBe(201)
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await receiver.close()
    await database.close()
  })

  it('send each message once, with one at a time to the target', async () => {
    await upload(0, 40)
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(40)
    expect(sentRuns()).toEqual(runsTo(40))
    expect(receiver.mostOpen()).toBe(1)
    expect(await queryRows(database.superUrl, 'SELECT holder FROM webhook_lease')).toHaveLength(1)
    const made = await queryRows<{ n: number }>(database.superUrl, 'SELECT count(*)::int AS n FROM webhook_deliveries')
    expect(made).toEqual([{ n: 40 }])
  })

  it('go on when one of them stops', async () => {
    // A stop gives the lease back.
    await replicas[0]!.stop()
    replicas = [replicas[1]!]
    await upload(40, 10)
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(50)
    expect(sentRuns()).toEqual(runsTo(50))
  })
})
