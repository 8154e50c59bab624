import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TranscriptSummary } from '../../../../queries/transcripts/summary.ts'
import { CHUNK_BYTES, decodeLengths } from '../../../../storage/objects/seal.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, noise, sendEvidence } from '../../../support/documents/parts.ts'
import { flipStoredBit, withBit } from '../../../support/documents/stored-objects.ts'
import { rawRequest } from '../../../support/http/raw-request.ts'
import { settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../../support/s3/stand-in.ts'
import { openApp, TOKENS } from '../../../support/servers/app.ts'
import { transcriptOf } from '../../../support/transcripts/transcripts.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const KEY = aCase().case_key
const picture = noise(900_000, 9)
/** Of more chunks than one read of a store fetches. */
const large = noise(2_900_000, 10)
/** Two parts of the same length, and two that are in frames. */
const alike = [noise(800_000, 11), noise(800_000, 12)] as const
const small = [noise(2000, 13), noise(2000, 14)] as const
const TEXTS = Array.from({ length: 60 }, (_, i) => noise(15_000, i + 1).toString('base64'))
const transcript = transcriptOf(TEXTS.map((content, i) => ({ type: 'message', id: `m${i}`, role: 'user', content })))
const unread = transcriptOf(TEXTS.map((content, i) => ({ type: 'message', id: `n${i}`, role: 'user', content })))

/** Where the n-th chunk is in the raw bytes. */
const chunkAt = (n: number) => ({ start: n * CHUNK_BYTES, end: (n + 1) * CHUNK_BYTES })
const INTERNAL = { error: 'internal server error' }

describe.each([
  ['the service itself', undefined],
  ['a bucket', settingsOf(s3.storeUrl('damaged'))],
])('a part with a changed bit in %s', async (_, bucket) => {
  const spec = await openApp(bucket ? { bucket } : {})
  afterAll(() => spec.close())
  const pathOf = (bytes: Buffer) => `/runs/r/parts/${digestOf(bytes)}`
  const eventsOf = (bytes: Buffer) => `/runs/r/transcripts/${digestOf(bytes)}`
  let port = 0
  beforeAll(async () => {
    await spec.app.listen({ host: '127.0.0.1', port: 0 })
    port = (spec.app.server.address() as AddressInfo).port
    await spec.ingest(aDocument({ run_id: 'r', cases: [aCase()] }))
    const manifest = await sendEvidence(spec.sendAs('write'), [
      { bytes: picture, role: 'original' },
      { bytes: large, role: 'original' },
      ...[...alike, ...small].map((bytes) => ({ bytes, role: 'original' })),
      { bytes: transcript, role: 'transcript', case_key: KEY },
      { bytes: unread, role: 'transcript', case_key: KEY },
    ])
    expect((await attach(spec.sendAs('write'), 'r', manifest)).statusCode).toBe(201)
    const isWhole = async () => (await spec.getJson<TranscriptSummary>(eventsOf(transcript))).complete
    while (!(await isWhole())) await setImmediate()
  })

  /** All that reaches a client before the connection ends: the status, the length that was announced, and the bytes. */
  const receive = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const lines = Object.entries({ host: 'x', connection: 'close', authorization: `Bearer ${TOKENS.read}`, ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const answer = await rawRequest(port, `GET /api/v1${path} HTTP/1.1\r\n${head}\r\n`)
    const end = answer.indexOf('\r\n\r\n')
    return {
      status: Number(answer.slice(9, 12)),
      announced: Number(/^content-length: (\d+)/im.exec(answer.slice(0, end))?.[1]),
      bytes: Buffer.from(answer.slice(end + 4), 'latin1'),
    }
  }
  /** Either 500, or begun and cut: what arrived is the beginning of the true bytes. Returns how many arrived. */
  const expectCut = async (
    path: string,
    bytes: Buffer,
    headers?: Readonly<Record<string, string>>,
  ): Promise<number> => {
    const received = await receive(path, headers)
    if (received.status === 500) {
      expect(JSON.parse(received.bytes.toString())).toEqual(INTERNAL)
      return 0
    }
    expect(received.status).toBe(headers ? 206 : 200)
    expect(received.announced).toBe(bytes.length)
    expect(received.bytes.length).toBeLessThan(bytes.length)
    expect(received.bytes.equals(bytes.subarray(0, received.bytes.length))).toBe(true)
    return received.bytes.length
  }

  /** Runs some work while a bit of the n-th chunk of a part is changed: of its type, of its payload, of its tag. */
  const withDamage = async (bytes: Buffer, n: number, work: () => Promise<void>): Promise<void> => {
    const [object] = await spec.rows(
      `SELECT objects.object_id, lengths FROM objects JOIN part_objects USING (object_id) JOIN parts USING (part_no)
       WHERE sha256 = $1 AND part_objects.n = 0`,
      [digestOf(bytes)],
    )
    const object_id = String(object?.['object_id'])
    const lengths = decodeLengths(Buffer.from(object?.['lengths'] as Uint8Array))
    const start = lengths.slice(0, n).reduce((sum, length) => sum + length, 0)
    const length = lengths[n] ?? 0
    const flip = async (at: number) => {
      const key = `damaged/objects/${object_id}`
      const stored = s3.objects.get(key)
      if (stored) s3.objects.set(key, { ...stored, body: withBit(stored.body, at) })
      else await flipStoredBit(spec, { object_id, at })
    }
    for (const at of [start, start + Math.floor(length / 2), start + length - 1]) {
      await flip(at)
      await work()
      await flip(at)
    }
    expect((await receive(pathOf(bytes))).bytes.equals(bytes)).toBe(true)
  }

  it('is cut before that chunk, whole or in any range over it, and all else of it is read', async () => {
    for (const [bytes, n] of [
      [picture, 1],
      [large, 9],
    ] as const) {
      const { start, end } = chunkAt(n)
      await withDamage(bytes, n, async () => {
        expect(await expectCut(pathOf(bytes), bytes)).toBeLessThanOrEqual(start)
        for (const [from, to] of [
          [0, start + 1],
          [start - 10, end + 10],
          [start, start + 1],
          [end - 1, bytes.length],
        ] as const) {
          const range = { range: `bytes=${from}-${to - 1}` }
          const received = await expectCut(pathOf(bytes), bytes.subarray(from, to), range)
          expect(received).toBeLessThanOrEqual(Math.max(0, start - from))
        }
        for (const [from, to] of [
          [0, start],
          [end, bytes.length],
        ] as const) {
          const { status, bytes: received } = await receive(pathOf(bytes), { range: `bytes=${from}-${to - 1}` })
          expect([status, received.equals(bytes.subarray(from, to))]).toEqual([206, true])
        }
      })
    }
  })

  it('is cut before its last bytes if a row names those of another part of the same length', async () => {
    const numberOf = async (bytes: Buffer) =>
      Number((await spec.column('SELECT part_no FROM parts WHERE sha256 = $1', [digestOf(bytes)]))[0])
    for (const [[one, other], table] of [
      [alike, 'part_objects'],
      [small, 'part_frames'],
    ] as const) {
      const [a, b] = [await numberOf(one), await numberOf(other)]
      const move = (from: number, to: number) =>
        spec.execute(`UPDATE ${table} SET part_no = ${to} WHERE part_no = ${from}`)
      const swap = async () => {
        await move(a, -1)
        await move(b, a)
        await move(-1, b)
      }
      await swap()
      for (const headers of [{}, { range: 'bytes=0-' }]) {
        const { status, bytes } = await receive(pathOf(one), headers)
        if (status === 500) expect(JSON.parse(bytes.toString())).toEqual(INTERNAL)
        else {
          expect(bytes.length).toBeLessThanOrEqual(Math.floor(one.length / CHUNK_BYTES) * CHUNK_BYTES)
          expect(one.length).toBeGreaterThan(CHUNK_BYTES)
        }
      }
      await swap()
      for (const bytes of [one, other]) expect((await receive(pathOf(bytes))).bytes.equals(bytes)).toBe(true)
    }
  })

  it('is an error in lists of events, in a search and in an outline, and the events in other chunks are read', async () => {
    const lines = transcript.toString().split('\n')
    /** The number of the event whose line has a byte. */
    const eventAt = (at: number) => transcript.subarray(0, at).toString().split('\n').length - 1
    const { start } = chunkAt(1)
    await withDamage(transcript, 1, async () => {
      const path = eventsOf(transcript)
      const [before, within] = [eventAt(start) - 2, eventAt(start + 100_000)]
      for (const query of [`from=1&limit=60`, `from=${within}&limit=1`]) {
        const { status, bytes } = await receive(`${path}/events?${query}`)
        expect([status, JSON.parse(bytes.toString())]).toEqual([500, INTERNAL])
      }
      const { events } = await spec.getJson<{ events: Array<{ event: { content: string } }> }>(
        `${path}/events?from=1&limit=${before}`,
      )
      expect(events.map(({ event }) => event.content)).toEqual(TEXTS.slice(0, before))
      await expectCut(`${path}/events/${within}`, Buffer.from(lines[within] ?? ''))
      expect((await receive(`${path}/events/${before}`)).bytes.toString()).toBe(lines[before])
      const found = await receive(`${path}/find?q=is+nowhere`)
      expect([found.status, JSON.parse(found.bytes.toString())]).toEqual([500, INTERNAL])
    })
    await withDamage(unread, 1, async () => {
      const { status, bytes } = await receive(`${eventsOf(unread)}/events?from=1&limit=60`)
      expect([status, JSON.parse(bytes.toString())]).toEqual([500, INTERNAL])
    })
  })
})
