import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeInOrder, CUT_MS } from '../../../http/connections/closing.ts'
import { connectionsOf } from '../../../http/connections/connections.ts'

/** More than the kernel takes of an answer that nobody reads. */
const LARGE = Buffer.alloc(32 * 1024 * 1024)

const upload = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{`
const READ = 'GET /large?part=1 HTTP/1.1\r\nHost: x\r\n\r\n'

describe('an app that closes', () => {
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
    closeInOrder(app, connectionsOf(app.server), logger)
    await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const socket of sockets.splice(0)) socket.destroy()
    await app.close()
  })

  /** A client that sends a text, and neither sends nor reads any more. Gives its request where it has come in. */
  const slow = async (sent: string): Promise<IncomingMessage> => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
    sockets.push(socket)
    socket.on('error', () => {})
    const asked = once(app.server, 'request')
    socket.write(sent)
    return ((await asked) as [IncomingMessage])[0]
  }
  /** Closes the app, up to where it waits for its clients. */
  const close = async (): Promise<{ readonly closed: Promise<unknown> }> => {
    const closed = app.close()
    while (app.server.listening) await turn()
    return { closed }
  }

  it('cuts what slow clients have not sent or taken after 10 s, and logs it', async () => {
    const refused = await slow(upload('/refused'))
    await once(sockets[0] as Socket, 'readable')
    const requests = [await slow(upload('/upload')), await slow(READ), refused]
    const { closed } = await close()
    vi.advanceTimersByTime(CUT_MS - 1)
    expect(requests.map(({ socket }) => socket.destroyed)).toEqual([false, false, false])
    expect(logged).toEqual([])
    vi.advanceTimersByTime(1)
    expect(requests.map(({ socket }) => socket.destroyed)).toEqual([true, true, true])
    await closed
    // One had its answer, and nothing of it was undone.
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

  it('lets clients send and take what they are at, cuts nothing where they are done before that, and waits no longer', async () => {
    const sending = await slow(upload('/upload'))
    await slow(READ)
    const { closed } = await close()
    sockets[0]?.resume().write('x'.repeat(999))
    let taken = 0
    sockets[1]?.on('data', (chunk: Buffer) => void (taken += chunk.length)).resume()
    await closed
    expect(sending.complete).toBe(true)
    while (sockets[1]?.readableEnded === false) await turn()
    expect(taken).toBeGreaterThan(LARGE.length)
    expect([vi.getTimerCount(), logged]).toEqual([0, []])
  })
})
