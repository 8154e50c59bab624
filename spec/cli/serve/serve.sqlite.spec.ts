import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projections } from '../../../projections/index.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { onFile } from '../../support/stores/store.ts'

const serveOnce = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; stderr: string }> => {
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...args], {
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stderr }
}

describe('a running server', () => {
  let server: RunningServer
  beforeAll(async () => void (server = await startServer()))
  afterAll(() => server.stop())

  const upload = (body: string, extra: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...extra },
      body,
    })

  it('creates files for their owner alone, whatever the umask is', async () => {
    const before = process.umask(0)
    const folder = mkdtempSync(join(tmpdir(), 'ers-modes-'))
    // With a database, the directory must exist.
    const dataDir = join(folder, 'state')
    const own = await startServer({ dataDir }).finally(() => process.umask(before))
    await fetch(`${own.url}/api/v1/cache/sha256:${'0'.repeat(64)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${own.token}` },
      body: 'x',
    })
    const modes = readdirSync(dataDir).map((name) => [name, (statSync(join(dataDir, name)).mode & 0o777).toString(8)])
    expect(modes.filter(([, mode]) => mode !== '600')).toEqual([])
    const names = modes.map(([name]) => name)
    expect(names).toEqual(expect.arrayContaining(['service.db', 'service.db-wal', 'cache.db', 'holder.json']))
    expect((statSync(dataDir).mode & 0o777).toString(8)).toBe('700')
    await own.stop()
  })

  it('stores a document only once if it is uploaded 50 times concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => upload(smallDocument('same'))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(49).fill(200), 201])
  })

  it('accepts one of 50 different documents with the same id, and rejects the other 49 with 409', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => upload(smallDocument('contested', { word: `w${i}` }))),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(49).fill(409)])
    const clash = answers.find(({ status }) => status === 409)
    expect(await clash?.json()).toMatchObject({
      id: 'contested',
      error: expect.stringContaining('another run exists') as string,
    })
  })

  it('logs one response event per request as a JSON line', async () => {
    await fetch(`${server.url}/api/v1/health?secret=1`, { headers: { 'x-request-id': 'spec-log-1' } }).then((answer) =>
      answer.text(),
    )
    await expect
      .poll(() => server.log.filter(({ request_id, msg }) => msg === 'response' && request_id === 'spec-log-1'))
      .toEqual([
        expect.objectContaining({
          method: 'GET',
          path: '/api/v1/health',
          status: 400,
          latency_ms: expect.any(Number) as number,
        }),
      ])
  })

  it('logs size and root of the log at start, in the format of `verify --against`', () => {
    const head = server.log.find(({ msg }) => msg === 'log head')
    // The start of the instance; in a state directory also the first key of the log.
    const size = 2
    expect(head).toMatchObject({
      size,
      against: expect.stringMatching(new RegExp(`^${size}:[0-9a-f]{64}$`)) as string,
    })
  })

  // On PostgreSQL a server uses no state directory.
  it('rejects a second instance on its directory, names the holder, and continues to work', async () => {
    const { code, stderr } = await serveOnce(['--port', '0', '--data-dir', server.dataDir], {})
    expect(code).not.toBe(0)
    expect(stderr).toContain(`process ${server.process.pid}`)
    expect((await upload(smallDocument('after-second'))).status).toBe(201)
  })

  it('accepts a gzip body and returns the uploaded bytes', async () => {
    const text = `  ${smallDocument('zipped')}\n`
    const answer = await fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: gzipSync(text),
    })
    expect(answer.status).toBe(201)
    const exported = await fetch(`${server.url}/api/v1/runs/zipped/export`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    expect(await exported.text()).toBe(text)
  })

  it('returns a large case, configuration and matrix exactly, from threads', async () => {
    const large = aCase({ output: 'ü\u{1f600}'.repeat(20_000), vars: { deep: ['x'.repeat(70_000)] } })
    const cases = [
      large,
      ...Array.from({ length: 100 }, (_, i) => aCase({ cell: { provider_id: `model-${i}`, test_id: `test-${i}` } })),
    ]
    const config_snapshot = { seed: 'HERE', text: 'ß'.repeat(100_000) }
    const text = JSON.stringify(aDocument({ run_id: 'large', cases, config_snapshot })).replace(
      '"HERE"',
      '12345678901234567890',
    )
    expect((await upload(text)).status).toBe(201)
    const read = async (path: string) => {
      const answer = await fetch(`${server.url}/api/v1/runs/large/${path}`, {
        headers: { authorization: `Bearer ${server.token}` },
      })
      expect(answer.status).toBe(200)
      return answer.text()
    }
    expect(JSON.parse(await read(`cases/${large.case_key}`))).toMatchObject({
      output: large['output'],
      vars: large['vars'],
    })
    expect(await read('config')).toBe(
      `{"run_id":"large","config_digest":null,"config":{"seed":12345678901234567890,"text":"${'ß'.repeat(100_000)}"}}`,
    )
    const matrix = JSON.parse(await read('matrix?limit=500')) as {
      columns: unknown[]
      rows: Array<{ cells: unknown[] }>
      next_cursor: string | null
    }
    expect([matrix.columns.length, matrix.rows.length, matrix.next_cursor]).toEqual([101, 101, null])
    expect(matrix.rows.every(({ cells }) => cells.filter((cell) => cell !== null).length === 1)).toBe(true)
  })
})

// This spec changes the file of a SQLite store.
describe('a server with read tables of another version', () => {
  it('is ready at once, builds them, then returns the same responses, and records the build', async () => {
    const first = await startServer()
    const paths = [
      'runs',
      'runs/a',
      'runs/a/cases',
      'runs/a/matrix',
      'runs/a/config',
      'runs/a/compare/b',
      'runs/gone',
      'search?q=plain',
      'sets',
      'sets/chat/suites/smoke',
    ]
    const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' }
    const answersOf = async ({ url }: RunningServer) => {
      const answers = await Promise.all(paths.map((path) => fetch(`${url}/api/v1/${path}`, { headers })))
      return Promise.all(
        answers.map(async (answer) => ({
          status: answer.status,
          etag: answer.headers.get('etag'),
          body: await answer.text(),
        })),
      )
    }
    for (const id of ['a', 'b', 'gone'])
      expect(
        (await fetch(`${first.url}/api/v1/runs`, { method: 'POST', headers, body: smallDocument(id) })).status,
      ).toBe(201)
    expect(
      (
        await fetch(`${first.url}/api/v1/runs/gone`, {
          method: 'DELETE',
          headers: { authorization: headers.authorization },
        })
      ).status,
    ).toBe(204)
    const before = await answersOf(first)
    expect(await first.stop({ keep: true })).toBe(0)
    const rebuilds = () =>
      onFile(join(first.dataDir, 'service.db'), (database) =>
        database.prepare("SELECT count(*) FROM events WHERE type = 'ProjectionRebuilt'").pluck().get(),
      )
    expect(rebuilds()).toBe(0)
    onFile(join(first.dataDir, 'service.db'), (database) =>
      database.exec(
        "UPDATE projections SET version = 0; DELETE FROM cases; UPDATE runs SET note = 'of another version'",
      ),
    )

    const second = await startServer({ dataDir: first.dataDir })
    await expect.poll(() => fetch(`${second.url}/api/v1/ready`).then(({ status }) => status)).toBe(200)
    await expect.poll(rebuilds, { timeout: 60_000 }).toBe(projections.length)
    expect(await answersOf(second)).toEqual(before)
    expect(second.log.filter(({ msg }) => msg === 'the read models are built')).toHaveLength(1)
    expect(await second.stop()).toBe(0)
  })
})

it('a server without a log level logs at level info', async () => {
  const server = await startServer({ env: { RUST_LOG: '' } })
  await fetch(`${server.url}/health`).then((answer) => answer.text())
  await expect.poll(() => server.log.some(({ msg }) => msg === 'response')).toBe(true)
  expect(await server.stop()).toBe(0)
})

it('an idle server returns the memory of its start, and works as before', async () => {
  const server = await startServer({ env: { RUST_LOG: 'debug' } })
  const released = () => server.log.find(({ msg }) => String(msg).startsWith('the memory of the start'))
  await expect.poll(released, { timeout: 200_000 }).toMatchObject({ msg: 'the memory of the start is released' })
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/api/v1/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    })
  const upload = await ask('runs', { method: 'POST', body: smallDocument('later', { word: 'otter', cases: 1 }) })
  const found = await ask('search?q=otter')
  expect([upload.status, await found.json()]).toMatchObject([201, { cases: [{ run_id: 'later' }] }])
  expect(await server.stop()).toBe(0)
})

describe('a server that is stopped', () => {
  it('finishes the upload in flight on a keep-alive connection, although two signals arrive at once', async () => {
    const server = await startServer()
    const body = smallDocument('in-flight')
    const upload = request(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'keep-alive',
      },
    })
    upload.write(body.slice(0, 100))
    // The server has the request once it answers a later one on another connection.
    await fetch(`${server.url}/health`).then((answer) => answer.text())
    server.process.kill('SIGINT')
    const stopped = server.stop()
    await expect.poll(() => server.log.some(({ msg }) => msg === 'shutting down')).toBe(true)
    upload.end(body.slice(100))
    const [answer] = (await once(upload, 'response')) as [IncomingMessage]
    answer.resume()
    expect([answer.statusCode, answer.headers['connection'], await stopped]).toEqual([201, 'close', 0])
    expect(server.log.filter(({ msg }) => msg === 'shutting down')).toHaveLength(1)
  })

  it('does not wait for a silent connection', async () => {
    const server = await startServer()
    const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
    const closed = once(silent, 'close')
    await once(silent, 'connect')
    // Connections are accepted in order: the silent one is accepted once a later one gets an answer.
    await fetch(`${server.url}/health`).then((answer) => answer.text())
    // If it waited for the silent connection, it would exit with another code after the grace period.
    expect(await server.stop()).toBe(0)
    await closed
    expect(server.log.at(-1)).toMatchObject({ msg: 'stopped' })
  })

  it("finishes an export in flight, without waiting for the peer's close", async () => {
    const server = await startServer()
    const body = JSON.stringify(
      aDocument({
        run_id: 'large',
        cases: Array.from({ length: 100 }, (_, i) => aCase({ cell: { repeat: i }, output: `${i} `.repeat(80_000) })),
      }),
    )
    const uploaded = await fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body,
    })
    expect(uploaded.status).toBe(201)

    const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), allowHalfOpen: true })
    socket.write(
      `GET /api/v1/runs/large/export HTTP/1.1\r\nhost: spec\r\nauthorization: Bearer ${server.token}\r\n\r\n`,
    )
    await once(socket, 'readable')
    const stopped = server.stop()
    await expect.poll(() => server.log.some(({ msg }) => msg === 'shutting down')).toBe(true)
    let received = ''
    socket.setEncoding('latin1').on('data', (text: string) => (received += text))
    // What the server sent may still be on its way here after its end.
    const ended = once(socket, 'end')
    expect(await stopped).toBe(0)
    await ended
    socket.destroy()
    expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toBe(body)
  })
})

// On PostgreSQL a server uses no state directory.
describe('a server whose state directory another instance took over', () => {
  it('acknowledges no further write and ends with an error', async () => {
    const server = await startServer()
    const ended = once(server.process, 'exit')
    onFile(join(server.dataDir, 'service.db'), (database) => database.exec("UPDATE holder SET instance_id = 'another'"))
    const answer = await fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: smallDocument('fenced'),
    }).then(
      ({ status }) => status,
      () => null,
    )
    expect(answer).not.toBe(201)
    expect((await ended)[0]).not.toBe(0)
    onFile(join(server.dataDir, 'service.db'), (database) =>
      expect(database.prepare('SELECT count(*) FROM runs').pluck().get()).toBe(0),
    )
    rmSync(server.dataDir, { recursive: true, force: true })
  })
})

it('a start on a port in use names the port and releases the state directory', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-spec-'))
  const other = createServer().listen(0, '0.0.0.0')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await serveOnce(['--port', String(port), '--data-dir', dataDir], {})
  expect(code).toBe(1)
  expect(stderr).toContain(`cannot listen on port ${port}`)
  other.close()
  const after = await startServer({ dataDir })
  expect(await after.stop()).toBe(0)
  rmSync(dataDir, { recursive: true, force: true })
})

describe('a start with an unusable folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-spec-'))
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const damaged = join(folder, 'damaged')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'service.db'), 'this is no database, and is longer than the header of one'.repeat(20))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const unusable: ReadonlyArray<readonly [dataDir: string, why: string]> = [
    [file, 'is a file, not a folder'],
    [join(file, 'within'), 'cannot be created'],
    [damaged, 'is damaged'],
  ]
  it.each(unusable)('reports reason and remedy without a stack: %s %s', async (dataDir, why) => {
    const { code, stderr } = await serveOnce(['--port', '0', '--data-dir', dataDir], {})
    expect(code).toBe(1)
    const entries = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(entries.filter(({ level }) => Number(level) >= 50)).toEqual([
      expect.objectContaining({ msg: expect.stringContaining(why) as string }),
    ])
    expect(stderr).toContain(dataDir)
    expect(stderr).not.toContain('"stack"')
  })

  it('names the process that uses it', async () => {
    const server = await startServer()
    const { code, stderr } = await serveOnce(['--port', '0', '--data-dir', server.dataDir], {})
    expect(code).toBe(1)
    expect(stderr).toContain(`is in use by process ${server.process.pid}`)
    expect(stderr).not.toContain('"stack"')
    await server.stop()
  })
})

it('a start with an invalid configuration ends with an error that names every variable', async () => {
  const wrong = {
    SERVICE_AUTH_MODE: 'ajar',
    SERVICE_TOKENS: 'admin',
    SERVICE_DATABASE_URL: 'mysql://localhost/ers',
    SERVICE_OIDC_PROVIDERS: 'Corp',
    SERVICE_SSO_DEFAULT_ROLE: 'admin',
    SERVICE_ADMIN_USER: 'root',
    RUST_LOG: 'loud',
  }
  const { code, stderr } = await serveOnce(['--port', '0', '--data-dir', '/nonexistent/never-made'], wrong)
  expect([code, Object.keys(wrong).filter((name) => !stderr.includes(name))]).toEqual([2, []])
})
