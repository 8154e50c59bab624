import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, ApiError, onUnauthenticated, pathTo, queryOf } from '../../../webapp/api/api.ts'

// A real server: what is checked is what goes over the wire.
let server: Server
const asked: Array<{
  readonly method: string | undefined
  readonly url: string | undefined
  readonly type: string | undefined
  readonly body: string
}> = []
const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
beforeAll(async () => {
  server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      asked.push({ method: request.method, url: request.url, type: request.headers['content-type'], body })
      const status = Number(/status=(\d+)/.exec(request.url ?? '')?.[1] ?? 200)
      response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'request-7' })
      response.end(
        status === 204
          ? ''
          : status === 200
            ? '{"a":1}'
            : request.url?.includes('odd')
              ? '<html>'
              : '{"error":"because"}',
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } }
  happyDOM.setURL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const failure = (path: string): Promise<unknown> =>
  api.get(path).then(
    () => null,
    (error: unknown) => error,
  )

describe('the api', () => {
  it('reads JSON below /api/v1', async () => {
    expect(await api.get('/runs')).toEqual({ a: 1 })
    expect(asked.at(-1)).toMatchObject({ method: 'GET', url: '/api/v1/runs', body: '' })
  })
  it('sends a body as JSON, and nothing where there is none', async () => {
    await api.put('/x', { run_id: 'r' })
    expect(asked.at(-1)).toMatchObject({ method: 'PUT', type: 'application/json', body: '{"run_id":"r"}' })
    expect(await api.delete('/x?status=204')).toBeUndefined()
    expect(asked.at(-1)).toMatchObject({ method: 'DELETE', type: undefined, body: '' })
  })
  it('throws what the server told, with its request id', async () => {
    expect(await failure('/x?status=404')).toMatchObject({
      name: 'ApiError',
      status: 404,
      message: 'because',
      requestId: 'request-7',
    })
    expect(await failure('/odd?status=502')).toMatchObject({ status: 502, message: 'the server answered 502' })
  })
  it('says when whoever asks is no longer known, and only then', async () => {
    let told = 0
    onUnauthenticated(() => told++)
    await failure('/x?status=403')
    expect(told).toBe(0)
    expect(await failure('/x?status=401')).toBeInstanceOf(ApiError)
    expect(told).toBe(1)
  })
  it('tells an abort from a failure', async () => {
    const leaving = new AbortController()
    leaving.abort()
    await expect(api.get('/runs', leaving.signal)).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('addresses', () => {
  it('are made of parts as they are', () => expect(pathTo('runs', 'a/b', '..c?')).toBe('/runs/a%2Fb/..c%3F'))
  it.each(['.', '..'])('never hold a name that the browser would drop: %s', (name) => {
    expect(() => pathTo('runs', name, 'cases')).toThrow(ApiError)
    expect(pathTo('runs', `${name}.a`)).toBe(`/runs/${name}.a`)
  })
  it('ask only for what is set', () =>
    expect(queryOf({ q: 'a b', limit: 0, tag: ['x', 'y'], none: null, nothing: undefined, empty: '' })).toBe(
      '?q=a+b&limit=0&tag=x&tag=y',
    ))
  it('ask for nothing where nothing is set', () => expect(queryOf({ q: '' })).toBe(''))
})
