import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { engineServer, requiredServer, serverUrlOf } from '../../../cli/client/engine-server.ts'
import { sharePreflight, uploadRun } from '../../../cli/client/upload-run.ts'
import { UsageError } from '../../../engine/json.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

type Received = { readonly path: string | undefined; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

let service: Server | null = null
let received: Received[]
afterEach(async () => {
  const closing = service
  service = null
  closing?.closeAllConnections()
  if (closing !== null) await new Promise((resolve) => closing.close(resolve))
})

/** A service that gives every request one response. Returns its address. */
const answering = async (status: number, body: string, headers: Record<string, string> = {}): Promise<string> => {
  received = []
  const started = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      received.push({ path: request.url, headers: request.headers, body: bytes })
      response.writeHead(status, headers).end(body)
    })
  })
  service = started
  await new Promise<void>((resolve) => void started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/sub/`
}

const server = (url: string, signal = new AbortController().signal) =>
  engineServer(url, { SERVICE_TOKEN: 'a token' }, signal)
const run = { ...engineRun('run 1/2', [engineCase('a')]), share_url: 'https://earlier.example/runs/1' }

describe('serverUrlOf', () => {
  it('takes the option, else the variable, and an empty one as none', () => {
    const env = { SERVICE_SERVER_URL: 'http://b' }
    expect(serverUrlOf({ serverUrl: 'http://a' }, env)).toBe('http://a')
    expect(serverUrlOf({ server: 'http://a' }, env)).toBe('http://a')
    expect(serverUrlOf({}, env)).toBe('http://b')
    expect(serverUrlOf({}, { SERVICE_SERVER_URL: '' })).toBeUndefined()
  })

  it('leads to an error for what is no address', () =>
    expect(() => engineServer('nowhere', {}, new AbortController().signal)).toThrow(UsageError))

  it('leads to an error where a service is needed and none is named', () =>
    expect(() => requiredServer({}, {}, new AbortController().signal)).toThrow(
      'no service is named: give --server-url or SERVICE_SERVER_URL',
    ))
})

describe('uploadRun', () => {
  it('says how many cases are hidden', async () => {
    const url = await answering(201, '{"id":"r","hidden_cases":2}')
    expect(await uploadRun(server(url), run)).toMatchObject({ hiddenCases: 2 })
  })

  it.each([200, 201])('sends the document gzipped, without its address, and takes %d as a success', async (status) => {
    const url = await answering(status, '{"id":"run 1/2"}')
    expect(await uploadRun(server(url), run)).toEqual({
      url: `${url.slice(0, -1)}/runs/run%201%2F2`,
      hiddenCases: 0,
    })
    const [request] = received
    expect(request).toMatchObject({
      path: '/sub/api/v1/runs',
      headers: { authorization: 'Bearer a token', 'content-encoding': 'gzip', 'content-type': 'application/json' },
    })
    const { share_url: _, ...uploaded } = run
    expect(JSON.parse(gunzipSync(request?.body ?? '').toString())).toEqual(uploaded)
  })

  it.each([
    [409, '{"error":"other content"}', /has another run under the id run 1\/2: other content$/],
    [401, '{"error":"no"}', /rejects the upload: 401 no \(check SERVICE_TOKEN\)$/],
    [422, '{"error":"invalid run document: x"}', /rejects the upload: 422 invalid run document: x$/],
    [200, '<html>', /does not answer like an evaluation results service/],
  ])('reports %d %s', async (status, body, expected) => {
    const url = await answering(status, body)
    await expect(uploadRun(server(url), run)).rejects.toThrow(expected)
  })

  const assertion = { kind: 'exec', status: 'pass', weight: 1, reason: '', criteria: {}, cached: false } as const
  it.each([
    ['a case', { score: 2 }, 2],
    ['a case, below 0', { score: -0.5 }, -0.5],
    ['an assertion', { asserts: [{ ...assertion, score: 1.5 }] }, 1.5],
  ])('sends no run of an engine with a score outside 0..1: %s', async (_, more, score) => {
    const url = await answering(201, '{"id":"r"}')
    const wrong = engineRun('r', [engineCase('a'), engineCase('b', more)])
    await expect(uploadRun(server(url), wrong)).rejects.toThrow(
      `the run cannot be uploaded: the test "b" has the score ${score}, outside 0 to 1; run the suite again`,
    )
    expect(received).toHaveLength(0)
    // Other tools have scores of other ranges, and the service takes them.
    await uploadRun(server(url), { ...wrong, config_digest: 'sha256:00' })
    expect(received).toHaveLength(1)
  })

  it('reports a redirect, and does not follow it', async () => {
    const url = await answering(302, '', { location: 'https://elsewhere.example' })
    await expect(uploadRun(server(url), run)).rejects.toThrow('answers with a redirect to https://elsewhere.example')
    expect(received).toHaveLength(1)
  })

  it('ends after its time', async () => {
    const url = await answering(503, '')
    const late = { ...server(url), deadline: () => AbortSignal.abort() }
    await expect(uploadRun(late, run)).rejects.toThrow('did not take the run within 60 s')
  })

  it('stops with its command', async () => {
    const url = await answering(503, '')
    await expect(uploadRun(server(url, AbortSignal.abort()), run)).rejects.toThrow('cannot be uploaded')
  })
})

describe('sharePreflight', () => {
  it('is ready for a service that accepts the version', async () => {
    const url = await answering(200, '{"supported_schema_versions":[2,3]}')
    expect(await sharePreflight(server(url), 3)).toEqual({ kind: 'ready' })
    expect(received[0]?.path).toBe('/sub/api/v1/meta')
  })

  it('refuses only a service that says that it does not accept the version', async () => {
    const url = await answering(200, '{"supported_schema_versions":[4]}')
    expect(await sharePreflight(server(url), 3)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('schema_version 4, but this program writes 3') as string,
    })
  })

  it.each([
    [200, '{}'],
    [200, '<html>'],
    [404, ''],
    [503, ''],
    [302, ''],
  ])('lets %d %j through', async (status, body) => {
    const url = await answering(status, body)
    expect(await sharePreflight(server(url), 3)).toMatchObject({ kind: 'unclear' })
    expect(received).toHaveLength(1)
  })

  it('lets a service through that cannot be reached', async () => {
    const url = await answering(200, '')
    service?.close()
    expect(await sharePreflight(server(url), 3)).toMatchObject({ kind: 'unclear' })
  })
})
