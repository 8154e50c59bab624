import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket, type AddressInfo } from 'node:net'
import fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import {
  countOutgoing,
  MAX_OUTGOING_BYTES,
  outgoingBytes,
  SMALL_ANSWER_BYTES,
  answerStream,
} from '../../../http/answers/outgoing-bytes.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'

const KIB = 1024

const aResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()))

describe('the limit on outgoing responses', () => {
  it('counts a response until its client received it or disconnected', () => {
    const { admits } = outgoingBytes(1_000 * KIB)
    const [finished, abandoned] = [aResponse(), aResponse()]
    expect([admits(finished, 600 * KIB), admits(abandoned, 400 * KIB), admits(aResponse(), 100 * KIB)]).toEqual([
      true,
      true,
      false,
    ])
    finished.emit('finish')
    finished.emit('close')
    expect([admits(aResponse(), 600 * KIB), admits(aResponse(), 100 * KIB)]).toEqual([true, false])
    abandoned.emit('close')
    expect([admits(aResponse(), 400 * KIB), admits(aResponse(), 100 * KIB)]).toEqual([true, false])
  })

  it('admits a single response of any size, and any number of small ones', () => {
    const { admits } = outgoingBytes(100 * KIB)
    expect(admits(aResponse(), 64 * 1024 * KIB)).toBe(true)
    for (let i = 0; i < 100; i++) expect(admits(aResponse(), SMALL_ANSWER_BYTES)).toBe(true)
    expect(admits(aResponse(), SMALL_ANSWER_BYTES + 1)).toBe(false)
  })
})

describe('a streamed response', () => {
  /** A stream of 256 KiB parts, and the number of parts that were requested. */
  const streamOfParts = (count: number, last: 'last' | 'gone' = 'last') => {
    let requestedParts = 0
    const body = Buffer.alloc(256 * KIB, 'x')
    const rest = {
      memoryBytes: 0,
      next: async () =>
        ++requestedParts === count ? (last === 'gone' ? null : { body, etag: null }) : { body, etag: null, rest },
    }
    return { stream: answerStream(Buffer.alloc(1024 * KIB, 'b'), rest), requested: () => requestedParts }
  }

  it('is produced only as fast as its client reads it', async () => {
    const { stream, requested } = streamOfParts(100)
    for (let readParts = 0; readParts < 20; readParts++) {
      stream.read(256 * KIB)
      for (let step = 0; step < 20; step++) await new Promise((resolve) => setImmediate(resolve))
      // The start is as long as four parts, and two parts are read ahead.
      expect(requested()).toBeLessThanOrEqual(Math.max(0, readParts - 4) + 3)
    }
    stream.destroy()
  })

  it('is complete at its end, and fails if its run is deleted meanwhile', async () => {
    let length = 0
    for await (const chunk of streamOfParts(5).stream) length += (chunk as Buffer).length
    expect(length).toBe((1024 + 5 * 256) * KIB)
    await expect(streamOfParts(2, 'gone').stream.toArray()).rejects.toThrow('deleted meanwhile')
  })
})

describe('the counted size of a streamed response', () => {
  const countOf = async (startBytes: number, partBytes: number): Promise<number> => {
    const sizes: number[] = []
    const app = fastify()
    countOutgoing(app, { hold: (_response, bytes) => void sizes.push(bytes), admits: () => true })
    const rest = { memoryBytes: 5, next: async () => ({ body: Buffer.alloc(partBytes, 'x'), etag: null }) }
    app.get('/', async (_request, reply) => reply.send(answerStream(Buffer.alloc(startBytes, 'b'), rest)))
    expect((await app.inject('/')).rawPayload).toHaveLength(startBytes + partBytes)
    await app.close()
    expect(sizes).toHaveLength(1)
    return sizes[0] ?? 0
  }

  it('is its start and two parts, even if the parts are large', async () => {
    expect(await countOf(1024 * KIB + 1, 256 * KIB)).toBe(1024 * KIB + 1 + 512 * KIB + 5)
    expect(await countOf(9 * 1024 * KIB, 8 * 1024 * KIB)).toBe((9 + 2 * 8) * 1024 * KIB + 5)
  })
})

describe('a server without room for another large response', () => {
  let spec: SpecApp
  afterEach(() => spec.close())

  /** Returns the bytes that a server sends for a request. */
  const rawResponse = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect((spec.app.server.address() as AddressInfo).port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
      socket.once('close', () => resolve(text)).once('error', reject)
      socket.write(`GET /api/v1${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    })

  it('sends 503 with Retry-After for large responses, and still sends small ones', async () => {
    const answers = outgoingBytes(400 * KIB)
    spec = await openApp({ mode: 'open', parts: () => ({ answers }) })
    await spec.ingest(aDocument({ run_id: 'a', config_snapshot: 'c'.repeat(300 * KIB) }))
    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    const before = await spec.sendAs(null)('GET', '/runs/a/config')
    expect([before.statusCode, before.body.length > 300 * KIB]).toEqual([200, true])
    const occupying = aResponse()
    answers.hold(occupying, 350 * KIB)
    for (let attempt = 0; attempt < 2; attempt++) {
      for (const path of ['/runs/a/config', '/runs/a/config?&', '/runs/a/export', '/openapi.json']) {
        const rejected = await rawResponse(path)
        expect(rejected, path).toMatch(/^HTTP\/1\.1 503 /)
        expect(rejected.toLowerCase(), path).toContain('\r\nretry-after: 1\r\n')
        expect(rejected.toLowerCase(), path).not.toMatch(/\r\netag:/)
        expect(rejected, path).toMatch(/\{"error":"[^"]+"\}$/)
      }
      expect(await rawResponse('/runs')).toMatch(/^HTTP\/1\.1 200 /)
    }
    const notModified = await spec.sendAs(null)('GET', '/runs/a/config', {
      headers: { 'if-none-match': String(before.headers['etag']) },
    })
    expect(notModified.statusCode).toBe(304)
    occupying.emit('close')
    for (const path of ['/runs/a/config', '/runs/a/export', '/openapi.json'])
      expect(await rawResponse(path)).toMatch(/^HTTP\/1\.1 200 /)
    const after = await spec.sendAs(null)('GET', '/runs/a/config')
    expect([after.headers['etag'], after.body]).toEqual([before.headers['etag'], before.body])
  })
})

it('the default limit on outgoing responses is larger than the largest unstreamed response', () =>
  expect(MAX_OUTGOING_BYTES).toBeGreaterThan(64 * KIB * KIB))
