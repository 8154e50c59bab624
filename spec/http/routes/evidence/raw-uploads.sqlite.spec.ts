import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { aDocument } from '../../../support/documents/documents.ts'
import { digestOf, noise, PIECE, putPart } from '../../../support/documents/parts.ts'
import { rawRequest } from '../../../support/http/raw-request.ts'
import { openApp, TOKENS } from '../../../support/servers/app.ts'

const MAX_PART_BYTES = 20_000_000
const BUDGET = 64 * 1024
const spec = await openApp({ partLimits: { maxBytes: MAX_PART_BYTES }, receivedBytes: BUDGET })
afterAll(() => spec.close())
const requests: IncomingMessage[] = []
spec.app.server.on('request', (request: IncomingMessage) => void requests.push(request))
await spec.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = spec.app.server.address() as AddressInfo
const [write, read] = [spec.sendAs('write'), spec.sendAs('read')]

const headOf = (line: string, headers: Readonly<Record<string, string>>): string =>
  [
    `${line} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${TOKENS.write}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')
const headOfPart = (n: number, headers: Readonly<Record<string, string>>): string =>
  headOf(`PUT /api/v1/parts/${digestOf(Buffer.from(String(n)))}`, {
    'Content-Type': 'application/octet-stream',
    ...headers,
  })

describe('a body beyond a limit', () => {
  it.each([
    ['a whole part', headOfPart(0, { 'Content-Length': String(MAX_PART_BYTES + 1) })],
    [
      'a piece of a part that would be too large',
      headOfPart(0, {
        'Content-Length': String(PIECE),
        'Content-Range': `bytes 0-${PIECE - 1}/${MAX_PART_BYTES + 1}`,
      }),
    ],
    [
      'a body that is longer than its piece',
      headOfPart(0, { 'Content-Length': String(PIECE + 1), 'Content-Range': `bytes 0-${PIECE - 1}/${2 * PIECE}` }),
    ],
    [
      'a form',
      headOf('POST /api/v1/parts', {
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': String(8 * PIECE + 1),
      }),
    ],
  ])('is answered with 413 before a byte of it is sent: %s', async (_, head) => {
    expect(await rawRequest(port, head, /\}$/)).toMatch(/^HTTP\/1\.1 413 [^]*\r\n\r\n\{"error":"[^"]+"\}$/)
  })
})

describe('many slow clients', () => {
  const CLIENTS = 300
  const FIRST_BYTES = 100
  const MORE_BYTES = 200

  it('count for what they have sent, so that others are served, and beyond all room they are refused with Retry-After', async () => {
    requests.length = 0
    const answers = new Map<number, string>()
    const head = (n: number) =>
      headOfPart(n, { 'Content-Length': String(PIECE), 'Content-Range': `bytes 0-${PIECE - 1}/${2 * PIECE}` })
    const sockets = Array.from({ length: CLIENTS }, (_, n): Socket => {
      const socket = connect(port, '127.0.0.1', () => socket.write(head(n) + 'x'.repeat(FIRST_BYTES)))
      return socket
        .on('error', () => {})
        .on('data', (chunk) => void answers.set(n, (answers.get(n) ?? '') + chunk.toString('latin1')))
    })
    const sentHeads = sockets.reduce((sum, _, n) => sum + head(n).length, 0)
    const receivedBytes = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0) - sentHeads
    await expect.poll(receivedBytes).toBe(CLIENTS * FIRST_BYTES)

    // What they have announced is ten thousand times the room.
    expect((await spec.ingest(aDocument({ run_id: 'meanwhile' }))).statusCode).toBe(201)
    expect((await putPart(write, noise(20_000))).statusCode).toBe(200)
    expect((await read('GET', '/runs/meanwhile')).statusCode).toBe(200)
    expect(answers.size).toBe(0)

    for (const socket of sockets) socket.write('x'.repeat(MORE_BYTES))
    const mostInRoom = Math.floor(BUDGET / (FIRST_BYTES + MORE_BYTES))
    await expect.poll(receivedBytes).toBe(CLIENTS * (FIRST_BYTES + MORE_BYTES))
    await expect.poll(() => answers.size).toBeGreaterThanOrEqual(CLIENTS - mostInRoom)
    expect(answers.size).toBeLessThan(CLIENTS / 2)
    for (const answer of answers.values()) expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: \d+\r\n/i)
    expect((await read('GET', '/runs/meanwhile')).statusCode).toBe(200)

    const left = requests.map(({ socket }) => once(socket, 'close'))
    for (const socket of sockets) socket.destroy()
    await Promise.all(left)
    expect((await putPart(write, noise(BUDGET))).statusCode).toBe(200)
  })
})
