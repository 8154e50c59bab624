import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ANSWER_WINDOW_MS,
  BODY_WINDOW_MS,
  CHECK_MS,
  connectionsOf,
  LEAST_GROWTH,
  LEAST_RATE,
} from '../../../http/connections/connections.ts'
import type { Connections } from '../../../http/connections/connections.ts'
import { slowClients } from '../../../http/connections/slow-clients.ts'
import type { Transfer } from '../../../http/connections/slow-clients.ts'
import { openApp } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'

describe('a watched transfer', () => {
  let now: number
  let moved: number
  let waiting: boolean
  let dropped: number
  beforeEach(() => {
    now = 0
    moved = 0
    waiting = true
    dropped = 0
  })

  const transfer: Transfer = {
    moved: () => moved,
    isWaiting: () => waiting,
    windowMs: 30,
    least: (held) => Math.max(10, held / 10),
    drop: () => void dropped++,
  }

  const watched = () => {
    const slow = slowClients(() => now)
    const stop = slow.watch(transfer)
    /** Lets time pass, some bytes move, and looks. */
    const after = (milliseconds: number, bytes: number): number => {
      now += milliseconds
      moved += bytes
      slow.check()
      return dropped
    }
    return { slow, stop, after }
  }

  it('is given up at the end of its window, once, when too little moved', () => {
    const { after, slow } = watched()
    expect(after(29, 0)).toBe(0)
    expect(after(1, 9)).toBe(1)
    expect(after(100, 0)).toBe(1)
    expect(slow.watching()).toBe(0)
  })

  it('goes on as long as each window moves enough', () => {
    const { after } = watched()
    for (let n = 0; n < 10; n++) expect(after(30, 10)).toBe(0)
    expect(after(30, 9)).toBe(1)
  })

  it('must move more where it holds more', () => {
    const { after } = watched()
    expect(after(30, 1000)).toBe(0)
    expect(after(30, 99)).toBe(1)
  })

  it('is not judged by the time in which it waits for us', () => {
    const { after } = watched()
    waiting = false
    expect(after(1000, 0)).toBe(0)
    waiting = true
    expect(after(29, 0)).toBe(0)
    expect(after(1, 0)).toBe(1)
  })

  it('is left alone when it is over', () => {
    const { after, stop } = watched()
    stop()
    expect(after(1000, 0)).toBe(0)
  })
})

describe('a slow client', () => {
  let now: number
  let server: Server
  let connections: Connections
  let errors: string[]
  const sockets: Socket[] = []

  beforeEach(async () => {
    now = 0
    errors = []
    server = createServer((request, response) => {
      if (request.url === '/endless') return void endless(response)
      // Like a route that takes a body, and like one that is busy and has not looked at it.
      if (request.url === '/upload')
        request
          .on('data', () => {})
          .on('end', () => response.end('taken'))
          .on('error', () => {})
    })
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      errors.push(error.code ?? '')
      socket.destroy()
    })
    connections = connectionsOf(server, () => now)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const endless = (response: {
    write: (chunk: Buffer) => boolean
    once: (event: 'drain' | 'close', listener: () => void) => unknown
    destroyed: boolean
  }): void => {
    const chunk = Buffer.alloc(64 * 1024)
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more)
    }
    more()
  }

  /** A client that sends a text and reads nothing unless it is told to. */
  const client = async (text: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    const asked = text === '' ? null : new Promise((resolve) => server.once('request', resolve))
    socket.write(text)
    await asked
    return socket.pause()
  }
  const closed = (socket: Socket) =>
    new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.resume().once('close', () => resolve())))
  const arrived = (bytes: number) => expect.poll(received).toBeGreaterThanOrEqual(bytes)
  const received = (): number => [...serverSockets].reduce((sum, socket) => sum + socket.bytesRead, 0)
  const serverSockets = new Set<Socket>()
  beforeEach(() => {
    serverSockets.clear()
    server.on('connection', (socket: Socket) => serverSockets.add(socket))
  })

  it('whose body stands still is told so as one that took too long', async () => {
    const socket = await client('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegun')
    now = BODY_WINDOW_MS - 1
    connections.dropSlow()
    expect(errors).toEqual([])
    now = BODY_WINDOW_MS
    connections.dropSlow()
    await closed(socket)
    expect(errors).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('whose body brings 1 KiB/s is borne, and not when it brings less', async () => {
    const head = 'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n'
    const socket = await client(head)
    const enough = (LEAST_RATE * BODY_WINDOW_MS) / 1000
    socket.write(Buffer.alloc(enough))
    await arrived(head.length + enough)
    now += BODY_WINDOW_MS
    connections.dropSlow()
    socket.write(Buffer.alloc(enough - 1))
    await arrived(head.length + 2 * enough - 1)
    expect(errors).toEqual([])
    now += BODY_WINDOW_MS
    connections.dropSlow()
    await closed(socket)
    expect(errors).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('that sent much and then dribbles holds it for one window', async () => {
    const head = 'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 60000000\r\n\r\n'
    const socket = await client(head)
    const much = 2_000_000
    socket.write(Buffer.alloc(much))
    await arrived(head.length + much)
    now += BODY_WINDOW_MS
    connections.dropSlow()
    socket.write(Buffer.alloc(much * LEAST_GROWTH - 1000))
    await arrived(head.length + much * (1 + LEAST_GROWTH) - 1000)
    now += BODY_WINDOW_MS
    connections.dropSlow()
    await closed(socket)
    expect(errors).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('that reads nothing of its answer is cut off', async () => {
    const socket = await client('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    const serverSocket = [...serverSockets][0]
    // The client's buffer takes what it can, and the kernel some megabytes, before the server has to wait.
    let before = -1
    const isFull = (): boolean => {
      const last = before
      before = serverSocket?.bytesWritten ?? -1
      return (
        before === last &&
        (serverSocket?.writableLength ?? 0) > 0 &&
        socket.readableLength >= socket.readableHighWaterMark
      )
    }
    await expect.poll(isFull).toBe(true)
    // What the kernel took counts for the first window.
    now += ANSWER_WINDOW_MS
    connections.dropSlow()
    now += ANSWER_WINDOW_MS - 1
    connections.dropSlow()
    expect(serverSocket?.destroyed).toBe(false)
    now += 1
    connections.dropSlow()
    expect(serverSocket?.destroyed).toBe(true)
    await closed(socket)
  })

  it('that takes its answer as it comes is never cut off', async () => {
    const socket = (await client('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')).resume()
    const [serverSocket] = serverSockets
    // What the client reads may have waited in the kernel: only what left the server counts there.
    const taken = (): number => (serverSocket?.bytesWritten ?? 0) - (serverSocket?.writableLength ?? 0)
    for (let n = 1; n <= 20; n++) {
      const before = taken()
      await expect.poll(taken).toBeGreaterThan(before + 1024 * 1024)
      now += ANSWER_WINDOW_MS
      connections.dropSlow()
    }
    expect(socket.destroyed).toBe(false)
  })

  it('that waits for us is not hurried', async () => {
    const socket = await client('GET /never HTTP/1.1\r\nHost: x\r\n\r\n')
    now = 1e9
    connections.dropSlow()
    expect([...serverSockets].map(({ destroyed }) => destroyed)).toEqual([false])
    expect(socket.destroyed).toBe(false)
  })
})

describe('the app', () => {
  let spec: SpecApp
  afterEach(() => {
    vi.useRealTimers()
    return spec.close()
  })

  it('has a deadline for headers, for a whole request and for an idle connection, and looks after them every few seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    spec = await openApp({ mode: 'open' })
    const { headersTimeout, requestTimeout, keepAliveTimeout } = spec.app.server
    expect({ headersTimeout, requestTimeout, keepAliveTimeout }).toEqual({
      headersTimeout: 20_000,
      requestTimeout: 300_000,
      keepAliveTimeout: 72_000,
    })
    expect(CHECK_MS).toBeLessThanOrEqual(5_000)

    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    // One that keeps its own side open, whatever it is told.
    const socket = connect({
      port: (spec.app.server.address() as AddressInfo).port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    })
    let heard = ''
    socket.on('data', (chunk) => void (heard += chunk.toString()))
    let request: IncomingMessage | undefined
    spec.app.server.once('request', (asked: IncomingMessage) => (request = asked))
    socket.write(
      'POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    // Until the route has read what came: before that, the client waits for us.
    await expect.poll(() => request?.readableDidRead && request.readableLength === 0).toBe(true)
    vi.advanceTimersByTime(BODY_WINDOW_MS + CHECK_MS)
    await new Promise((resolve) => socket.once('end', resolve))
    await expect.poll(() => request?.socket.destroyed).toBe(true)
    socket.destroy()
    expect(heard).toMatch(/^HTTP\/1\.1 408 [^]*x-request-id: \w{26}\r\n[^]*\{"error":"the request took too long"\}$/)
  })
})
