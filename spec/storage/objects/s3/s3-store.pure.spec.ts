import { createHash } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { ObjectsUnavailable } from '../../../../storage/errors.ts'
import { ObjectDamaged } from '../../../../storage/objects/seal.ts'
import { isRefusal, OtherLog } from '../../../../storage/objects/s3/store.ts'
import type { S3Settings } from '../../../../storage/objects/s3/settings.ts'
import { noise } from '../../../support/documents/parts.ts'
import { bucketOf, chunksOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server, type Fault, type Seen } from '../../../support/s3/stand-in.ts'

const s3 = await startS3Server()
afterAll(() => s3[Symbol.asyncDispose]())
const ID = 'ab'.repeat(16)
const bytes = noise(300_000, 1)
const keyOf = (id: string): string => `p/objects/${id}`

beforeEach(() => {
  s3.objects.clear()
  s3.requests.length = 0
  s3.state.fault = () => null
  s3.state.page = 1000
  s3.state.ignoresConditions = false
  s3.state.hold = () => undefined
  s3.state.kept.clear()
})

/** Meets the first requests of a kind with a fault. */
const failFirst = (times: number, fault: Fault, isMeant: (seen: Seen) => boolean): void => {
  let left = times
  s3.state.fault = (seen) => (isMeant(seen) && left-- > 0 ? fault : null)
}
const isObject = ({ key }: Seen): boolean => key.startsWith('p/objects/')
const isPut = (seen: Seen): boolean => isObject(seen) && seen.method === 'PUT'
const isGet = (seen: Seen): boolean => isObject(seen) && seen.method === 'GET'
const open = (more: Parameters<typeof bucketOf>[1] = {}) => bucketOf(s3.storeUrl('p'), more)
const put = (store = open(), id = ID) => store.put(id, chunksOf(bytes.subarray(0, 99_999), bytes.subarray(99_999)))

describe('an object store in a bucket', () => {
  it('keeps the bytes below its prefix, next to the identity of the log, and reads any range of them', async () => {
    const store = open()
    await put(store)
    expect([...s3.objects.keys()].toSorted()).toEqual([keyOf(ID), 'p/store'])
    expect(s3.objects.get(keyOf(ID))?.body.equals(bytes)).toBe(true)
    expect(s3.objects.get('p/store')?.body.toString()).toBe('identity of a log\n')
    expect((await store.read(ID, 0, bytes.length)).equals(bytes)).toBe(true)
    expect((await store.read(ID, 1000, 5)).equals(bytes.subarray(1000, 1005))).toBe(true)
  })

  it('removes objects alone and many at once, also those that are gone', async () => {
    const store = open()
    const ids = ['0', '1', '2'].map((digit) => digit.repeat(32))
    for (const id of ids) await put(store, id)
    await store.remove(ids.slice(0, 1))
    await store.remove(ids)
    await store.remove(ids.slice(0, 1))
    expect([...s3.objects.keys()]).toEqual(['p/store'])
  })

  it('removes what it can of many, and names the others', async () => {
    const store = open()
    const ids = ['0', '1', '2'].map((digit) => digit.repeat(32))
    for (const id of ids) await put(store, id)
    s3.state.kept.add(keyOf(ids[1] ?? ''))
    const kept = { ids: new Set(ids.slice(1, 2)), message: expect.stringContaining('AccessDenied') as string }
    await expect(store.remove(ids)).rejects.toMatchObject(kept)
    await expect(store.remove(ids.slice(1, 2))).rejects.toMatchObject(kept)
    expect([...s3.objects.keys()].toSorted()).toEqual([keyOf(ids[1] ?? ''), 'p/store'])
  })

  it('does not take another answer for that of a removal', async () => {
    const store = open()
    await put(store)
    s3.state.fault = ({ method }) => (method === 'POST' ? { status: 200, code: 'InternalError' } : null)
    await expect(store.remove([ID, '0'.repeat(32)])).rejects.toThrow('not whole')
    s3.state.fault = ({ method }) => (method === 'DELETE' ? { status: 404, code: '' } : null)
    await expect(store.remove([ID])).rejects.toThrow('404 and no code')
  })

  it('lists in order, page by page, from an id on', async () => {
    s3.state.page = 2
    const store = open()
    const ids = ['0', '1', '2', '3', '4'].map((digit) => digit.repeat(32))
    for (const id of ids.toReversed()) await put(store, id)
    const listed = async (after: string) => (await Array.fromAsync(store.list(after))).flat()
    expect((await listed('')).map(({ object_id }) => object_id)).toEqual(ids)
    expect((await listed(ids[2] ?? '')).map(({ object_id }) => object_id)).toEqual(ids.slice(3))
    expect((await listed(''))[0]).toMatchObject({ bytes: bytes.length })
  })

  it('says that an object is missing, or has fewer bytes', async () => {
    const store = open()
    await expect(store.read(ID, 0, 5)).rejects.toThrow(ObjectDamaged)
    await put(store)
    s3.objects.set(keyOf(ID), { body: bytes.subarray(0, 1000), checksum: undefined, at: new Date() })
    await expect(store.read(ID, 990, 20)).rejects.toThrow(ObjectDamaged)
    await expect(store.read(ID, 2000, 20)).rejects.toThrow(ObjectDamaged)
  })

  it.each<[string, Fault]>([
    ['an error', { status: 500, code: 'InternalError' }],
    ['SlowDown', { status: 503, code: 'SlowDown' }],
    ['a conflict', { status: 409, code: 'ConditionalRequestConflict' }],
    ['half an answer', 'half'],
    ['a lost answer', 'cut'],
  ])('goes on after %s', async (_, fault) => {
    const store = open()
    failFirst(2, fault, isPut)
    await put(store)
    failFirst(2, fault, isGet)
    expect((await store.read(ID, 0, bytes.length)).equals(bytes)).toBe(true)
    failFirst(2, fault, ({ method }) => method === 'DELETE')
    await store.remove([ID])
    expect(s3.objects.has(keyOf(ID))).toBe(false)
  })

  it.each<[string, Fault, number]>([
    ['errors', { status: 500, code: 'InternalError' }, 3],
    ['half answers', 'half', 3],
    ['a denial', { status: 403, code: 'AccessDenied' }, 1],
    ['an absent bucket', { status: 404, code: 'NoSuchBucket' }, 1],
    ['a page of a proxy', { status: 404, code: '' }, 1],
    ['an absent account', { status: 404, code: 'XAdminUserNotFound' }, 1],
    ['a full disk', { status: 507, code: 'XMinioStorageFull' }, 1],
  ])('is unavailable after %s: no number of tries is endless', async (_, fault, tries) => {
    const store = open()
    await put(store)
    s3.requests.length = 0
    s3.state.fault = (seen) => (isGet(seen) ? fault : null)
    await expect(store.read(ID, 0, 5)).rejects.toThrow(ObjectsUnavailable)
    expect(s3.requests).toHaveLength(tries)
  })

  it('ends a request that is not answered, and tries it once more', async () => {
    await put()
    s3.state.fault = (seen) => (isGet(seen) ? 'nothing' : null)
    s3.requests.length = 0
    const store = open({ settings: { timeoutMs: 50 } })
    await expect(store.read(ID, 0, 5)).rejects.toThrow('no answer within')
    expect(s3.requests).toHaveLength(2)
    const { timeout, ok } = store.health.times('get').results
    expect([timeout, ok]).toEqual([2, 0])
  })

  it('ends an answer whose bytes come too slowly, and tries it once more', async () => {
    await put()
    s3.state.fault = (seen) => (isGet(seen) ? 'slow' : null)
    s3.requests.length = 0
    const store = open({ settings: { timeoutMs: 50 } })
    await expect(store.read(ID, 0, 5000)).rejects.toThrow('no answer within')
    expect(s3.requests).toHaveLength(2)
    const { timeout, failed, ok } = store.health.times('get').results
    expect([timeout, failed, ok]).toEqual([2, 0, 0])
  })

  it('that says it stored what it did not is not believed', async () => {
    s3.state.fault = (seen) => (isPut(seen) ? 'not stored' : null)
    await expect(put()).rejects.toThrow('has not these bytes')
  })

  it('does not take an object that was there before for its own', async () => {
    s3.objects.set(keyOf(ID), { body: noise(300_000, 9), checksum: undefined, at: new Date() })
    await expect(put()).rejects.toThrow('was there before it was stored')
    // Of an earlier try with other bytes.
    failFirst(1, { status: 500, code: 'InternalError' }, isPut)
    s3.objects.set(keyOf(ID), { body: noise(299_999, 9), checksum: undefined, at: new Date() })
    await expect(put()).rejects.toThrow('has not these bytes')
  })

  it('is tried on while each request comes through after all, and while single objects are denied', async () => {
    const store = open()
    await put(store)
    const all = Promise.withResolvers<void>()
    let [waiting, left] = [0, 16]
    s3.state.hold = () => {
      if (++waiting === 16) all.resolve()
      return all.promise
    }
    s3.state.fault = () => (left-- > 0 ? { status: 503, code: 'SlowDown' } : null)
    await Promise.all(Array.from({ length: 16 }, () => store.read(ID, 0, 5)))
    expect([left < 0, store.health.isUp()]).toEqual([true, true])
    s3.state.fault = (request) => (isGet(request) ? { status: 403, code: 'AccessDenied' } : null)
    for (let i = 0; i < 12; i++) await expect(store.read(ID, 0, 5)).rejects.toThrow('403 AccessDenied')
    expect([store.health.isOpen(), store.health.isUp()]).toEqual([false, false])
  })

  it('is not tried any more after four failures, by no thread, until a probe comes through', async () => {
    const store = open()
    await put(store)
    const other = open({ health: store.health.buffer })
    s3.state.fault = () => ({ status: 500, code: 'InternalError' })
    for (let i = 0; i < 4; i++) await expect(store.read(ID, 0, 5)).rejects.toThrow(ObjectsUnavailable)
    expect(store.health.isOpen()).toBe(true)
    s3.requests.length = 0
    await expect(other.read(ID, 0, 5)).rejects.toThrow('failed too often')
    expect(s3.requests).toEqual([])
    await expect(store.probe()).rejects.toThrow(ObjectsUnavailable)
    expect(s3.requests).toEqual(['GET p/store'])
    s3.state.fault = () => null
    await store.probe()
    expect((await other.read(ID, 0, 5)).equals(bytes.subarray(0, 5))).toBe(true)
  })

  it('belongs to one log: nothing is written for another', async () => {
    await put()
    const other = open({ identity: async () => 'another log' })
    await expect(other.put('cd'.repeat(16), chunksOf(bytes))).rejects.toThrow(OtherLog)
    await expect(other.check('another log')).rejects.toThrow(OtherLog)
    await expect(other.remove([ID])).rejects.toThrow(OtherLog)
    expect([...s3.objects.keys()].filter((key) => key.startsWith('p/objects/'))).toEqual([keyOf(ID)])
  })

  it('is not taken for an empty one where the log has objects: nothing is written or removed', async () => {
    const store = open({ isUsed: async () => true })
    for (const refused of [put(store), store.remove([ID]), store.check('a log')])
      await expect(refused).rejects.toThrow('name their bucket and prefix')
    expect([...s3.objects.keys()]).toEqual([])
  })

  it('that another log has when it is back is not written to any more', async () => {
    const store = open()
    await put(store)
    s3.objects.set('p/store', { body: Buffer.from('another log'), checksum: undefined, at: new Date() })
    await store.probe()
    await expect(put(store, 'cd'.repeat(16))).rejects.toThrow(OtherLog)
  })

  it('of another log is found out by a removal, also after what was written', async () => {
    const store = open({ settings: { conditional: false } })
    await put(store)
    // A service that began at the same moment wrote its identity last.
    s3.objects.set('p/store', { body: Buffer.from('another log'), checksum: undefined, at: new Date() })
    await expect(store.remove([ID])).rejects.toThrow(OtherLog)
    await expect(put(store, 'ef'.repeat(16))).rejects.toThrow(OtherLog)
  })

  it('keeps a bounded number of requests open', async () => {
    const store = open({ settings: { concurrency: 2 } })
    await put(store)
    s3.state.mostOpen = 0
    await Promise.all(Array.from({ length: 8 }, () => store.read(ID, 0, 5)))
    expect(s3.state.mostOpen).toBeLessThanOrEqual(2)
  })
})

describe('the check of a start', () => {
  it('leaves nothing but the identity', async () => {
    expect(await open().check('a log')).toEqual([])
    expect([...s3.objects.keys()]).toEqual(['p/store'])
  })
  it('warns of a store that ignores conditions', async () => {
    s3.state.ignoresConditions = true
    expect(await open().check('a log')).toEqual([expect.stringContaining('ignores If-None-Match')])
    expect(await open({ settings: { conditional: false } }).check('a log')).toEqual([])
  })
  it.each<[number, string]>([
    [408, 'RequestTimeout'],
    [409, 'ConditionalRequestConflict'],
    [400, 'RequestTimeout'],
    [503, 'SlowDown'],
    [507, 'XMinioStorageFull'],
    [403, 'QuotaExceeded'],
  ])('is no refusal by %i %s, which may pass', async (status, code) => {
    s3.state.fault = () => ({ status, code })
    const error: unknown = await open()
      .check('a log')
      .catch((caught: unknown) => caught)
    expect(String(error)).toContain(code)
    expect(isRefusal(error)).toBe(false)
  })
  it.each<[string, Fault]>([
    ['a denial', { status: 403, code: 'AccessDenied' }],
    ['another region', { status: 301, code: 'PermanentRedirect' }],
    ['an absent bucket', { status: 404, code: 'NoSuchBucket' }],
  ])('is refused by %s, with the code', async (_, fault) => {
    s3.state.fault = () => fault
    const error: unknown = await open()
      .check('a log')
      .catch((caught: unknown) => caught)
    expect(isRefusal(error)).toBe(true)
    expect(String(error)).toContain(typeof fault === 'object' ? fault.code : '')
    expect(String(error)).not.toContain(KEYS.AWS_SECRET_ACCESS_KEY)
  })
  it('is no refusal where the store cannot be reached', async () => {
    const error: unknown = await bucketOf('s3://evidence/p?endpoint=http://127.0.0.1:1')
      .check('a log')
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ObjectsUnavailable)
    expect(isRefusal(error)).toBe(false)
  })
  it('without credentials is a refusal that says what to set', async () => {
    const error: unknown = await open({ env: { HOME: '/nonexistent' } })
      .check('a log')
      .catch((caught: unknown) => caught)
    expect(isRefusal(error)).toBe(true)
    expect(String(error)).toContain('AWS_ACCESS_KEY_ID')
  })
})

describe('the headers of an object', () => {
  const headersOf = async (settings: Partial<S3Settings>) => {
    s3.objects.clear()
    await put(open({ settings }))
    return s3.headers[s3.requests.indexOf(`PUT ${keyOf(ID)}`)]
  }
  beforeEach(() => {
    s3.headers.length = 0
  })
  it('have its checksum, a condition, and what the settings say of encryption', async () => {
    expect(await headersOf({ sse: 'aws:kms', kmsKeyId: 'key-1' })).toMatchObject({
      'content-length': String(bytes.length),
      'content-type': 'application/octet-stream',
      'if-none-match': '*',
      'x-amz-checksum-sha256': createHash('sha256').update(bytes).digest('base64'),
      'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex'),
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
    })
  })
  it('lack what the settings switch off; the signature still has the hash', async () => {
    const headers = await headersOf({ conditional: false, checksum: false })
    expect(Object.keys(headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/if-none-match|checksum|server-side/)]),
    )
    expect(headers?.['x-amz-content-sha256']).toBe(createHash('sha256').update(bytes).digest('hex'))
  })
})
