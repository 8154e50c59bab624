import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BODY_WINDOW_MS, connectionsOf } from '../../../http/connections/connections.ts'
import type { Connections } from '../../../http/connections/connections.ts'
import { earlyAnswers, FAREWELL_MS } from '../../../http/connections/early-answers.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'

const SIZE = 5_000_000
const TYPE = 'Content-Type: application/json'
const holding = (scope: keyof typeof TOKENS): string => `Authorization: Bearer ${TOKENS[scope]}`

/** Requests that are refused by their head alone. */
const REFUSED = [
  { status: 401, path: '/api/v1/runs', headers: [TYPE] },
  { status: 403, path: '/api/v1/runs', headers: [TYPE, holding('read')] },
  { status: 413, path: '/api/v1/auth/login', headers: [TYPE] },
  { status: 415, path: '/api/v1/runs', headers: [TYPE, holding('write'), 'Content-Encoding: br'] },
  { status: 503, path: '/api/v1/runs', headers: [TYPE, holding('write')] },
] as const
const KINDS = ['close', 'keep-alive'] as const
const CASES = REFUSED.flatMap((refused) => KINDS.map((connection) => ({ ...refused, connection })))

let ready: SpecApp
let starting: SpecApp
beforeAll(async () => {
  ready = await openApp({ mode: 'closed' })
  starting = await openApp({ mode: 'closed', isReady: () => false })
  for (const { app } of [ready, starting]) await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => Promise.all([ready.close(), starting.close()]))

const portOf = (server: Server): number => (server.address() as AddressInfo).port
const portFor = (status: number): number => portOf((status === 503 ? starting : ready).app.server)

/**
 * A client that sends a text to its last byte before it reads anything, as many do; gives all that the server says
 * until it ends.
 */
const sendThenRead = async (port: number, sent: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1').pause()
  await once(socket, 'connect')
  await new Promise<void>((resolve, reject) =>
    socket.once('error', reject).write(sent, (error) => (error ? reject(error) : resolve())),
  )
  return text(socket)
}

const head = (path: string, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n')

describe('a request that is refused before its body came', () => {
  it.each(CASES)('hears $status with Connection: $connection', async ({ status, path, headers, connection }) => {
    const request = head(path, [...headers, `Content-Length: ${SIZE}`, `Connection: ${connection}`]) + ' '.repeat(SIZE)
    const next = connection === 'close' ? '' : 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const heard = await sendThenRead(portFor(status), request + next)
    expect(
      heard
        .split('HTTP/1.1 ')
        .slice(1)
        .map((answer) => Number(answer.slice(0, 3))),
    ).toEqual(connection === 'close' ? [status] : [status, 200])
    expect(heard).toMatch(/^HTTP\/1\.1 \d+ [^]*\r\n\r\n\{"error":"[^}]+"\}/)
  })

  it.each(KINDS)('hears 413 for a body that tells no length, with Connection: %s', async (connection) => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const heard = await sendThenRead(
      portFor(413),
      `${head('/api/v1/auth/login', [TYPE, 'Transfer-Encoding: chunked', `Connection: ${connection}`])}${chunk.repeat(40)}0\r\n\r\n${connection === 'close' ? '' : 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'}`,
    )
    expect(heard).toMatch(connection === 'close' ? /^HTTP\/1\.1 413 [^]*\}$/ : /^HTTP\/1\.1 413 [^]*\}HTTP\/1\.1 200 /)
  })

  it('hears 431 for headers that are too large', async () => {
    expect(
      await sendThenRead(
        portFor(401),
        head('/api/v1/runs', [`X-Filler: ${'x'.repeat(40_000)}`, `Content-Length: ${SIZE}`]) + ' '.repeat(SIZE),
      ),
    ).toMatch(/^HTTP\/1\.1 431 [^]*\}$/)
  })

  const python = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'python3'))
    .find((path) => existsSync(path))
  if (python)
    it("hears it through Python's http.client", async () => {
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
        portFor(status),
        path,
        Object.fromEntries(headers.map((line) => line.split(': ') as [string, string])),
        connection,
      ])
      const child = spawn(python, ['-c', script], { stdio: ['pipe', 'pipe', 'pipe'] })
      child.stdin.end(JSON.stringify(requests))
      const [said, failed] = await Promise.all([text(child.stdout), text(child.stderr)])
      expect(failed).toBe('')
      expect(said.trim().split('\n')).toEqual(
        CASES.map(({ status, connection }) => `${connection} ${status} ['error']`),
      )
    })
})

describe('what still comes after an answer', () => {
  const MOST = 1024 * 1024
  let now: number
  let server: Server
  let asked: string[]
  const sockets: Socket[] = []

  beforeEach(() => {
    now = 0
    asked = []
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(401, { 'content-length': 2 }).end('no')
    })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const listening = async (): Promise<void> => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  /** A client that has its answer, and still has its body to send; it ends its side when it likes. */
  const answered = async (connection: string, length: number | null): Promise<{ client: Socket; ours: Socket }> => {
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
    const [ours] = (await accepted) as [Socket]
    let heard = ''
    while (!heard.endsWith('no')) heard += String(((await once(client, 'data')) as [Buffer])[0])
    return { client: client.resume(), ours }
  }
  const closed = async (socket: Socket): Promise<void> => void (socket.closed || (await once(socket, 'close')))
  const followed = (): Connections => connectionsOf(server, () => now)

  it.each(KINDS)('is received up to a bound, with Connection: %s', async (connection) => {
    earlyAnswers(server, () => () => {}, MOST)
    await listening()
    const { client, ours } = await answered(connection, 100_000_000)
    client.write(Buffer.alloc(8 * MOST))
    await closed(ours)
    expect(ours.bytesRead).toBeGreaterThan(MOST)
    expect(ours.bytesRead).toBeLessThan(2 * MOST)
  })

  it.each(KINDS)('must come as fast as every other body, with Connection: %s', async (connection) => {
    const { dropSlow } = followed()
    await listening()
    const { client, ours } = await answered(connection, 100_000_000)
    client.write('begun')
    now = BODY_WINDOW_MS - 1
    dropSlow()
    expect(ours.destroyed).toBe(false)
    now = BODY_WINDOW_MS
    dropSlow()
    await closed(ours)
  })

  it('ends a connection in both directions, one after the other', async () => {
    const { dropSlow } = followed()
    await listening()
    const { client, ours } = await answered('close', 1000)
    expect(ours.writableEnded).toBe(false)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    dropSlow()
    expect([ours.destroyed, ours.writableEnded]).toEqual([false, true])
    client.end()
    await closed(ours)
    expect(ours.errored).toBeNull()
  })

  it('does not hold a connection whose client keeps its side open', async () => {
    const { dropSlow } = followed()
    await listening()
    const { client, ours } = await answered('close', 1000)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    now = FAREWELL_MS - 1
    dropSlow()
    expect(ours.destroyed).toBe(false)
    now = FAREWELL_MS
    dropSlow()
    await closed(ours)
  })

  it('is no further request, once the connection is ended', async () => {
    followed()
    await listening()
    const { client, ours } = await answered('close', 1000)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    client.end('POST /again HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
    await closed(ours)
    expect(asked).toEqual(['/'])
  })

  it('is received while the server closes, and ends the connection then', async () => {
    const { endIdle } = followed()
    await listening()
    const { client, ours } = await answered('keep-alive', 1000)
    endIdle()
    expect(ours.destroyed).toBe(false)
    client.write(Buffer.alloc(1000))
    await once(client, 'end')
    client.end()
    await closed(ours)
    expect(ours.errored).toBeNull()
  })
})
