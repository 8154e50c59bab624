import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { sweepBucketStrays } from '../../../../maintenance/parts/bucket-strays.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { json } from '../../../support/access/access-requests.ts'
import { answersForPart, hidePart } from '../../../support/access/answers-for-part.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import {
  answerOf,
  attach,
  digestOf,
  manifestOf,
  noise,
  PIECE,
  putPart,
  putPiece,
  sendEvidence,
} from '../../../support/documents/parts.ts'
import { withBit } from '../../../support/documents/stored-objects.ts'
import { bucketOf, settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server, type Seen } from '../../../support/s3/stand-in.ts'
import { openApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('team/a')
let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => clock++, bucket: settingsOf(url) })
afterAll(async () => {
  await spec.close()
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})
const [write, read, admin] = [spec.sendAs('write'), spec.sendAs('read'), spec.sendAs('admin')]
const large = noise(600_000, 1)
const HOUR_MS = 3_600_000
const DOWN = { status: 500, code: 'InternalError' }

const objects = () => [...s3.objects.keys()].filter((key) => key.startsWith('team/a/objects/'))
const isObject = ({ key }: Seen): boolean => key.startsWith('team/a/objects/')
const verify = (parts: 'all' | 'sample' = 'all') => verifyStore(spec, { parts, bucket: bucketOf(url) })
const download = (run_id: string, bytes: Buffer, headers = {}) =>
  read('GET', `/runs/${run_id}/parts/${digestOf(bytes)}`, { headers })
/** A run with a part. */
const runWith = async (run_id: string, bytes: Buffer) => {
  await spec.ingest(aDocument({ run_id }))
  return attach(write, run_id, await sendEvidence(write, [{ bytes, role: 'original' }]))
}
const erase = (run_id: string) =>
  admin('POST', '/erasures', { headers: json, body: JSON.stringify({ reference: 'T-1', run_id }) })
/** The bucket is back, and a probe has come through. */
const comeBack = async (): Promise<void> => {
  s3.state.fault = () => null
  await bucketOf(url, { health: spec.services.partStore.bucket?.health.buffer }).probe()
}
beforeEach(comeBack)

describe('large parts of a service with a bucket', () => {
  it('are sealed objects below its prefix, which say nothing of their content; small ones are in the database', async () => {
    const text = Buffer.from('a line that would be seen\n'.repeat(20_000))
    expect((await runWith('a', text)).statusCode).toBe(201)
    expect((await runWith('b', Buffer.from('small'))).statusCode).toBe(201)
    const [key = '', ...others] = objects()
    expect(others).toEqual([])
    const stored = s3.objects.get(key)?.body ?? Buffer.alloc(0)
    expect(stored.length).toBeLessThan(text.length / 10)
    const everything = [...s3.requests, ...[...s3.objects.values()].map(({ body }) => body.toString('latin1'))].join()
    expect(everything).not.toContain(digestOf(text))
    expect(everything).not.toContain('a line that would')
    expect(await spec.rows('SELECT place, state FROM objects')).toEqual([{ place: 's3', state: 'stored' }])
    expect(await spec.rows('SELECT object_id FROM object_rows')).toEqual([])
    expect((await download('a', text)).rawPayload.equals(text)).toBe(true)
    expect((await verify()).finding).toBeNull()
  })

  it('come in pieces too, and any range of them is read', async () => {
    const pieces = noise(PIECE + 5, 3)
    for (const n of [1, 0]) expect((await putPiece(write, pieces, n)).statusCode).toBe(200)
    await runWith('pieces', large)
    expect(
      (await attach(write, 'pieces', await sendEvidence(write, [{ bytes: pieces, role: 'original' }]))).statusCode,
    ).toBe(201)
    const { statusCode, rawPayload } = await download('pieces', pieces, { range: `bytes=${PIECE - 3}-${PIECE + 2}` })
    expect(statusCode).toBe(206)
    expect(rawPayload.equals(pieces.subarray(PIECE - 3, PIECE + 3))).toBe(true)
  })

  it('may be a manifest: the writer does not wait for it, and no other write does', async () => {
    await spec.ingest(aDocument({ run_id: 'many' }))
    const small = Array.from({ length: 2500 }, (_, i) => Buffer.from(`part ${i}`))
    const manifest = manifestOf(small.map((bytes, i) => ({ bytes, role: 'original', name: `file ${i}` })))
    expect(manifest.length).toBeGreaterThan(262_144)
    for (let at = 0; at < small.length; at += 500)
      await spec.services.partStore.storeMany(
        SYSTEM,
        small.slice(at, at + 500).map((bytes) => ({ sha256: digestOf(bytes), bytes })),
      )
    await spec.services.partStore.storeWhole(SYSTEM, digestOf(manifest), new Uint8Array(manifest))
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    s3.state.hold = (seen) => {
      if (!isObject(seen) || seen.method !== 'GET') return undefined
      asked.resolve()
      return held.promise
    }
    const attached = spec.service.commit.attachEvidence(SYSTEM, {
      ...{ run_id: 'many', manifest: digestOf(manifest), maxPartBytes: Infinity },
    })
    await asked.promise
    expect((await spec.ingest(aDocument({ run_id: 'meanwhile' }))).statusCode).toBe(201)
    held.resolve()
    await attached
    s3.state.hold = () => undefined
    const run = await spec.getJson<{ evidence: { parts: number } }>('/runs/many')
    expect(run.evidence.parts).toBe(2500)
    expect((await verify()).finding).toBeNull()
    // What is verified below need not have so many parts.
    expect((await admin('DELETE', '/runs/many')).statusCode).toBe(204)
  })

  it('that wait for the bucket leave room for uploads that do not', async () => {
    const held = Promise.withResolvers<void>()
    let waiting = 0
    s3.state.hold = (seen) => (isObject(seen) && seen.method === 'PUT' ? (waiting++, held.promise) : undefined)
    const answers = [1, 2].map((byte) => putPart(write, Buffer.alloc(64 * 1024 * 1024, byte)))
    await expect.poll(() => waiting).toBe(2)
    expect((await putPart(write, noise(300_000, 31))).statusCode).toBe(503)
    expect((await spec.ingest(aDocument({ run_id: 'small' }))).statusCode).toBe(201)
    held.resolve()
    expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([200, 200])
    s3.state.hold = () => undefined
  })

  it('with one wrong bit are refused, whole and in pieces, and nothing of them stays in the bucket', async () => {
    await spec.services.partStore.removeDropped()
    const before = objects()
    const whole = noise(300_000, 32)
    expect((await putPart(write, withBit(whole, 299_999), digestOf(whole))).statusCode).toBe(422)
    const pieces = noise(PIECE + 5, 33)
    const wrong = withBit(pieces, 1000)
    const statuses: number[] = []
    for (const n of [0, 1]) statuses.push((await putPiece(write, wrong, n, digestOf(pieces))).statusCode)
    expect(statuses).toEqual([200, 422])
    await spec.services.partStore.removeDropped()
    expect(objects()).toEqual(before)
    for (const bytes of [whole, pieces]) {
      expect((await write('GET', `/parts/${digestOf(bytes)}/upload`)).statusCode).toBe(404)
      expect(await spec.rows(`SELECT * FROM parts WHERE sha256 = '${digestOf(bytes)}'`)).toEqual([])
    }
  })

  it('that two runs have are one object: it stays for the other run, and goes with the last', async () => {
    const [shared, before] = [noise(300_000, 34), new Set(objects())]
    const added = () => objects().filter((key) => !before.has(key))
    for (const run_id of ['first', 'second', 'third']) await runWith(run_id, shared)
    await spec.services.partStore.removeDropped()
    expect(added()).toHaveLength(1)
    expect((await admin('DELETE', '/runs/first')).statusCode).toBe(204)
    expect((await erase('second')).json()).toMatchObject({ shared_parts: 1, objects_pending: 0 })
    await spec.services.partStore.removeDropped()
    expect(added()).toHaveLength(1)
    expect((await download('third', shared)).rawPayload.equals(shared)).toBe(true)
    expect((await verify()).finding).toBeNull()
    expect((await erase('third')).json()).toMatchObject({ shared_parts: 0, objects_pending: 1 })
    await spec.services.partStore.removeDropped()
    expect(added()).toEqual([])
    expect((await download('third', shared)).statusCode).toBe(404)
  })

  it('of a hidden set alone are answered like unknown ones, and cost the bucket the same', async () => {
    const secret = await hidePart(spec)
    const { send } = await spec.addUser('nat')
    const askFor = async (bytes: Buffer, n: number) => {
      const from = s3.requests.length
      const answers = await answersForPart(spec, send, bytes, n)
      return { answers, requests: s3.requests.slice(from).map((request) => request.replace(/[0-9a-f]{32}/, 'id')) }
    }
    expect(await askFor(secret, 1)).toEqual(await askFor(noise(secret.length, 405), 2))
  })

  it('are not begun in a prefix of another log', async () => {
    const other = await openApp({ bucket: settingsOf(url) })
    try {
      const refused = await putPart(other.sendAs('write'), noise(300_000, 77))
      expect(refused.statusCode).toBe(503)
      expect(await other.rows("SELECT object_id FROM objects WHERE state <> 'deleting'")).toEqual([])
    } finally {
      await other.close()
    }
  })
})

describe('a bucket that is full', () => {
  it.each([
    ['507', { status: 507, code: 'XMinioStorageFull' }],
    ['quota', { status: 403, code: 'QuotaExceeded' }],
  ])(
    'refuses uploads with 503 (%s), and nothing else: nothing is recorded, and they work when there is room',
    async (name, full) => {
      const [stored, refused] = [noise(300_000, 35), noise(300_000, 36)]
      const run_id = `full-${name}`
      await runWith(run_id, stored)
      await spec.services.partStore.removeDropped()
      const before = objects()
      s3.state.fault = (seen) => (seen.method === 'PUT' ? full : null)
      for (let i = 0; i < 6; i++) {
        const { statusCode, headers } = await putPart(write, refused)
        expect([statusCode, headers['retry-after']]).toEqual([503, '5'])
      }
      expect((await download(run_id, stored)).rawPayload.equals(stored)).toBe(true)
      expect((await write('GET', `/parts/${digestOf(refused)}/upload`)).statusCode).toBe(404)
      expect([objects(), await spec.rows("SELECT * FROM objects WHERE state = 'writing'")]).toEqual([before, []])
      s3.state.fault = () => null
      expect((await putPart(write, refused)).statusCode).toBe(200)
      await write('DELETE', `/parts/${digestOf(refused)}/upload`)
      expect((await verify()).finding).toBeNull()
    },
  )
})

describe('a bucket that is away', () => {
  it('answers parts with 503 and Retry-After, and nothing else', async () => {
    await runWith('away', large)
    s3.state.fault = () => DOWN
    const answers = [await download('away', large), await putPart(write, noise(300_000, 8))]
    for (const { statusCode, headers, body } of answers) {
      expect([statusCode, headers['retry-after']]).toEqual([503, '5'])
      expect(JSON.parse(body)).toEqual({ error: 'the store of large parts is unavailable; try again' })
    }
    expect((await runWith('without large parts', noise(1000, 8))).statusCode).toBe(201)
    expect((await read('GET', '/ready')).statusCode).toBe(200)
    expect((await read('GET', '/runs')).statusCode).toBe(200)
    await comeBack()
    expect((await download('away', large)).rawPayload.equals(large)).toBe(true)
    expect((await putPart(write, noise(300_000, 8))).statusCode).toBe(200)
  })

  it('does not hold up an erasure: the keys go at once, and the bytes when it is back', async () => {
    const own = noise(400_000, 12)
    await runWith('erased', own)
    const [id] = await spec.column(`
      SELECT object_id FROM part_objects WHERE part_no IN (SELECT part_no FROM parts WHERE sha256 = '${digestOf(own)}')`)
    s3.state.fault = () => DOWN
    expect((await erase('erased')).json()).toMatchObject({ documents: 1, parts: 1, objects_pending: 1 })
    await expect(spec.services.partStore.removeDropped()).rejects.toThrow('500 InternalError')
    expect(await spec.rows(`SELECT state, key FROM objects WHERE object_id = '${String(id)}'`)).toEqual([
      { state: 'deleting', key: null },
    ])
    expect(objects()).toContain(`team/a/objects/${String(id)}`)
    const pending = await admin('GET', '/server')
    expect(pending.json()).toMatchObject({ object_store: { is_up: false } })
    await comeBack()
    await spec.services.partStore.removeDropped()
    expect(objects()).not.toContain(`team/a/objects/${String(id)}`)
    clock += HOUR_MS
    await spec.services.partStore.removeDropped()
    expect(await spec.rows("SELECT object_id FROM objects WHERE state = 'deleting'")).toEqual([])
    expect((await verify()).finding).toBeNull()
  })

  it('keeps no other bytes because of one object that it may not remove', async () => {
    const uploads = [noise(300_000, 17), noise(300_000, 18), noise(300_000, 19)]
    s3.state.fault = () => null
    const before = new Set(objects())
    for (const bytes of uploads) await putPart(write, bytes)
    const keys = objects().filter((key) => !before.has(key))
    s3.state.fault = ({ method }) => (method === 'DELETE' ? DOWN : null)
    for (const bytes of uploads) await write('DELETE', `/parts/${digestOf(bytes)}/upload`)
    await comeBack()
    const [kept = ''] = keys
    s3.state.kept.add(kept)
    await expect(spec.services.partStore.removeDropped()).rejects.toThrow('AccessDenied')
    expect(objects().filter((key) => keys.includes(key))).toEqual([kept])
    // Another one that is removed meanwhile does not hide that it waits.
    await putPart(write, noise(300_000, 22))
    expect((await write('DELETE', `/parts/${digestOf(noise(300_000, 22))}/upload`)).statusCode).toBe(204)
    clock += HOUR_MS
    const waited = async () =>
      Number(/^service_object_oldest_pending_seconds (\S+)$/m.exec((await admin('GET', '/metrics')).body)?.[1])
    expect(await waited()).toBeGreaterThan(3000)
    s3.state.kept.clear()
    await spec.services.partStore.removeDropped()
    expect(objects()).not.toContain(kept)
    expect(await waited()).toBe(0)
  })

  it('removes what a request that was given up stores late', async () => {
    s3.state.fault = (seen) => (isObject(seen) && seen.method === 'PUT' ? DOWN : null)
    expect((await putPart(write, noise(300_000, 20))).statusCode).toBe(503)
    await comeBack()
    await spec.services.partStore.removeDropped()
    const [id] = await spec.column("SELECT object_id FROM objects WHERE state = 'deleting'")
    const late = `team/a/objects/${String(id)}`
    s3.objects.set(late, { body: noise(300_000, 20), checksum: undefined, at: new Date() })
    clock += HOUR_MS
    await spec.services.partStore.removeDropped()
    expect(objects()).not.toContain(late)
    expect(await spec.rows("SELECT object_id FROM objects WHERE state = 'deleting'")).toEqual([])
  })

  it('drops an upload whose bytes it cannot remove yet', async () => {
    const bytes = noise(300_000, 15)
    await putPart(write, bytes)
    s3.state.fault = () => DOWN
    expect((await write('DELETE', `/parts/${digestOf(bytes)}/upload`)).statusCode).toBe(204)
    await comeBack()
    expect(await spec.services.partStore.removeDropped()).toBeGreaterThan(0)
    expect((await verify()).notes).toEqual([])
  })

  it('does not lose what it said it stored', async () => {
    const bytes = noise(300_000, 16)
    s3.state.fault = (seen) => (isObject(seen) && seen.method === 'PUT' ? 'not stored' : null)
    expect((await putPart(write, bytes)).statusCode).toBe(503)
    expect(answerOf(await write('GET', `/parts/${digestOf(bytes)}/upload`))[0]).toBe(404)
  })

  it('denied, is one line a minute with the code of S3', async () => {
    const error = vi.spyOn(spec.services.logger, 'error')
    s3.state.fault = () => ({ status: 403, code: 'AccessDenied' })
    for (let i = 0; i < 3; i++) expect((await download('away', large)).statusCode).toBe(503)
    expect(error.mock.calls.length).toBeLessThanOrEqual(1)
    error.mockRestore()
  })
})

describe('damage in a bucket', () => {
  const keyOf = async (bytes: Buffer): Promise<string> => {
    const [id] = await spec.column(`
      SELECT object_id FROM part_objects WHERE part_no IN (SELECT part_no FROM parts WHERE sha256 = '${digestOf(bytes)}')`)
    return `team/a/objects/${String(id)}`
  }
  const own = noise(500_000, 21)

  it('is never an absent part: a missing object is 500, and verify says so', async () => {
    await runWith('damaged', own)
    const key = await keyOf(own)
    const stored = s3.objects.get(key)
    if (!stored) throw new Error('the object is stored')
    const found = async () => (await verify('sample')).finding?.kind
    s3.objects.delete(key)
    expect((await download('damaged', own)).statusCode).toBe(500)
    expect(await found()).toBe('missing')
    s3.objects.set(key, { ...stored, body: stored.body.subarray(0, 1000) })
    expect((await download('damaged', own)).statusCode).toBe(500)
    expect(await found()).toBe('missing')
    const changed = Buffer.from(stored.body)
    changed[400_000] = (changed[400_000] ?? 0) ^ 1
    s3.objects.set(key, { ...stored, body: changed })
    expect((await verify()).finding?.kind).toBe('altered')
    s3.objects.set(key, stored)
    expect((await verify()).finding).toBeNull()
  })

  it('is altered too if two objects are swapped, or an older copy is put back', async () => {
    const [one, two] = [noise(500_000, 23), noise(500_000, 24)]
    await runWith('swapped one', one)
    await runWith('swapped two', two)
    const [first, second] = [await keyOf(one), await keyOf(two)]
    const [ofFirst, ofSecond] = [s3.objects.get(first), s3.objects.get(second)]
    if (!ofFirst || !ofSecond) throw new Error('both objects are stored')
    s3.objects.set(first, ofSecond)
    s3.objects.set(second, ofFirst)
    expect((await verify()).finding?.kind).toBe('altered')
    expect((await download('swapped%20one', one)).statusCode).toBe(500)
    s3.objects.set(first, ofFirst)
    s3.objects.set(second, ofSecond)
    expect((await verify()).finding).toBeNull()
    // The same content that was stored before, under another key and id.
    expect((await admin('DELETE', '/runs/swapped%20one')).statusCode).toBe(204)
    await runWith('again', one)
    const now = await keyOf(one)
    const stored = s3.objects.get(now)
    if (!stored) throw new Error('the object is stored')
    expect([now === first, stored.body.length]).toEqual([false, ofFirst.body.length])
    s3.objects.set(now, ofFirst)
    expect((await verify()).finding?.kind).toBe('altered')
    expect((await download('again', one)).statusCode).toBe(500)
    s3.objects.set(now, stored)
    expect((await verify()).finding).toBeNull()
  })

  it('is not taken for a bucket that cannot be read, is not named, or is another one', async () => {
    s3.state.fault = () => DOWN
    expect((await verify()).finding?.kind).toBe('unreadable')
    await comeBack()
    expect((await verifyStore(spec)).finding).toMatchObject({
      ...{ kind: 'unreadable', message: expect.stringContaining('SERVICE_OBJECT_STORE_URL') as string },
    })
    const elsewhere = await verifyStore(spec, { bucket: bucketOf(s3.storeUrl('never-used')) })
    expect(elsewhere.finding?.kind).toBe('unreadable')
    expect((await verifyStore(spec, { bucket: 'unchecked' })).notes.join()).toContain('not checked: ')
  })

  it('does not include objects that no row names: they are counted, and swept when they are old', async () => {
    const stray = `team/a/objects/${'f'.repeat(32)}`
    s3.objects.set(stray, { body: Buffer.alloc(10), checksum: undefined, at: new Date(Date.UTC(2026, 0, 1)) })
    const { finding, notes } = await verify()
    expect([finding, notes]).toEqual([null, [expect.stringContaining('1 object of the bucket is of no part')]])
    const signal = new AbortController().signal
    const sweep = (now: number, dry_run: boolean) =>
      sweepBucketStrays(
        { store: bucketOf(url, { identity: undefined }), read: spec.service.reader.read },
        { now, dry_run, signal },
      )
    const [early, late] = [Date.UTC(2026, 0, 7), Date.UTC(2026, 0, 9)]
    expect(await sweep(early, false)).toEqual({ found: 1, old: 0, bytes: 0 })
    expect(await sweep(late, true)).toEqual({ found: 1, old: 1, bytes: 10 })
    expect(s3.objects.has(stray)).toBe(true)
    expect(await sweep(late, false)).toEqual({ found: 1, old: 1, bytes: 10 })
    expect(s3.objects.has(stray)).toBe(false)
    expect((await verify()).notes).toEqual([])
  })
})

describe('what admins see of a bucket', () => {
  it('is where it is, whether it answers, and what waits; never a secret', async () => {
    clock += HOUR_MS
    await spec.services.partStore.removeDropped()
    // One that is written elsewhere does not wait for the bucket.
    await spec.service.commit.beginObject(SYSTEM, {
      ...{ object_id: 'e'.repeat(32), key: Buffer.alloc(32), place: 'table', sha256: 'e'.repeat(64), total: 1 },
      ...{ at: clock, limits: { maxBytes: 1000, maxParts: 10 } },
    })
    const server = await admin('GET', '/server')
    expect(server.json()).toMatchObject({
      object_store: {
        location: `s3://evidence/team/a at 127.0.0.1:${s3.port}`,
        is_up: true,
        objects_pending: 0,
        documents_pending: 0,
      },
      contents: { part_bytes: { table: 0, files: 0 } },
    })
    const metrics = await admin('GET', '/metrics')
    for (const line of [
      /^service_object_store_up 1$/m,
      /^service_objects_pending\{kind="delete"\} 0$/m,
      /^service_objects_pending\{kind="write"\} 0$/m,
      /^service_objects_pending\{kind="move"\} 0$/m,
      /^service_object_oldest_pending_seconds 0$/m,
      /^service_object_requests_total\{op="put",result="ok"\} [1-9]/m,
      /^service_object_requests_total\{op="get",result="missing"\} [1-9]/m,
      /^service_object_seconds_count\{op="get"\} [1-9]/m,
      /^service_part_bytes\{place="s3"\} [1-9]/m,
    ])
      expect(metrics.body).toMatch(line)
    for (const { body } of [server, metrics]) expect(body).not.toContain(KEYS.AWS_SECRET_ACCESS_KEY)
  })
})

it('a transcript in the bucket is read by the threads of readers', async () => {
  const lines = Array.from({ length: 9000 }, (_, i) =>
    JSON.stringify({ type: 'message', id: `m${i}`, role: 'user', content: `message ${i} of many` }),
  )
  const bytes = Buffer.from(
    `${JSON.stringify({ transcript: 1, source: { format: 'x', version: '1' } })}\n${lines.join('\n')}\n`,
  )
  await spec.ingest(aDocument({ run_id: 'read' }))
  const manifest = await sendEvidence(write, [{ bytes, role: 'transcript', case_key: aCase().case_key }])
  await attach(write, 'read', manifest)
  const events = await read('GET', `/runs/read/transcripts/${digestOf(bytes)}/events?from=8000&limit=2`)
  expect(events.statusCode, events.body).toBe(200)
  expect(events.body).toContain('message 7999 of many')
})
