import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { openPartStore } from '../../../../runtime/evidence/part-store.ts'
import type { OpenService } from '../../../../runtime/services.ts'
import { json } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import {
  answerOf,
  attach,
  digestOf,
  noise,
  formOf,
  octets,
  PIECE,
  postForm,
  postParts,
  putPart,
  putPiece,
  sendEvidence,
} from '../../../support/documents/parts.ts'
import { storedObjects } from '../../../support/documents/stored-objects.ts'
import { openApp, partsFolderOf } from '../../../support/servers/app.ts'
import { PART_LIMITS } from '../../../support/servers/part-limits.ts'
import { wrapCalls } from '../../../support/wrap-calls.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => clock++ })
afterAll(() => spec.close())
const [write, read] = [spec.sendAs('write'), spec.sendAs('read')]
const KEY = aCase().case_key

const missing = async (digests: readonly string[], send = write) =>
  answerOf(await send('POST', '/parts/missing', { headers: json, body: JSON.stringify({ sha256: digests }) }))
const upload = async (bytes: Buffer, send = write) => answerOf(await send('GET', `/parts/${digestOf(bytes)}/upload`))
const download = (run_id: string, bytes: Buffer) => read('GET', `/runs/${run_id}/parts/${digestOf(bytes)}`)

const countOf = async (table: string) => Number((await spec.column(`SELECT count(*) FROM ${table}`))[0])
/** Objects that are no part of anything, and bytes of such. */
const leftOver = async () => {
  const used = new Set((await spec.column('SELECT object_id FROM part_objects')).map(String))
  const bytes = (await storedObjects(spec)).filter((id) => !used.has(id))
  return (await countOf("objects WHERE state <> 'stored'")) + bytes.length
}

describe('a part', () => {
  it.each([0, 1, 262_144, 262_145, 600_000])('of %i bytes comes back byte for byte', async (length) => {
    const run_id = `of ${length} bytes`
    const bytes = noise(length, length + 7)
    await spec.ingest(aDocument({ run_id }))
    expect(answerOf(await putPart(write, bytes))).toEqual([
      200,
      { sha256: digestOf(bytes), bytes: length, received: length, complete: true },
    ])
    const text = Buffer.alloc(length, 'The same line again.\n')
    const manifest = await sendEvidence(write, [
      { bytes, role: 'input', case_key: KEY },
      { bytes: text, role: 'other', case_key: KEY },
    ])
    expect((await attach(write, run_id, manifest)).statusCode).toBe(201)
    const path = encodeURIComponent(run_id)
    expect((await download(path, bytes)).rawPayload.equals(bytes)).toBe(true)
    expect((await download(path, text)).rawPayload.equals(text)).toBe(true)
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('with one wrong bit is refused, and nothing of it is kept', async () => {
    for (const length of [10, 300_000]) {
      const bytes = noise(length, 3)
      const wrong = Buffer.from(bytes)
      wrong[5] = (wrong[5] ?? 0) ^ 1
      const [status, body] = answerOf(await putPart(write, wrong, digestOf(bytes)))
      expect([status, body]).toEqual([
        422,
        { error: `the bytes do not have the SHA-256 ${digestOf(bytes)}: nothing of them is kept` },
      ])
      expect(await upload(bytes)).toEqual([404, { error: 'upload not found' }])
    }
  })

  it('arrives in pieces, in any order and doubled, and says what is missing', async () => {
    const bytes = noise(2 * PIECE + 5, 11)
    expect((await putPiece(write, bytes, 2)).json()).toMatchObject({ received: 5, complete: false })
    expect((await putPiece(write, bytes, 2)).json()).toMatchObject({ received: 5, complete: false })
    expect(await upload(bytes)).toEqual([
      200,
      { bytes: bytes.length, received: 5, missing: [[0, 2 * PIECE - 1]], complete: false },
    ])
    expect(await missing([digestOf(bytes)])).toEqual([200, { missing: [digestOf(bytes)] }])
    expect((await putPiece(write, bytes, 0)).json()).toMatchObject({ received: PIECE + 5, complete: false })
    expect((await putPiece(write, bytes, 1)).json()).toMatchObject({ received: bytes.length, complete: true })
    expect(await upload(bytes)).toEqual([
      200,
      { bytes: bytes.length, received: bytes.length, missing: [], complete: true },
    ])
    expect(await missing([digestOf(bytes)])).toEqual([200, { missing: [] }])
    const run_id = 'in-pieces'
    await spec.ingest(aDocument({ run_id }))
    await attach(write, run_id, await sendEvidence(write, [{ bytes: Buffer.from('x'), role: 'original' }]))
    const manifest = Buffer.from(
      JSON.stringify({ evidence: 1, parts: [{ sha256: digestOf(bytes), bytes: bytes.length, role: 'original' }] }),
    )
    await putPart(write, manifest)
    expect((await attach(write, run_id, digestOf(manifest))).statusCode).toBe(201)
    expect((await download(run_id, bytes)).rawPayload.equals(bytes)).toBe(true)
    const range = { headers: { range: `bytes=${PIECE - 3}-${PIECE + 2}` } }
    const middle = await read('GET', `/runs/${run_id}/parts/${digestOf(bytes)}`, range)
    expect([middle.statusCode, middle.rawPayload]).toEqual([206, bytes.subarray(PIECE - 3, PIECE + 3)])
  })

  it('in pieces with a wrong bit is dropped when the last arrives', async () => {
    const bytes = noise(PIECE + 1, 13)
    const sha256 = digestOf(noise(PIECE + 1, 14))
    await putPiece(write, bytes, 0, sha256)
    expect((await putPiece(write, bytes, 1, sha256)).statusCode).toBe(422)
    expect((await write('GET', `/parts/${sha256}/upload`)).statusCode).toBe(404)
    expect(await leftOver()).toBe(0)
  })

  it('leaves no bytes behind that no limit counts: of a doubled piece, of a dropped upload, of one sent whole after all', async () => {
    const bytes = noise(PIECE + 400_000, 41)
    await putPiece(write, bytes, 0)
    const stored = (await storedObjects(spec)).length
    expect((await putPiece(write, bytes, 0)).json()).toMatchObject({ received: PIECE })
    expect([(await storedObjects(spec)).length, await leftOver()]).toEqual([stored, 0])
    expect((await putPart(write, bytes)).json()).toMatchObject({ complete: true })
    expect((await putPart(write, bytes)).json()).toMatchObject({ complete: true })
    expect(await leftOver()).toBe(0)
    expect((await write('DELETE', `/parts/${digestOf(bytes)}/upload`)).statusCode).toBe(204)
    expect([(await storedObjects(spec)).length, await leftOver()]).toEqual([stored - 1, 0])
  })

  it('whose digest was not checked before a crash names its last piece, which completes it', async () => {
    const bytes = noise(PIECE + 9, 42)
    for (const n of [0, 1]) await putPiece(write, bytes, n)
    await spec.execute(`UPDATE staged_parts SET complete = 0 WHERE sha256 = '${digestOf(bytes)}'`)
    expect((await upload(bytes))[1]).toMatchObject({
      received: bytes.length,
      missing: [[PIECE, PIECE + 8]],
      complete: false,
    })
    expect((await putPiece(write, bytes, 1)).json()).toMatchObject({ received: bytes.length, complete: true })
    expect((await upload(bytes))[1]).toMatchObject({ missing: [], complete: true })
  })

  it('is not read back for its digest if one process took all pieces nearly in order, else from the first gap on', async () => {
    const opened: string[] = []
    const { reader, commit } = spec.service
    const watched: typeof reader.read = async (query) => {
      if (query.token?.sql.includes('FROM object_rows')) opened.push('rows')
      return reader.read(query)
    }
    // In the table, so that each read of an object is a query.
    const open = () =>
      openPartStore(
        { commit, reader: { ...reader, read: watched }, now: () => clock++, partsFolder: null },
        PART_LIMITS,
      )
    const [one, other] = [open(), open()]
    const send = (store: typeof one, bytes: Buffer, n: number, of = bytes) =>
      store.storePiece(SYSTEM, digestOf(of), {
        ...{ n, total: bytes.length },
        body: new Uint8Array(bytes.subarray(n * PIECE, (n + 1) * PIECE)),
      })
    const bytes = noise(2 * PIECE + 9, 44)
    await Promise.all([1, 0, 2].map((n) => send(one, bytes, n)))
    expect([(await one.findUpload(SYSTEM, digestOf(bytes)))?.complete, opened.length]).toEqual([true, 0])

    const split = noise(2 * PIECE + 9, 45)
    await send(one, split, 0)
    await send(other, split, 1)
    await send(one, split, 2)
    expect((await one.findUpload(SYSTEM, digestOf(split)))?.complete).toBe(true)
    expect(opened.length).toBeGreaterThan(0)

    const wrong = Buffer.from(bytes)
    wrong[PIECE + 5] = (wrong[PIECE + 5] ?? 0) ^ 1
    await one.dropUpload(SYSTEM, digestOf(bytes))
    for (const n of [0, 1]) await send(one, wrong, n, bytes)
    // Sent again, the right bytes come too late: those that were stored first are the part.
    await send(one, bytes, 1)
    await expect(send(one, bytes, 2)).rejects.toThrow('the bytes do not have the SHA-256')
    expect(await one.findUpload(SYSTEM, digestOf(bytes))).toBeNull()
  })

  it('that is dropped while its pieces are read back is to be sent again, and one that ends twice is read once', async () => {
    const bytes = noise(PIECE + 9, 43)
    const gate = Promise.withResolvers<void>()
    const reading = Promise.withResolvers<void>()
    let reads = 0
    const { reader } = spec.service
    const slow: typeof reader.read = async (query) => {
      if (query.token?.sql.includes('FROM part_objects piece')) {
        reads++
        reading.resolve()
        await gate.promise
      }
      return reader.read(query)
    }
    const removed = Promise.withResolvers<void>()
    // The second end finds its piece stored, removes its own bytes, and then waits for the first.
    const commit = wrapCalls(spec.service.commit, async ({ name, run }) => {
      const result = await run()
      if (name === 'forgetObject') removed.resolve()
      return result
    })
    const parts = { commit, reader: { ...reader, read: slow }, now: () => clock++, partsFolder: partsFolderOf(spec) }
    const store = openPartStore(parts, PART_LIMITS)
    const piece = (n: number) => ({ n, total: bytes.length, body: bytes.subarray(n * PIECE, (n + 1) * PIECE) })
    const sha256 = digestOf(bytes)
    // Of another process, so that it is read back.
    await openPartStore(parts, PART_LIMITS).storePiece(SYSTEM, sha256, piece(0))
    const ends = [store.storePiece(SYSTEM, sha256, piece(1)), store.storePiece(SYSTEM, sha256, piece(1))]
    const refused = ends.map((end) => expect(end).rejects.toThrow('the upload of this part was dropped: send it again'))
    await Promise.all([reading.promise, removed.promise])
    await yieldToEventLoop()
    await store.dropUpload(SYSTEM, sha256)
    gate.resolve()
    await Promise.all(refused)
    expect(reads).toBe(1)
  })

  it('is refused with another total, an odd piece, an encoding, another type, or more bytes than allowed', async () => {
    const bytes = noise(PIECE + 1, 15)
    const path = `/parts/${digestOf(bytes)}`
    const put = async (headers: Record<string, string>, body: Buffer = Buffer.from('x')) =>
      answerOf(await write('PUT', path, { headers: { ...octets, ...headers }, body }))
    await putPiece(write, bytes, 0)
    expect((await put({ 'content-range': `bytes ${PIECE}-${PIECE + 1}/${PIECE + 2}` }, Buffer.from('xy')))[0]).toBe(409)
    expect((await put({ 'content-range': 'bytes 1-2/9' }))[0]).toBe(400)
    expect((await put({ 'content-range': 'bytes 0-1/9' }))[0]).toBe(400)
    expect((await put({ 'content-range': 'bytes 0-8/9' }))[1]).toEqual({
      error: 'the body has 1 bytes, but Content-Range says 9',
    })
    expect((await put({ 'content-range': 'bytes */9' }))[0]).toBe(400)
    expect((await put({ 'content-encoding': 'gzip' }))[0]).toBe(415)
    expect((await put({ 'content-type': 'text/plain' }))[0]).toBe(400)
    expect((await put({ 'content-range': `bytes 0-${PIECE - 1}/99999999999` }))[0]).toBe(413)
    expect((await write('PUT', '/parts/ABC', { headers: octets, body: 'x' })).statusCode).toBe(400)
    expect((await read('PUT', path, { headers: octets, body: 'x' })).statusCode).toBe(403)
    expect((await write('DELETE', `${path}/upload`)).statusCode).toBe(204)
    expect((await write('DELETE', `${path}/upload`)).statusCode).toBe(404)
  })

  it('that no run names goes after its hours, with its bytes', async () => {
    const [small, large] = [noise(50, 21), noise(300_000, 22)]
    await putPart(write, small)
    await putPart(write, large)
    clock += 23 * 3_600_000
    await spec.services.partStore.sweep(AbortSignal.timeout(60_000))
    expect((await upload(small))[0]).toBe(200)
    clock += 2 * 3_600_000
    await spec.services.partStore.sweep(AbortSignal.timeout(60_000))
    expect([(await upload(small))[0], (await upload(large))[0]]).toEqual([404, 404])
    expect(await spec.rows(`SELECT * FROM parts WHERE sha256 = '${digestOf(large)}'`)).toEqual([])
    expect(await leftOver()).toBe(0)
  })

  it('that was given up keeps no memory of pieces that came before their turn: dropped, sent whole, or swept', async () => {
    const store = openPartStore({ ...spec.service, now: () => clock++, partsFolder: partsFolderOf(spec) }, PART_LIMITS)
    const ends = {
      dropped: (bytes: Buffer) => store.dropUpload(SYSTEM, digestOf(bytes)),
      'sent whole': (bytes: Buffer) => store.storeWhole(SYSTEM, digestOf(bytes), bytes),
      swept: async () => {
        clock += 25 * 3_600_000
        await store.sweep(AbortSignal.timeout(60_000))
      },
    }
    for (const [i, [name, end]] of Object.entries(ends).entries()) {
      const bytes = noise(2 * PIECE + 9, 90 + i)
      const body = new Uint8Array(bytes.subarray(PIECE, 2 * PIECE))
      await store.storePiece(SYSTEM, digestOf(bytes), { n: 1, total: bytes.length, body })
      await yieldToEventLoop()
      expect([name, store.takeBuffer(PIECE)]).toEqual([name, null])
      await end(bytes)
      await yieldToEventLoop()
      expect([name, store.takeBuffer(PIECE)?.buffer === body.buffer]).toEqual([name, true])
    }
  })
})

describe('many parts in one form', () => {
  it('are stored in one commit, small and large, also twice, and complete what was begun in pieces', async () => {
    const parts = [noise(10, 71), noise(300_000, 72), Buffer.alloc(0), Buffer.from('\r\n--x'), noise(PIECE + 9, 73)]
    const [, , , , large = Buffer.alloc(0)] = parts
    await putPiece(write, large, 0)
    const commits: string[] = []
    const { commit } = spec.service
    const counted = wrapCalls(commit, ({ name, run }) => {
      commits.push(name)
      return run()
    })
    const store = openPartStore(
      { ...spec.service, commit: counted, now: () => clock++, partsFolder: partsFolderOf(spec) },
      PART_LIMITS,
    )
    const { storeMany } = spec.services.partStore
    Object.assign(spec.services.partStore, { storeMany: store.storeMany })
    const answer = answerOf(await postParts(write, [...parts, ...parts]))
    Object.assign(spec.services.partStore, { storeMany })
    const listed = parts.map((bytes) => ({ sha256: digestOf(bytes), bytes: bytes.length }))
    expect(answer).toEqual([200, { parts: [...listed, ...listed] }])
    expect(commits.filter((name) => name === 'stageParts')).toEqual(['stageParts'])
    expect(await leftOver()).toBe(0)
    expect((await postParts(write, parts)).statusCode).toBe(200)
    expect([await leftOver(), await missing(parts.map(digestOf))]).toEqual([0, [200, { missing: [] }]])
    const run_id = 'of-a-form'
    await spec.ingest(aDocument({ run_id }))
    const manifest = await sendEvidence(
      write,
      parts.map((bytes) => ({ bytes, role: 'original' })),
    )
    expect((await attach(write, run_id, manifest)).statusCode).toBe(201)
    for (const bytes of parts) expect((await download(run_id, bytes)).rawPayload.equals(bytes)).toBe(true)
  })

  it('are all refused if one has other bytes, another size was announced, or the form is none', async () => {
    const parts = [noise(10, 81), noise(300_000, 82)]
    const files = parts.map((bytes) => ({ name: digestOf(bytes), bytes }))
    const refused = async (body: Buffer) => answerOf(await postForm(write, body))
    const wrong = { name: digestOf(noise(5, 1)), bytes: noise(5, 2) }
    expect((await refused(formOf([...files, wrong])))[0]).toBe(422)
    const begun = noise(PIECE + 5, 83)
    await putPiece(write, begun, 0, digestOf(parts[1] ?? begun))
    expect((await refused(formOf(files)))[0]).toBe(409)
    await write('DELETE', `/parts/${digestOf(parts[1] ?? begun)}/upload`)
    expect((await refused(formOf([{ name: 'report.txt', bytes: noise(5, 1) }])))[0]).toBe(422)
    expect((await refused(formOf(files).subarray(0, -30)))[1].error).toBe('invalid form: the last boundary is missing')
    const many = Array.from({ length: 1001 }, (_, n) => ({
      name: digestOf(Buffer.from(String(n))),
      bytes: Buffer.from(String(n)),
    }))
    expect((await refused(formOf(many)))[1].error).toBe('invalid form: a form has at most 1000 parts')
    expect((await write('POST', '/parts', { headers: json, body: '{}' })).statusCode).toBe(400)
    expect((await postParts(read, parts)).statusCode).toBe(403)
    expect(await missing(parts.map(digestOf))).toEqual([200, { missing: parts.map(digestOf) }])
    expect(await leftOver()).toBe(0)
    expect((await refused(formOf(many.slice(0, 1000))))[0]).toBe(200)
  })
})

it('removes dropped bytes in a database object by object and in small commits, and stops when it should', async () => {
  const open = (service: Pick<OpenService, 'commit' | 'reader'>) =>
    openPartStore({ ...service, now: () => clock++, partsFolder: null }, PART_LIMITS)
  const tables = await openApp({ parts: (service) => ({ partStore: open(service) }) })
  try {
    for (const seed of [61, 62]) await putPiece(tables.sendAs('write'), noise(PIECE + 9, seed), 0)
    await tables.execute("UPDATE objects SET state = 'deleting', key = NULL")
    const removed: number[] = []
    const stop = new AbortController()
    const { reader, commit } = tables.service
    const watched = wrapCalls<typeof commit, unknown>(commit, async ({ name, args: [, asked], run }) => {
      if (name === 'removeObjectRows') {
        const { from, to } = asked as Parameters<typeof commit.removeObjectRows>[1]
        removed.push(to - from)
      }
      if (name === 'forgetObject') stop.abort()
      return run()
    })
    const store = open({ commit: watched, reader })
    expect(await store.removeDropped(stop.signal)).toBe(1)
    expect(removed).toEqual([16, 16, 16])
    expect(await tables.column('SELECT object_id FROM objects')).toHaveLength(1)
    expect(await store.removeDropped()).toBe(1)
    expect(await storedObjects(tables)).toEqual([])
  } finally {
    await tables.close()
  }
})

describe('what may be staged', () => {
  it('is bounded for each account', async () => {
    const limits = { maxBytes: 100, maxParts: 2, hours: 24 }
    const bounded = await openApp({ partLimits: { staged: limits } })
    try {
      const send = bounded.sendAs('write')
      expect((await putPart(send, noise(60, 1))).statusCode).toBe(200)
      const [status, body] = answerOf(await putPart(send, noise(60, 2)))
      expect([status, body]).toEqual([
        409,
        { error: 'name or drop your parts first: too many were sent that no run names' },
      ])
      expect((await putPart(send, noise(60, 1))).statusCode).toBe(200)
      expect((await putPart(send, noise(10, 2))).statusCode).toBe(200)
      expect((await putPart(send, noise(10, 3))).statusCode).toBe(409)
      expect((await putPart(bounded.sendAs('admin'), noise(10, 3))).statusCode).toBe(200)
    } finally {
      await bounded.close()
    }
  })

  it('is bounded also for parts that are begun at the same time, and what is refused leaves nothing', async () => {
    const bounded = await openApp({ partLimits: { staged: { maxBytes: 500_000, maxParts: 2, hours: 24 } } })
    try {
      const send = bounded.sendAs('write')
      const answers = await Promise.all([31, 32, 33].map((seed) => putPart(send, noise(300_000, seed))))
      expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409])
      expect(await bounded.column('SELECT state FROM objects')).toEqual(['stored'])
      expect(await storedObjects(bounded)).toEqual(
        (await bounded.column('SELECT object_id FROM part_objects')).map(String).toSorted(),
      )
    } finally {
      await bounded.close()
    }
  })
})
