import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../support/server.ts'
import type { RunningServer } from '../support/server.ts'
import { smallDocument } from '../support/small-document.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/ers.ts', import.meta.url))

const serveOnce = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<{ code: number | null; stderr: string }> => {
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, stderr }
}

describe('a running server', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  const upload = (body: string, extra: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}/api/v1/runs`, { method: 'POST', headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...extra }, body })

  it('stores a document uploaded 50 times at once a single time: one 201, 49 times 200', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => upload(smallDocument('same'))))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array<number>(49).fill(200), 201])
  })

  it('gives a run id to the first of 50 different documents: one 201, 49 times 409 with the id', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => upload(smallDocument('contested', { word: `w${i}` }))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(49).fill(409)])
    const clash = answers.find(({ status }) => status === 409)
    expect(await clash?.json()).toMatchObject({ id: 'contested', error: expect.stringContaining('another run exists') as string })
  })

  it('logs one response event per request as a JSON line, with method, path, request id, status and latency', async () => {
    await fetch(`${server.url}/api/v1/health?secret=1`, { headers: { 'x-request-id': 'spec-log-1' } }).then((answer) => answer.text())
    await expect.poll(() => server.log.filter(({ request_id, msg }) => msg === 'response' && request_id === 'spec-log-1')).toEqual([
      expect.objectContaining({ method: 'GET', path: '/api/v1/health', status: 400, latency_ms: expect.any(Number) as number }),
    ])
  })

  it('logs size and root of the record at start, as verify takes them', () => {
    const head = server.log.find(({ msg }) => msg === 'log head')
    expect(head).toMatchObject({ size: 1, against: expect.stringMatching(/^1:[0-9a-f]{64}$/) as string })
  })

  it('refuses a second instance on the same directory, quoting the holder, and goes on itself', async () => {
    const { code, stderr } = await serveOnce(['--port', '0', '--data-dir', server.dataDir], {})
    expect(code).not.toBe(0)
    expect(stderr).toContain(`process ${server.process.pid}`)
    expect((await upload(smallDocument('after-second'))).status).toBe(201)
  })

  it('takes a gzip body as it is and gives the uploaded bytes back', async () => {
    const text = `  ${smallDocument('zipped')}\n`
    const answer = await fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(text),
    })
    expect(answer.status).toBe(201)
    const exported = await fetch(`${server.url}/api/v1/runs/zipped/export`, { headers: { authorization: `Bearer ${server.token}` } })
    expect(await exported.text()).toBe(text)
  })
})

describe('a server told to stop', () => {
  it('finishes the upload in flight on a keep-alive connection, then ends with 0', async () => {
    const server = await startServer()
    const body = smallDocument('in-flight')
    const upload = request(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'keep-alive' },
    })
    upload.write(body.slice(0, 100))
    // The server has the request once it answers another that came later on its own connection.
    await fetch(`${server.url}/health`).then((answer) => answer.text())
    const stopped = server.stop()
    await expect.poll(() => server.log.some(({ msg }) => msg === 'shutting down')).toBe(true)
    upload.end(body.slice(100))
    const [answer] = (await once(upload, 'response')) as [{ statusCode: number; headers: Record<string, string>; resume: () => void }]
    answer.resume()
    expect(answer.statusCode).toBe(201)
    expect(answer.headers['connection']).toBe('close')
    expect(await stopped).toBe(0)
  })
})

describe('a start that is misconfigured', () => {
  it.each([
    ['SERVICE_AUTH_MODE', 'ajar'],
    ['SERVICE_TOKENS', 'admin'],
    ['SERVICE_PUBLIC_URL', 'https://example.org/prefix'],
    ['SERVICE_LOG_FORMAT', 'xml'],
    ['RUST_LOG', 'loud'],
    ['SERVICE_CACHE_MAX_BYTES', '1 GiB'],
    ['SERVICE_CACHE_MAX_ENTRY_BYTES', '-1'],
    ['SERVICE_CACHE_MAX_AGE_DAYS', 'x'],
    ['SERVICE_DATABASE_URL', 'postgresql://localhost/ers'],
  ])('ends with an error that names %s', async (name, value) => {
    const { code, stderr } = await serveOnce(['--port', '0', '--data-dir', '/nonexistent/never-made'], { [name]: value })
    expect(code).toBe(1)
    expect(stderr).toContain(name)
  })
})
