import { describe, expect, it } from 'vitest'
import { MAX_EVENTS_BEHIND } from '../../../runtime/change-feed.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { openEvents } from '../../support/http/event-stream.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const KEY = { SERVICE_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') }

const upload = async ({ url, token }: RunningServer, run_id: string): Promise<void> => {
  const { status } = await fetch(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: smallDocument(run_id),
  })
  expect(status).toBe(201)
}

/** Restarts a server between two uploads, and returns the stream that resumes after the first one. */
const resumeOverRestart = async (env: Readonly<Record<string, string>>) => {
  const first = await startServer({ env })
  const client = await openEvents(first.url, { token: first.token })
  await upload(first, 'before')
  expect(await client.nextChanged()).toMatchObject({ runs: [{ id: 'before' }] })
  const lastEventId = client.lastId()
  await upload(first, 'missed')
  // The end of the service ends the stream.
  await Promise.all([first.stop({ keep: true }), client.ended])
  const second = await startServer({ env, dataDir: first.dataDir })
  return { second, resumed: await openEvents(second.url, { token: second.token, lastEventId }) }
}

describe('a stream over a restart of the service', () => {
  it('continues from the log if the key is configured', async () => {
    const { second, resumed } = await resumeOverRestart(KEY)
    expect(await resumed.next()).toMatchObject({ event: 'changed', data: { runs: [{ id: 'missed' }] } })
    await upload(second, 'after')
    expect(await resumed.next()).toMatchObject({ event: 'changed', data: { runs: [{ id: 'after' }] } })
    expect(MAX_EVENTS_BEHIND).toBe(10_000)
    await second.stop()
  })

  it('starts again if each process has a key of its own', async () => {
    const { second, resumed } = await resumeOverRestart({})
    expect(await resumed.next()).toMatchObject({ event: 'reset' })
    await second.stop()
  })
})

it('the access log records a stream when it begins', async () => {
  const server = await startServer()
  const client = await openEvents(server.url, { token: server.token })
  await upload(server, 'one')
  await client.nextChanged()
  client.close()
  const exited = server.stop()
  await exited
  const lines = server.log.filter(({ path }) => path === '/api/v1/events/stream')
  expect(lines).toMatchObject([{ method: 'GET', status: 200 }])
})
