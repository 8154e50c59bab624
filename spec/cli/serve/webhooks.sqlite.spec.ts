import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { messageOf, openReceiver, type Receiver } from '../../support/webhooks/receiver.ts'

const SERVICE_SECRET_KEY = Buffer.alloc(32, 1).toString('base64')
const env = { SERVICE_SECRET_KEY, SERVICE_WEBHOOK_ALLOW: '127.0.0.1' }
let server: RunningServer
let receiver: Receiver
beforeAll(async () => {
  receiver = await openReceiver()
  server = await startServer({ env })
})
afterAll(async () => {
  await server.stop()
  await receiver.close()
})

const post = async <T>(path: string, token: string, body: unknown): Promise<T> => {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  expect([200, 201, 202]).toContain(answer.status)
  return (await answer.json()) as T
}

it('a server sends webhooks, also after it was killed, and starts only with their key', async () => {
  const { token } = await post<{ token: string }>('/auth/setup', '', { username: 'root', password: 'long enough' })
  const { id, secret } = await post<{ id: string; secret: string }>('/webhooks', token, {
    url: `${receiver.url}/hook`,
    events: ['run.ingested'],
  })
  await post('/runs', token, smallDocument('r1'))
  await post(`/webhooks/${id}/test`, token, {})
  await expect.poll(() => receiver.received.length).toBe(2)
  for (const one of receiver.received) receiver.verify(one, secret)

  const { dataDir } = server
  receiver.answer(() => {})
  await post('/runs', token, smallDocument('r2'))
  await expect.poll(() => receiver.received.length).toBe(3)
  await server.kill()
  receiver.status(204)
  await expect(startServer({ dataDir })).rejects.toThrow('SERVICE_SECRET_KEY: must be set, because there are webhooks')
  const SERVICE_SECRET_KEY = Buffer.alloc(32, 2).toString('base64')
  await expect(startServer({ dataDir, env: { SERVICE_SECRET_KEY } })).rejects.toThrow(
    `SERVICE_SECRET_KEY: is not the key that encrypted the secret of webhook ${id}`,
  )
  server = await startServer({ dataDir, env })
  // On a database, the lease of the killed process must end first.
  await expect.poll(() => receiver.received.length).toBe(4)
  const [, , cut, again] = receiver.received
  expect([messageOf(again!).data['run_id'], again?.headers['webhook-id']]).toEqual(['r2', cut?.headers['webhook-id']])
  const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
  const text = await metrics.text()
  expect(text).toMatch(/ers_webhook_tries_total\{result="delivered"\} \d/)
  expect(text).toContain('ers_webhook_deliveries{state="parked"} 0')

  await server.stop({ keep: true })
  const { appUrl = null } = server.database ?? {}
  const store = appUrl === null ? ['--data-dir', dataDir] : ['--database-url', appUrl]
  const deleted = spawnSync(process.execPath, [PROGRAM, 'delete-webhooks', ...store], {
    env: bareEnvironment(),
    encoding: 'utf8',
  })
  expect([deleted.stdout, deleted.stderr, deleted.status]).toEqual(['deleted 1 webhook\n', '', 0])
  server = await startServer({ dataDir })
})
