import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isRefusal } from '../../../../storage/objects/s3/store.ts'
import { json } from '../../../support/access/access-requests.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, noise, PIECE, putPiece, sendEvidence } from '../../../support/documents/parts.ts'
import { bucketOf, chunksOf, settingsOf } from '../../../support/s3/buckets.ts'
import { NO_REAL_SERVER, startVersitygw, versitygw } from '../../../support/s3/real-server.ts'
import { KEYS } from '../../../support/s3/stand-in.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

if (versitygw === null) console.warn(NO_REAL_SERVER)

describe.skipIf(versitygw === null)('a real S3 server', () => {
  let server: Awaited<ReturnType<typeof startVersitygw>>
  let spec: SpecApp
  beforeAll(async () => {
    server = await startVersitygw(versitygw ?? '')
    for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
    spec = await openApp({ bucket: settingsOf(server.storeUrl('app')) })
  })
  afterAll(async () => {
    await spec?.close()
    await server?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })
  const bucket = (more = {}) => bucketOf(server.storeUrl('app'), more)

  it('takes the checks of a start without a warning', async () => {
    expect(await bucketOf(server.storeUrl('checked')).check('a log')).toEqual([])
  })

  it.each([
    ['a wrong secret', { env: { ...KEYS, AWS_SECRET_ACCESS_KEY: 'wrong' } }, 'SignatureDoesNotMatch'],
    ['a wrong key', { env: { ...KEYS, AWS_ACCESS_KEY_ID: 'wrong' } }, 'UserNotFound'],
    ['an absent bucket', { settings: { bucket: 'absent' } }, 'NoSuchBucket'],
  ])('refuses %s with its code', async (_, more, code) => {
    const error: unknown = await bucket(more)
      .check('a log')
      .catch((caught: unknown) => caught)
    expect([String(error), isRefusal(error)]).toEqual([expect.stringContaining(code), true])
  })

  it('stores one of two objects of a name, and lists a thousand and more in order', async () => {
    const store = bucketOf(server.storeUrl('list'), { identity: async () => 'a log' })
    const ids = Array.from({ length: 1005 }, (_, n) => n.toString(16).padStart(32, '0'))
    for (let at = 0; at < ids.length; at += 100)
      await Promise.all(ids.slice(at, at + 100).map((id) => store.put(id, chunksOf(Buffer.from(`of ${id}`)))))
    await expect(store.put(ids[0] ?? '', chunksOf(Buffer.from('others')))).rejects.toThrow('was there before')
    const listed = (await Array.fromAsync(store.list(''))).flat()
    expect(listed.map(({ object_id }) => object_id)).toEqual(ids)
    expect(listed[0]?.bytes).toBe(35)
    await store.remove(ids)
    expect((await Array.fromAsync(store.list(''))).flat()).toEqual([])
  })

  it('keeps a part of several pieces: a range, verify, an erasure', async () => {
    const part = noise(3 * PIECE + 7, 5)
    const write = spec.sendAs('write')
    await spec.ingest(aDocument({ run_id: 'real' }))
    for (const n of [3, 1, 0, 2]) expect((await putPiece(write, part, n)).statusCode).toBe(200)
    const manifest = await sendEvidence(write, [{ bytes: noise(300_000, 6), role: 'original' }])
    expect((await attach(write, 'real', manifest)).statusCode).toBe(201)
    await spec.ingest(aDocument({ run_id: 'pieces' }))
    const entry = { sha256: digestOf(part), bytes: part.length, role: 'original' }
    const own = Buffer.from(JSON.stringify({ evidence: 1, parts: [entry] }))
    await write('PUT', `/parts/${digestOf(own)}`, {
      headers: { 'content-type': 'application/octet-stream' },
      body: own,
    })
    expect((await attach(write, 'pieces', digestOf(own))).statusCode).toBe(201)
    const range = { headers: { range: `bytes=${PIECE - 2}-${PIECE + 2}` } }
    const found = await spec.sendAs('read')('GET', `/runs/pieces/parts/${digestOf(part)}`, range)
    expect(found.rawPayload.equals(part.subarray(PIECE - 2, PIECE + 3))).toBe(true)
    const verify = () => verifyStore(spec, { parts: 'all', bucket: bucket() })
    expect(await verify()).toMatchObject({ finding: null, notes: [] })

    const [id] = (await spec.column('SELECT object_id FROM part_objects WHERE n = 1')).map(String)
    const file = join(server.folder, 'app', 'objects', String(id))
    expect(statSync(file).size).toBeGreaterThan(PIECE)
    const body = { headers: json, body: JSON.stringify({ reference: 'T-1', run_id: 'pieces' }) }
    expect((await spec.sendAs('admin')('POST', '/erasures', body)).json()).toMatchObject({ objects_pending: 4 })
    await expect.poll(async () => (await Array.fromAsync(bucket().list(''))).flat().length).toBe(1)
    expect((await verify()).finding).toBeNull()

    const [left] = (await spec.column("SELECT object_id FROM objects WHERE state = 'stored'")).map(String)
    writeFileSync(join(server.folder, 'app', 'objects', String(left)), 'short')
    expect((await verify()).finding?.kind).toBe('missing')
  })
})
