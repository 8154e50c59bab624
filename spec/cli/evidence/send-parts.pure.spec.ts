import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serviceClient } from '../../../cli/client/service-client.ts'
import { sendParts } from '../../../cli/evidence/send-parts.ts'

const PIECE_BYTES = 8 * 1024 * 1024

type Sent = { readonly range: string | undefined; readonly bytes: Buffer }

let folder: string
let sent: Sent[]
let refusesFrom: number
const server = createServer((request, response) => {
  void buffer(request)
    .then((bytes) => {
      sent.push({ range: request.headers['content-range'], bytes })
      response.setHeader('content-type', 'application/json')
      if (sent.length > refusesFrom) response.writeHead(413).end('{"error":"too large"}')
      else response.end(JSON.stringify({ sha256: request.url?.slice(-64) }))
    })
    // The client ends the other requests after one was refused.
    .catch(() => response.destroy())
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ers-send-parts-'))
  sent = []
  refusesFrom = Infinity
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

const send = (path: string, sha256: string): Promise<number> => {
  const stored = { path, offset: 0, bytes: statSync(path).size }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const asked = { token: 't', signal: new AbortController().signal }
  return sendParts(serviceClient(url, 't', { signal: asked.signal }), new Map([[sha256, stored]]), asked, {
    isAll: true,
  })
}

it.each([
  [0, [undefined]],
  [1, [undefined]],
  [PIECE_BYTES, [undefined]],
  [PIECE_BYTES + 1, ['bytes 0-8388607/8388609', 'bytes 8388608-8388608/8388609']],
])('a file of %i bytes is sent whole or in pieces', async (size, ranges) => {
  const file = join(folder, 'part')
  const bytes = Buffer.alloc(size, 'evidence')
  writeFileSync(file, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(await send(file, sha256)).toBe(1)
  const inOrder = sent.toSorted((a, b) => b.bytes.length - a.bytes.length)
  expect(inOrder.map(({ range }) => range)).toEqual(ranges)
  expect(Buffer.concat(inOrder.map((each) => each.bytes)).equals(bytes)).toBe(true)
})

it('a file of more than 4 GiB is sent with its size', async () => {
  const file = join(folder, 'part')
  writeFileSync(file, 'begin')
  truncateSync(file, 2 ** 32 + 1)
  refusesFrom = 0
  await expect(send(file, 'a'.repeat(64))).rejects.toThrow('413')
  const first = sent.find(({ range }) => range === 'bytes 0-8388607/4294967297')
  expect(first?.bytes.subarray(0, 5).toString()).toBe('begin')
})
