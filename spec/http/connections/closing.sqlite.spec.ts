import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeInOrder, CUT_MS } from '../../../http/connections/closing.ts'
import { trackConnections } from '../../../http/connections/connections.ts'

/** Larger than the kernel's socket buffers: a response is not sent completely while the client does not read. */
const LARGE = Buffer.alloc(32 * 1024 * 1024)

const upload = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{`
const READ = 'GET /large?part=1 HTTP/1.1\r\nHost: x\r\n\r\n'

describe('closing the app', () => {
  let app: FastifyInstance
  let logged: Array<Record<string, unknown>>
  const sockets: Socket[] = []

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    logged = []
    app = fastify()
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    app.get('/large', async () => LARGE)
    app.post('/upload', async ({ raw }) => text(raw))
    app.post('/refused', async (_, reply) => reply.code(401).send('no'))
    const logger = pino(
      { base: null, timestamp: false },
      { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
    )
    closeInOrder(app, { connections: trackConnections(app.server), streams: { close: () => {} } }, logger)
    await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const socket of sockets.splice(0)) socket.destroy()
    await app.close()
  })

  /** Opens a client that sends `bytes`, then neither sends nor reads. Resolves with its request once it has arrived. */
  const openSlowClient = async (bytes: string): Promise<IncomingMessage> => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
    sockets.push(socket)
    socket.on('error', () => {})
    const requested = once(app.server, 'request')
    socket.write(bytes)
    return ((await requested) as [IncomingMessage])[0]
  }
  /** Starts to close the app. Resolves when it no longer accepts connections and waits for its clients. */
  const close = async (): Promise<{ readonly closed: Promise<unknown> }> => {
    const closed = app.close()
    while (app.server.listening) await yieldToEventLoop()
    return { closed }
  }

  it('cuts slow clients after 10 s, and logs their requests', async () => {
    const refused = await openSlowClient(upload('/refused'))
    await once(sockets[0] as Socket, 'readable')
    const requests = [await openSlowClient(upload('/upload')), await openSlowClient(READ), refused]
    const { closed } = await close()
    vi.advanceTimersByTime(CUT_MS - 1)
    expect(requests.map(({ socket }) => socket.destroyed)).toEqual([false, false, false])
    expect(logged).toEqual([])
    vi.advanceTimersByTime(1)
    expect(requests.map(({ socket }) => socket.destroyed)).toEqual([true, true, true])
    await closed
    // The third request already had its response, so it is not logged.
    expect(logged).toEqual([
      {
        level: 40,
        count: 2,
        requests: [
          { method: 'POST', path: '/upload' },
          { method: 'GET', path: '/large' },
        ],
        msg: 'requests that were not done 10 s after the stop were cut',
      },
    ])
  })

  it('closes without a cut as soon as all clients have finished, and leaves no timer', async () => {
    const sending = await openSlowClient(upload('/upload'))
    await openSlowClient(READ)
    const { closed } = await close()
    sockets[0]?.resume().write('x'.repeat(999))
    let receivedBytes = 0
    sockets[1]?.on('data', (chunk: Buffer) => void (receivedBytes += chunk.length)).resume()
    await closed
    expect(sending.complete).toBe(true)
    while (sockets[1]?.readableEnded === false) await yieldToEventLoop()
    expect(receivedBytes).toBeGreaterThan(LARGE.length)
    expect([vi.getTimerCount(), logged]).toEqual([0, []])
  })
})
