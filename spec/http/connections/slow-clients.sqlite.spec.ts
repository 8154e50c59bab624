import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ANSWER_WINDOW_MS,
  BODY_WINDOW_MS,
  CHECK_MS,
  trackConnections,
  MIN_BODY_GROWTH,
  MIN_BYTES_PER_SECOND,
} from '../../../http/connections/connections.ts'
import type { Connections } from '../../../http/connections/connections.ts'
import { slowClients, type Transfer } from '../../../http/connections/slow-clients.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'

describe('a watched transfer', () => {
  let now: number
  let movedBytes: number
  let isWaiting: boolean
  let dropCount: number
  beforeEach(() => {
    now = 0
    movedBytes = 0
    isWaiting = true
    dropCount = 0
  })

  const transfer: Transfer = {
    transferredBytes: () => movedBytes,
    isWaiting: () => isWaiting,
    windowMs: 30,
    minBytes: (heldBytes) => Math.max(10, heldBytes / 10),
    drop: () => void dropCount++,
  }

  const watchTransfer = () => {
    const slow = slowClients(() => now)
    const stop = slow.watch(transfer)
    /** Advances the clock, moves bytes and runs the check; returns the number of drops. */
    const advance = (milliseconds: number, bytes: number): number => {
      now += milliseconds
      movedBytes += bytes
      slow.check()
      return dropCount
    }
    return { slow, stop, after: advance }
  }

  it('is dropped once, at the end of its window, when too few bytes moved', () => {
    const { after, slow } = watchTransfer()
    expect(after(29, 0)).toBe(0)
    expect(after(1, 9)).toBe(1)
    expect(after(100, 0)).toBe(1)
    expect(slow.watching()).toBe(0)
  })

  it('continues while each window moves enough bytes', () => {
    const { after } = watchTransfer()
    for (let n = 0; n < 10; n++) expect(after(30, 10)).toBe(0)
    expect(after(30, 9)).toBe(1)
  })

  it('must move more when it holds more memory', () => {
    const { after } = watchTransfer()
    expect(after(30, 1000)).toBe(0)
    expect(after(30, 99)).toBe(1)
  })

  it('is not measured while it waits for the service', () => {
    const { after } = watchTransfer()
    isWaiting = false
    expect(after(1000, 0)).toBe(0)
    isWaiting = true
    expect(after(29, 0)).toBe(0)
    expect(after(1, 0)).toBe(1)
  })

  it('is ignored when it is finished', () => {
    const { after, stop } = watchTransfer()
    stop()
    expect(after(1000, 0)).toBe(0)
  })
})

describe('a client', () => {
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
      // `/upload` reads its body. Any other path reads and answers nothing, like a busy service.
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
    connections = trackConnections(server, () => now)
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
    const writeMore = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', writeMore)
    }
    writeMore()
  }

  /** A client that sends a text and reads nothing until it is resumed. */
  const client = async (text: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    const requested = text === '' ? null : new Promise((resolve) => server.once('request', resolve))
    socket.write(text)
    await requested
    return socket.pause()
  }
  const whenClosed = (socket: Socket) =>
    new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.resume().once('close', () => resolve())))
  const whenReceived = (bytes: number) => expect.poll(receivedBytes).toBeGreaterThanOrEqual(bytes)
  const receivedBytes = (): number => [...serverSockets].reduce((sum, socket) => sum + socket.bytesRead, 0)
  const serverSockets = new Set<Socket>()
  beforeEach(() => {
    serverSockets.clear()
    server.on('connection', (socket: Socket) => serverSockets.add(socket))
  })

  it('whose body stalls gets a request timeout', async () => {
    const socket = await client('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegun')
    now = BODY_WINDOW_MS - 1
    connections.dropSlow()
    expect(errors).toEqual([])
    now = BODY_WINDOW_MS
    connections.dropSlow()
    await whenClosed(socket)
    expect(errors).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('may send its body at 1 KiB/s, but not slower', async () => {
    const head = 'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n'
    const socket = await client(head)
    const enoughBytes = (MIN_BYTES_PER_SECOND * BODY_WINDOW_MS) / 1000
    socket.write(Buffer.alloc(enoughBytes))
    await whenReceived(head.length + enoughBytes)
    now += BODY_WINDOW_MS
    connections.dropSlow()
    socket.write(Buffer.alloc(enoughBytes - 1))
    await whenReceived(head.length + 2 * enoughBytes - 1)
    expect(errors).toEqual([])
    now += BODY_WINDOW_MS
    connections.dropSlow()
    await whenClosed(socket)
    expect(errors).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('that sent much and then little is dropped after one window', async () => {
    const head = 'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 60000000\r\n\r\n'
    const socket = await client(head)
    const sentBytes = 2_000_000
    socket.write(Buffer.alloc(sentBytes))
    await whenReceived(head.length + sentBytes)
    now += BODY_WINDOW_MS
    connections.dropSlow()
    socket.write(Buffer.alloc(sentBytes * MIN_BODY_GROWTH - 1000))
    await whenReceived(head.length + sentBytes * (1 + MIN_BODY_GROWTH) - 1000)
    now += BODY_WINDOW_MS
    connections.dropSlow()
    await whenClosed(socket)
    expect(errors).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('that does not read its response is disconnected', async () => {
    const socket = await client('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    const serverSocket = [...serverSockets][0]
    // The client's buffer and some megabytes in the kernel fill up before the server has to wait.
    let lastWritten = -1
    const isFull = (): boolean => {
      const previous = lastWritten
      lastWritten = serverSocket?.bytesWritten ?? -1
      return (
        lastWritten === previous &&
        (serverSocket?.writableLength ?? 0) > 0 &&
        socket.readableLength >= socket.readableHighWaterMark
      )
    }
    await expect.poll(isFull).toBe(true)
    // Bytes in the kernel buffer count for the first window.
    now += ANSWER_WINDOW_MS
    connections.dropSlow()
    now += ANSWER_WINDOW_MS - 1
    connections.dropSlow()
    expect(serverSocket?.destroyed).toBe(false)
    now += 1
    connections.dropSlow()
    expect(serverSocket?.destroyed).toBe(true)
    await whenClosed(socket)
  })

  it('that reads its response is never disconnected', async () => {
    const socket = (await client('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')).resume()
    const [serverSocket] = serverSockets
    // Only bytes that left the server count. The client may also read bytes that waited in the kernel.
    const sentBytes = (): number => (serverSocket?.bytesWritten ?? 0) - (serverSocket?.writableLength ?? 0)
    for (let n = 1; n <= 20; n++) {
      const before = sentBytes()
      await expect.poll(sentBytes).toBeGreaterThan(before + 1024 * 1024)
      now += ANSWER_WINDOW_MS
      connections.dropSlow()
    }
    expect(socket.destroyed).toBe(false)
  })

  it('that waits for the service is not disconnected', async () => {
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

  it('has deadlines for headers, whole requests and idle connections', async () => {
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
    // This client keeps its own side of the connection open.
    const socket = connect({
      port: (spec.app.server.address() as AddressInfo).port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    })
    let received = ''
    socket.on('data', (chunk) => void (received += chunk.toString()))
    let request: IncomingMessage | undefined
    spec.app.server.once('request', (incoming: IncomingMessage) => (request = incoming))
    socket.write(
      'POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    // Waits until the route has read what arrived. Before that, the client counts as waiting for the service.
    await expect.poll(() => request?.readableDidRead && request.readableLength === 0).toBe(true)
    vi.advanceTimersByTime(BODY_WINDOW_MS + CHECK_MS)
    await new Promise((resolve) => socket.once('end', resolve))
    await expect.poll(() => request?.socket.destroyed).toBe(true)
    socket.destroy()
    expect(received).toMatch(/^HTTP\/1\.1 408 [^]*x-request-id: \w{26}\r\n[^]*\{"error":"the request took too long"\}$/)
  })
})
