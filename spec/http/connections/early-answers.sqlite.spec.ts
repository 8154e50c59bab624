import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BODY_WINDOW_MS, trackConnections, type Connections } from '../../../http/connections/connections.ts'
import { earlyAnswers, CLOSE_TIMEOUT_MS } from '../../../http/connections/early-answers.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'

const SIZE = 5_000_000
const TYPE = 'Content-Type: application/json'
const authorization = (scope: keyof typeof TOKENS): string => `Authorization: Bearer ${TOKENS[scope]}`

/** Requests that the server rejects after it has read only their headers. */
const REFUSED = [
  { status: 401, path: '/api/v1/runs', headers: [TYPE] },
  { status: 403, path: '/api/v1/runs', headers: [TYPE, authorization('read')] },
  { status: 413, path: '/api/v1/auth/login', headers: [TYPE] },
  { status: 415, path: '/api/v1/runs', headers: [TYPE, authorization('write'), 'Content-Encoding: br'] },
] as const
const KINDS = ['close', 'keep-alive'] as const
const CASES = REFUSED.flatMap((refused) => KINDS.map((connection) => ({ ...refused, connection })))
afterAll(() => spec.close())

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/**
 * A client that sends all bytes before it reads, as many clients do. Returns all that the server sends until it closes.
 */
const sendThenRead = async (port: number, bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1').pause()
  await once(socket, 'connect')
  await new Promise<void>((resolve, reject) =>
    socket.once('error', reject).write(bytes, (error) => (error ? reject(error) : resolve())),
  )
  return text(socket)
}

const head = (path: string, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n')
const spec = await openApp({ mode: 'closed' })
await spec.app.listen({ port: 0, host: '127.0.0.1' })
const port = portOf(spec.app.server)

describe('a request that is rejected before its body arrived', () => {
  it.each(CASES)('receives $status with Connection: $connection', async ({ status, path, headers, connection }) => {
    const request = head(path, [...headers, `Content-Length: ${SIZE}`, `Connection: ${connection}`]) + ' '.repeat(SIZE)
    const next = connection === 'close' ? '' : 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const received = await sendThenRead(port, request + next)
    expect(
      received
        .split('HTTP/1.1 ')
        .slice(1)
        .map((answer) => Number(answer.slice(0, 3))),
    ).toEqual(connection === 'close' ? [status] : [status, 200])
    expect(received).toMatch(/^HTTP\/1\.1 \d+ [^]*\r\n\r\n\{"error":"[^}]+"\}/)
  })

  it.each(KINDS)('receives 413 for a body without Content-Length, with Connection: %s', async (connection) => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const received = await sendThenRead(
      port,
      `${head('/api/v1/auth/login', [TYPE, 'Transfer-Encoding: chunked', `Connection: ${connection}`])}${chunk.repeat(40)}0\r\n\r\n${connection === 'close' ? '' : 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'}`,
    )
    expect(received).toMatch(
      connection === 'close' ? /^HTTP\/1\.1 413 [^]*\}$/ : /^HTTP\/1\.1 413 [^]*\}HTTP\/1\.1 200 /,
    )
  })

  it('receives 431 for headers that are too large', async () => {
    expect(
      await sendThenRead(
        port,
        head('/api/v1/runs', [`X-Filler: ${'x'.repeat(40_000)}`, `Content-Length: ${SIZE}`]) + ' '.repeat(SIZE),
      ),
    ).toMatch(/^HTTP\/1\.1 431 [^]*\}$/)
  })

  const python = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'python3'))
    .find((path) => existsSync(path))
  if (python)
    it("receives the response through Python's http.client", async () => {
      const script = `
import http.client, json, sys
for status, port, path, headers, connection in json.loads(sys.stdin.read()):
    client = http.client.HTTPConnection('127.0.0.1', port)
    client.request('POST', path, b' ' * ${SIZE}, {**headers, 'Connection': connection})
    answer = client.getresponse()
    print(connection, answer.status, sorted(json.loads(answer.read())))
`
      const requests = CASES.map(({ status, path, headers, connection }) => [
        status,
        port,
        path,
        Object.fromEntries(headers.map((line) => line.split(': ') as [string, string])),
        connection,
      ])
      const child = spawn(python, ['-c', script], { stdio: ['pipe', 'pipe', 'pipe'] })
      child.stdin.end(JSON.stringify(requests))
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
      expect(errors).toBe('')
      expect(output.trim().split('\n')).toEqual(
        CASES.map(({ status, connection }) => `${connection} ${status} ['error']`),
      )
    })
})

describe('a body that arrives after the response', () => {
  const MAX_BYTES = 1024 * 1024
  let now: number
  let server: Server
  let requested: string[]
  const sockets: Socket[] = []

  beforeEach(() => {
    now = 0
    requested = []
    server = createServer((request, response) => {
      requested.push(request.url ?? '')
      response.writeHead(401, { 'content-length': 2 }).end('no')
    })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const listen = async (): Promise<void> => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  /** Opens a client that has its response but has not sent its body. Its side stays open until the test ends it. */
  const openAnswered = async (
    connection: string,
    length: number | null,
  ): Promise<{ client: Socket; serverSocket: Socket }> => {
    const client = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true })
    sockets.push(client)
    client.on('error', () => {})
    const accepted = once(server, 'connection')
    client.write(
      head('/', [
        length === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
        `Connection: ${connection}`,
      ]),
    )
    const [serverSocket] = (await accepted) as [Socket]
    let received = ''
    while (!received.endsWith('no')) received += String(((await once(client, 'data')) as [Buffer])[0])
    return { client: client.resume(), serverSocket }
  }
  const whenClosed = async (socket: Socket): Promise<void> => void (socket.closed || (await once(socket, 'close')))
  const watchConnections = (): Connections => trackConnections(server, () => now)

  it.each(KINDS)('is read up to a limit, with Connection: %s', async (connection) => {
    earlyAnswers(server, () => () => {}, MAX_BYTES)
    await listen()
    const { client, serverSocket } = await openAnswered(connection, 100_000_000)
    client.write(Buffer.alloc(8 * MAX_BYTES))
    await whenClosed(serverSocket)
    expect(serverSocket.bytesRead).toBeGreaterThan(MAX_BYTES)
    expect(serverSocket.bytesRead).toBeLessThan(2 * MAX_BYTES)
  })

  it.each(KINDS)('must arrive at the minimum rate for bodies, with Connection: %s', async (connection) => {
    const { dropSlow } = watchConnections()
    await listen()
    const { client, serverSocket } = await openAnswered(connection, 100_000_000)
    client.write('begun')
    now = BODY_WINDOW_MS - 1
    dropSlow()
    expect(serverSocket.destroyed).toBe(false)
    now = BODY_WINDOW_MS
    dropSlow()
    await whenClosed(serverSocket)
  })

  it('ends the connection: first the side of the server, then the side of the client', async () => {
    const { dropSlow } = watchConnections()
    await listen()
    const { client, serverSocket } = await openAnswered('close', 1000)
    expect(serverSocket.writableEnded).toBe(false)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    dropSlow()
    expect([serverSocket.destroyed, serverSocket.writableEnded]).toEqual([false, true])
    client.end()
    await whenClosed(serverSocket)
    expect(serverSocket.errored).toBeNull()
  })

  it('does not keep the connection open if the client does not close its side', async () => {
    const { dropSlow } = watchConnections()
    await listen()
    const { client, serverSocket } = await openAnswered('close', 1000)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    now = CLOSE_TIMEOUT_MS - 1
    dropSlow()
    expect(serverSocket.destroyed).toBe(false)
    now = CLOSE_TIMEOUT_MS
    dropSlow()
    await whenClosed(serverSocket)
  })

  it('is not parsed as another request after the connection ended', async () => {
    watchConnections()
    await listen()
    const { client, serverSocket } = await openAnswered('close', 1000)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    client.end('POST /again HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
    await whenClosed(serverSocket)
    expect(requested).toEqual(['/'])
  })

  it('is read while the server closes, and then ends the connection', async () => {
    const { endIdle } = watchConnections()
    await listen()
    const { client, serverSocket } = await openAnswered('keep-alive', 1000)
    endIdle()
    expect(serverSocket.destroyed).toBe(false)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    client.end()
    await whenClosed(serverSocket)
    expect(serverSocket.errored).toBeNull()
  })
})
