import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../../clients/typescript/src/index.ts'

type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | 'hang up'
const DONE: Answer = { status: 200 }

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that gives the answers in turn, and a client of it that notes how long it would wait. */
const answering = async (answers: readonly Answer[]) => {
  const waits: number[] = []
  const bodies: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : body.toString())
    const next = answers[bodies.length - 1] ?? DONE
    if (next === 'hang up') return void request.socket.destroy()
    response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers })
    response.end(next.status < 300 ? '{"id":"1","url":"u"}' : '{"error":"no"}')
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ers = connect({ url, waitMs: async (ms) => void waits.push(ms) })
  return { ers, waits, bodies }
}

describe('a request is sent again', () => {
  it('after the time in Retry-After, with the same body', async () => {
    const { ers, waits, bodies } = await answering([
      { status: 503, headers: { 'retry-after': '2' } },
      { status: 429, headers: { 'retry-after': '0' } },
    ])
    expect(await ers.uploadRun({ run_id: '1' })).toEqual({ id: '1', url: 'u', created: false })
    expect(waits).toEqual([2000, 0])
    expect(bodies).toEqual(['{"run_id":"1"}', '{"run_id":"1"}', '{"run_id":"1"}'])
  })

  it('after half a second and then twice as long, if the server does not say when', async () => {
    const { ers, waits } = await answering([{ status: 503 }, { status: 503 }, { status: 429 }])
    await ers.api.GET('/api/v1/projects')
    expect(waits).toEqual([500, 1000, 2000])
  })

  it('after at most a minute, also with a date', async () => {
    const late = new Date(Date.now() + 86_400_000).toUTCString()
    const { ers, waits } = await answering([
      { status: 503, headers: { 'retry-after': '86400' } },
      { status: 503, headers: { 'retry-after': late } },
      { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } },
    ])
    await ers.api.GET('/api/v1/projects')
    expect(waits).toEqual([60_000, 60_000, 0])
  })

  it('if the connection failed and a second request does no harm', async () => {
    const { ers, bodies } = await answering(['hang up', { status: 502 }, { status: 504 }])
    await ers.api.GET('/api/v1/projects')
    expect(bodies).toHaveLength(4)
    const upload = await answering(['hang up'])
    await upload.ers.uploadRun({ run_id: '1' })
    expect(upload.bodies).toHaveLength(2)
  })
})

describe('a request is not sent again', () => {
  it.each([400, 401, 403, 404, 408, 409, 413, 422])('after a %i', async (status) => {
    const { ers, bodies } = await answering([{ status, headers: { 'retry-after': '1' } }])
    await expect(ers.api.GET('/api/v1/projects')).rejects.toMatchObject({ status, message: 'no' })
    expect(bodies).toHaveLength(1)
  })

  it('if the connection failed and it may have been done', async () => {
    const { ers, bodies } = await answering(['hang up', { status: 502 }])
    const create = () => ers.api.POST('/api/v1/apikeys', { body: {} })
    await expect(create()).rejects.toMatchObject({ name: 'ErsError', status: 0 })
    await expect(create()).rejects.toMatchObject({ status: 502 })
    expect(bodies).toHaveLength(2)
  })

  it('after the last try, whose answer is the error', async () => {
    const { ers, bodies } = await answering(Array.from({ length: 9 }, () => ({ status: 503 })))
    await expect(ers.api.GET('/api/v1/projects')).rejects.toMatchObject({ status: 503, message: 'no' })
    expect(bodies).toHaveLength(4)
  })

  it('when its signal aborted while it waits', async () => {
    const waiting = new AbortController()
    const patient = connect({
      url: 'http://127.0.0.1',
      fetch: async () => {
        setImmediate(() => waiting.abort(new Error('enough')))
        return new Response('{}', { status: 503, headers: { 'retry-after': '60' } })
      },
    })
    await expect(patient.api.GET('/api/v1/projects', { signal: waiting.signal })).rejects.toThrow('enough')
  })
})
