import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, ApiError, onUnauthenticated, pathTo, queryOf } from '../../../webapp/api/api.ts'

// A real server, so that the specs check what is sent over the network.
let server: Server
const requests: Array<{
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
      requests.push({ method: request.method, url: request.url, type: request.headers['content-type'], body })
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
    expect(requests.at(-1)).toMatchObject({ method: 'GET', url: '/api/v1/runs', body: '' })
  })
  it('sends a body as JSON, and no body if there is none', async () => {
    await api.put('/x', { run_id: 'r' })
    expect(requests.at(-1)).toMatchObject({ method: 'PUT', type: 'application/json', body: '{"run_id":"r"}' })
    expect(await api.delete('/x?status=204')).toBeUndefined()
    expect(requests.at(-1)).toMatchObject({ method: 'DELETE', type: undefined, body: '' })
  })
  it('throws the error of the server, with its request id', async () => {
    expect(await failure('/x?status=404')).toMatchObject({
      name: 'ApiError',
      status: 404,
      message: 'because',
      requestId: 'request-7',
    })
    expect(await failure('/odd?status=502')).toMatchObject({ status: 502, message: 'the server answered 502' })
  })
  it('calls the handler for 401 and for no other status', async () => {
    let calls = 0
    onUnauthenticated(() => calls++)
    await failure('/x?status=403')
    expect(calls).toBe(0)
    expect(await failure('/x?status=401')).toBeInstanceOf(ApiError)
    const wrong = await api.postWithPassword('/x?status=401', {}).catch((error: unknown) => error)
    expect(wrong).toMatchObject({ status: 401 })
    expect(calls).toBe(1)
  })
  it('throws AbortError, not ApiError, if the signal aborts', async () => {
    const controller = new AbortController()
    controller.abort()
    await expect(api.get('/runs', controller.signal)).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('paths and queries', () => {
  it('escape the parts of a path', () => expect(pathTo('runs', 'a/b', '..c?')).toBe('/runs/a%2Fb/..c%3F'))
  it.each(['.', '..'])('reject a name that the browser would drop: %s', (name) => {
    expect(() => pathTo('runs', name, 'cases')).toThrow(ApiError)
    expect(pathTo('runs', `${name}.a`)).toBe(`/runs/${name}.a`)
  })
  it('contain only values that are set', () =>
    expect(queryOf({ q: 'a b', limit: 0, tag: ['x', 'y'], none: null, nothing: undefined, empty: '' })).toBe(
      '?q=a+b&limit=0&tag=x&tag=y',
    ))
  it('are empty if no value is set', () => expect(queryOf({ q: '' })).toBe(''))
})
