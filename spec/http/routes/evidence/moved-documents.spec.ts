import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { moveAll, moverOf } from '../../../support/documents/moves.ts'
import { attach, digestOf, manifestOf, noise, putPart, sendEvidence } from '../../../support/documents/parts.ts'
import { json } from '../../../support/access/access-requests.ts'
import { bucketOf, settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server, type Seen } from '../../../support/s3/stand-in.ts'
import { openApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('moved')
let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => clock++, bucket: settingsOf(url), movesDocuments: true })
afterAll(async () => {
  await spec.close()
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})
const [write, read, admin] = [spec.sendAs('write'), spec.sendAs('read'), spec.sendAs('admin')]
const mover = moverOf(spec, url)
const DOWN = { status: 500, code: 'InternalError' }
const isObject = ({ key }: Seen): boolean => key.startsWith('moved/objects/')
const objects = () => [...s3.objects.keys()].filter((key) => key.startsWith('moved/objects/'))
const verify = () => verifyStore(spec, { parts: 'all', bucket: bucketOf(url) })
const countOf = async (table: string, where = 'TRUE') =>
  Number((await spec.column(`SELECT count(*) FROM ${table} WHERE ${where}`))[0])
const runNo = async (id: string) => Number((await spec.column(`SELECT run_no FROM runs WHERE id = '${id}'`))[0])
const keyOf = async (id: string): Promise<string> => {
  const [object] = await spec.column(`SELECT object_id FROM run_objects WHERE run_no = ${await runNo(id)}`)
  return `moved/objects/${String(object)}`
}

/** A document with several chunks of text that does not shrink. */
const documentOf = (run_id: string, cases = 6, seed = 1) =>
  aDocument({
    run_id,
    cases: Array.from({ length: cases }, (_, i) =>
      aCase({ case_key: `c${i}`, cell: { test_id: `t${i}` }, output: noise(24_000, seed * 100 + i).toString('hex') }),
    ),
  })
/** Uploads a document, and returns its bytes. */
const upload = async (run_id: string, cases = 6, seed = 1): Promise<Buffer> => {
  const bytes = Buffer.from(JSON.stringify(documentOf(run_id, cases, seed)))
  expect((await spec.ingest(bytes)).statusCode).toBe(201)
  return bytes
}
/** Attaches parts of which only the manifest is sent. */
const attachKnown = async (run_id: string, parts: readonly Buffer[]) => {
  const manifest = manifestOf(parts.map((bytes) => ({ bytes, role: 'original' })))
  await putPart(write, manifest)
  return attach(write, run_id, digestOf(manifest))
}
const exported = async (run_id: string) => (await read('GET', `/runs/${run_id}/export`)).rawPayload
const comeBack = async (): Promise<void> => {
  s3.state.fault = () => null
  s3.state.hold = () => undefined
  await bucketOf(url, { health: spec.services.partStore.bucket?.health.buffer }).probe()
}
beforeEach(comeBack)

describe('documents that are moved into a bucket', () => {
  it('are one sealed object a run, and are read as before', async () => {
    const bytes = await upload('first')
    const [before, detail] = [await read('GET', '/runs/first/cases/c3'), await read('GET', '/runs/first')]
    expect(await countOf('pending_moves')).toBe(1)
    expect(await moveAll(mover)).toBe(1)
    expect(objects()).toHaveLength(1)
    const sealed = s3.objects.get(await keyOf('first'))?.body ?? Buffer.alloc(0)
    expect(sealed.includes(bytes.subarray(1000, 1060))).toBe(false)
    expect([await countOf('document_frames'), await countOf('pending_moves')]).toEqual([0, 0])
    expect((await exported('first')).equals(bytes)).toBe(true)
    expect((await read('GET', '/runs/first/cases/c3?again=')).statusCode).toBe(400)
    expect((await read('GET', '/runs/first/cases/c3')).body).toBe(before.body)
    expect((await read('GET', '/runs/first')).body).toBe(detail.body)
    for (const path of ['/runs/first/cases', '/runs/first/matrix', '/runs/first/export/junit', '/search?q=output'])
      expect((await read('GET', path)).statusCode, path).toBeLessThan(500)
    // The same bytes again, and the same content in other bytes, are the same run.
    expect((await spec.ingest(bytes)).statusCode).toBe(200)
    expect((await spec.ingest(Buffer.from(`${bytes.toString()} `))).statusCode).toBe(200)
    expect(await verify()).toMatchObject({ finding: null })
  })

  it('take small parts of their run with them, which no other run may name without sending them', async () => {
    const small = [Buffer.from('an output'), noise(200_000, 5), noise(100_000, 6)]
    const shared = Buffer.from('a part of two runs')
    for (const run_id of ['parts', 'other']) await upload(run_id, 1)
    expect(
      (
        await attach(
          write,
          'parts',
          await sendEvidence(
            write,
            [...small, shared].map((bytes) => ({ bytes, role: 'original' })),
          ),
        )
      ).statusCode,
    ).toBe(201)
    expect((await attachKnown('other', [shared])).statusCode).toBe(201)
    const missing = async () =>
      JSON.parse(
        (
          await write('POST', '/parts/missing', {
            headers: json,
            body: JSON.stringify({ sha256: [...small, shared].map(digestOf) }),
          })
        ).body,
      ) as { missing: string[] }
    expect((await missing()).missing).toEqual([])
    await moveAll(mover)
    expect(await countOf('part_objects', 'start IS NOT NULL')).toBeGreaterThanOrEqual(3)
    for (const bytes of [...small, shared])
      expect((await read('GET', `/runs/parts/parts/${digestOf(bytes)}`)).rawPayload.equals(bytes)).toBe(true)
    const range = await read('GET', `/runs/parts/parts/${digestOf(small[1] ?? shared)}`, {
      headers: { range: 'bytes=1000-1999' },
    })
    expect(range.rawPayload.equals((small[1] ?? shared).subarray(1000, 2000))).toBe(true)
    expect((await missing()).missing.toSorted()).toEqual(small.map(digestOf).toSorted())
    // The run itself may name them again, another one must send them.
    expect((await attachKnown('parts', small.slice(0, 1))).statusCode).toBe(201)
    expect((await attachKnown('other', small)).statusCode).toBe(422)
    expect((await verify()).finding).toBeNull()
    expect((await admin('DELETE', '/runs/parts')).statusCode).toBe(204)
    expect((await read('GET', `/runs/other/parts/${digestOf(shared)}`)).rawPayload.equals(shared)).toBe(true)
    expect((await verify()).finding).toBeNull()
  })

  it('are moved back, with their parts, and are as before', async () => {
    const bytes = await upload('back')
    const part = noise(150_000, 9)
    await attach(write, 'back', await sendEvidence(write, [{ bytes: part, role: 'original' }]))
    await moveAll(mover)
    const key = await keyOf('back')
    const run = { run_no: await runNo('back'), document_bytes: bytes.length, document_sha256: digestOf(bytes) }
    expect(await mover.returnRun(run)).toBe(true)
    expect(await mover.returnRun(run)).toBe(false)
    expect(s3.objects.has(key)).toBe(false)
    expect((await exported('back')).equals(bytes)).toBe(true)
    expect((await read('GET', '/runs/back/cases/c5')).statusCode).toBe(200)
    expect((await read('GET', `/runs/back/parts/${digestOf(part)}`)).rawPayload.equals(part)).toBe(true)
    expect(await countOf('run_objects', `run_no = ${run.run_no}`)).toBe(0)
    const { missing } = JSON.parse(
      (await write('POST', '/parts/missing', { headers: json, body: JSON.stringify({ sha256: [digestOf(part)] }) }))
        .body,
    ) as { missing: string[] }
    expect(missing).toEqual([])
    expect((await verify()).finding).toBeNull()
  })

  it('end with their run: the key in the same commit, and the object afterwards, also if the bucket is away', async () => {
    await upload('erased')
    await moveAll(mover)
    const key = await keyOf('erased')
    s3.state.fault = () => DOWN
    const erased = await admin('POST', '/erasures', {
      headers: json,
      body: JSON.stringify({ reference: 'T-1', run_id: 'erased' }),
    })
    expect(erased.statusCode).toBe(200)
    expect(JSON.parse(erased.body)).toMatchObject({ documents: 1, objects_pending: 1 })
    const id = key.split('/').at(-1) ?? ''
    expect(await spec.rows(`SELECT state, key FROM objects WHERE object_id = '${id}'`)).toEqual([
      { state: 'deleting', key: null },
    ])
    expect(s3.objects.has(key)).toBe(true)
    await comeBack()
    await spec.services.partStore.removeDropped()
    expect(s3.objects.has(key)).toBe(false)
    expect((await read('GET', '/runs/erased/export')).statusCode).toBe(404)
    expect((await verify()).finding).toBeNull()
  })

  it('of a held run stay', async () => {
    await upload('held', 1)
    await moveAll(mover)
    const held = await admin('POST', '/holds', {
      headers: json,
      body: JSON.stringify({ run_id: 'held', reference: 'LAW-1' }),
    })
    expect(held.statusCode).toBe(201)
    expect((await admin('DELETE', '/runs/held')).statusCode).toBe(409)
    expect(s3.objects.has(await keyOf('held'))).toBe(true)
  })
})

describe('a move', () => {
  it('is won by one of two replicas, and the other removes its object', async () => {
    const bytes = await upload('twice')
    const before = objects().length
    const run = { run_no: await runNo('twice'), document_bytes: bytes.length, document_sha256: digestOf(bytes) }
    const { signal } = new AbortController()
    const all = await Promise.all(['a', 'b'].map((holder) => moverOf(spec, url, { holder }).moveRuns([run], signal)))
    expect(all.map(({ moved }) => moved).toSorted()).toEqual([0, 1])
    expect(objects()).toHaveLength(before + 1)
    expect((await exported('twice')).equals(bytes)).toBe(true)
  })

  it('is claimed by one replica for a minute', async () => {
    await upload('claimed', 1)
    const { commit } = spec.service
    const at = clock
    expect(await commit.claimMoves(SYSTEM, { holder: 'a', at, limit: 5 })).toHaveLength(1)
    expect(await commit.claimMoves(SYSTEM, { holder: 'b', at: at + 59_999, limit: 5 })).toEqual([])
    await commit.renewMoves(SYSTEM, { holder: 'a', at: at + 59_999 })
    expect(await commit.claimMoves(SYSTEM, { holder: 'b', at: at + 60_001, limit: 5 })).toEqual([])
    expect(await commit.claimMoves(SYSTEM, { holder: 'b', at: at + 120_000, limit: 5 })).toHaveLength(1)
    clock += 200_000
    expect(await moveAll(mover)).toBe(1)
  })

  it('of a run that is deleted meanwhile leaves nothing', async () => {
    await upload('gone')
    const before = objects().length
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    s3.state.hold = (seen) => {
      if (!isObject(seen) || seen.method !== 'PUT') return undefined
      asked.resolve()
      return held.promise
    }
    const moving = mover.moveWaiting(new AbortController().signal)
    await asked.promise
    expect((await admin('DELETE', '/runs/gone')).statusCode).toBe(204)
    held.resolve()
    expect(await moving).toMatchObject({ moved: 0, lost: 1, failed: [] })
    expect(objects()).toHaveLength(before)
    expect(await countOf('pending_moves')).toBe(0)
    expect((await verify()).finding).toBeNull()
  })

  it.each([
    ['is away', DOWN],
    ['is full', { status: 507, code: 'InsufficientStorage' }],
    ['does not store what it says', 'not stored' as const],
  ])('waits while the bucket %s, and the frames stay', async (_, fault) => {
    const run_id = `waits-${digestOf(Buffer.from(String(_))).slice(0, 6)}`
    const bytes = await upload(run_id)
    s3.state.fault = (seen) => (isObject(seen) && seen.method === 'PUT' ? fault : null)
    const moves = await mover.moveWaiting(new AbortController().signal)
    expect(moves).toMatchObject({ moved: 0 })
    expect(moves?.failed).toHaveLength(1)
    expect((await exported(run_id)).equals(bytes)).toBe(true)
    expect(await countOf('document_frames', `run_no = ${await runNo(run_id)}`)).toBeGreaterThan(0)
    await comeBack()
    await moverOf(spec, url).moveWaiting(new AbortController().signal)
    expect(await countOf('pending_moves')).toBe(0)
    expect((await exported(run_id)).equals(bytes)).toBe(true)
  })

  it('during a read is no 404', async () => {
    const bytes = await upload('read', 20)
    const { documents } = spec.service
    const run = { run_no: await runNo('read'), document_bytes: bytes.length, document_sha256: digestOf(bytes) }
    const first = documents.whole(run)
    const chunks = [(await first.next()).value as Buffer]
    await moveAll(mover)
    for await (const chunk of first) chunks.push(chunk)
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
    const second = documents.whole(run)
    const others = [(await second.next()).value as Buffer]
    await mover.returnRun(run)
    for await (const chunk of second) others.push(chunk)
    expect(Buffer.concat(others).equals(bytes)).toBe(true)
  })
})

describe('moved documents whose bucket is away', () => {
  it('are 503 with Retry-After, and all else goes on', async () => {
    await upload('away')
    await moveAll(mover)
    s3.state.fault = () => DOWN
    const answer = await read('GET', '/runs/away/export')
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5'])
    for (const path of [
      '/runs',
      '/runs/away',
      '/runs/away/cases',
      '/runs/away/matrix',
      '/compare?base=away&head=first',
    ])
      expect((await read('GET', path)).statusCode, path).toBeLessThan(500)
    await upload('meanwhile', 1)
  })
})

describe('a moved document that is damaged', () => {
  it.each(['gone', 'changed', 'cut'] as const)('is a 500, never a 404, and a finding: %s', async (what) => {
    const run_id = `damaged-${what}`
    await upload(run_id)
    await moveAll(mover)
    const key = await keyOf(run_id)
    const stored = s3.objects.get(key)
    if (!stored) throw new Error('the document was not moved')
    const body = Buffer.from(stored.body)
    if (what === 'gone') s3.objects.delete(key)
    else if (what === 'cut') s3.objects.set(key, { ...stored, body: body.subarray(0, -5) })
    else {
      body[100] = (body[100] ?? 0) ^ 1
      s3.objects.set(key, { ...stored, body })
    }
    expect((await read('GET', `/runs/${run_id}/cases/${what === 'cut' ? 'c5' : 'c0'}`)).statusCode).toBe(500)
    expect((await verify()).finding?.kind).toBe(what === 'changed' ? 'altered' : 'missing')
    s3.objects.set(key, stored)
    expect((await verify()).finding).toBeNull()
    await admin('DELETE', `/runs/${run_id}`)
  })
})
