import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import {
  countOutgoing,
  MAX_OUTGOING_BYTES,
  outgoingBytes,
  SMALL_ANSWER_BYTES,
  streamOf,
} from '../../../http/answers/outgoing-bytes.ts'
import { openApp } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'

const KIB = 1024

const aResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()))

describe('the bound on answers on their way', () => {
  it('counts an answer until its client took it or is disconnected', () => {
    const { admits } = outgoingBytes(1_000 * KIB)
    const [taken, left] = [aResponse(), aResponse()]
    expect([admits(taken, 600 * KIB), admits(left, 400 * KIB), admits(aResponse(), 100 * KIB)]).toEqual([
      true,
      true,
      false,
    ])
    taken.emit('finish')
    taken.emit('close')
    expect([admits(aResponse(), 600 * KIB), admits(aResponse(), 100 * KIB)]).toEqual([true, false])
    left.emit('close')
    expect([admits(aResponse(), 400 * KIB), admits(aResponse(), 100 * KIB)]).toEqual([true, false])
  })

  it('lets one alone be as large as it is, and any number be small', () => {
    const { admits } = outgoingBytes(100 * KIB)
    expect(admits(aResponse(), 64 * 1024 * KIB)).toBe(true)
    for (let i = 0; i < 100; i++) expect(admits(aResponse(), SMALL_ANSWER_BYTES)).toBe(true)
    expect(admits(aResponse(), SMALL_ANSWER_BYTES + 1)).toBe(false)
  })
})

describe('an answer that goes on', () => {
  /** Parts of 256 KiB; tells how many were asked for. */
  const parts = (count: number, last: 'last' | 'gone' = 'last') => {
    let made = 0
    const body = Buffer.alloc(256 * KIB, 'x')
    const rest = {
      held: 0,
      next: async () =>
        ++made === count ? (last === 'gone' ? null : { body, etag: null }) : { body, etag: null, rest },
    }
    return { stream: streamOf(Buffer.alloc(1024 * KIB, 'b'), rest), made: () => made }
  }

  it('is made only as far as its client takes it', async () => {
    const { stream, made } = parts(100)
    for (let taken = 0; taken < 20; taken++) {
      stream.read(256 * KIB)
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      // The begin is as long as four parts, and two are made ahead.
      expect(made()).toBeLessThanOrEqual(Math.max(0, taken - 4) + 3)
    }
    stream.destroy()
  })

  it('is whole at its end, and an error where its run was deleted meanwhile', async () => {
    let length = 0
    for await (const chunk of parts(5).stream) length += (chunk as Buffer).length
    expect(length).toBe((1024 + 5 * 256) * KIB)
    const cut = parts(2, 'gone').stream
    await expect(cut.toArray()).rejects.toThrow('deleted meanwhile')
  })
})

describe('what an answer that goes on is counted for', () => {
  const countOf = async (begin: number, part: number): Promise<number> => {
    const counted: number[] = []
    const app = fastify()
    countOutgoing(app, { hold: (_response, bytes) => void counted.push(bytes), admits: () => true })
    const rest = { held: 5, next: async () => ({ body: Buffer.alloc(part, 'x'), etag: null }) }
    app.get('/', async (_request, reply) => reply.send(streamOf(Buffer.alloc(begin, 'b'), rest)))
    expect((await app.inject('/')).rawPayload).toHaveLength(begin + part)
    await app.close()
    expect(counted).toHaveLength(1)
    return counted[0] ?? 0
  }

  it('is its begin and two parts, also where its parts are wide', async () => {
    expect(await countOf(1024 * KIB + 1, 256 * KIB)).toBe(1024 * KIB + 1 + 512 * KIB + 5)
    expect(await countOf(9 * 1024 * KIB, 8 * 1024 * KIB)).toBe((9 + 2 * 8) * 1024 * KIB + 5)
  })
})

describe('a server without room for another large answer', () => {
  let spec: SpecApp
  afterEach(() => spec.close())

  /** The bytes that a server sends to a request. */
  const raw = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect((spec.app.server.address() as AddressInfo).port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
      socket.once('close', () => resolve(text)).once('error', reject)
      socket.write(`GET /api/v1${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    })

  it('answers 503 that says when to come back, to cached answers, exports and all others, and goes on with small ones', async () => {
    const answers = outgoingBytes(400 * KIB)
    spec = await openApp({ mode: 'open', parts: () => ({ answers }) })
    await spec.ingest(aDocument({ run_id: 'a', config_snapshot: 'c'.repeat(300 * KIB) }))
    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    const before = await spec.as(null)('GET', '/runs/a/config')
    expect([before.statusCode, before.body.length > 300 * KIB]).toEqual([200, true])
    const filling = aResponse()
    answers.hold(filling, 350 * KIB)
    for (let turn = 0; turn < 2; turn++) {
      for (const path of ['/runs/a/config', '/runs/a/config?&', '/runs/a/export', '/openapi.json']) {
        const refused = await raw(path)
        expect(refused, path).toMatch(/^HTTP\/1\.1 503 /)
        expect(refused.toLowerCase(), path).toContain('\r\nretry-after: 1\r\n')
        expect(refused.toLowerCase(), path).not.toMatch(/\r\netag:/)
        expect(refused, path).toMatch(/\{"error":"[^"]+"\}$/)
      }
      expect(await raw('/runs')).toMatch(/^HTTP\/1\.1 200 /)
    }
    const held = await spec.as(null)('GET', '/runs/a/config', {
      headers: { 'if-none-match': String(before.headers['etag']) },
    })
    expect(held.statusCode).toBe(304)
    filling.emit('close')
    for (const path of ['/runs/a/config', '/runs/a/export', '/openapi.json'])
      expect(await raw(path)).toMatch(/^HTTP\/1\.1 200 /)
    const after = await spec.as(null)('GET', '/runs/a/config')
    expect([after.headers['etag'], after.body]).toEqual([before.headers['etag'], before.body])
  })

  it('has room for the largest answer that is not sent in parts, and bounds the others by it', () =>
    expect(MAX_OUTGOING_BYTES).toBeGreaterThan(64 * KIB * KIB))
})
