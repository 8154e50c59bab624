import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, noise, sendEvidence } from '../../../support/documents/parts.ts'
import { partFiles } from '../../../support/documents/stored-objects.ts'
import { openApp } from '../../../support/servers/app.ts'

const spec = await openApp()
afterAll(() => spec.close())
const [write, read] = [spec.sendAs('write'), spec.sendAs('read')]
const KEY = aCase().case_key

const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(700_000, 9)])
const page = Buffer.from('<!doctype html><script>alert(1)</script>')
const gifAndPage = Buffer.from('GIF89a/*<script>alert(1)</script>*/')
const get = (bytes: Buffer, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  read(method, `/runs/r/parts/${digestOf(bytes)}`, { headers })

beforeAll(async () => {
  await spec.ingest(aDocument({ run_id: 'r', cases: [aCase()] }))
  const manifest = await sendEvidence(write, [
    { bytes: picture, role: 'output', case_key: KEY, name: '../"Bild ü"\r\n.png', media_type: 'text/html' },
    { bytes: page, role: 'original', name: 'page.html', media_type: 'text/html' },
    { bytes: gifAndPage, role: 'original', name: 'both.html', media_type: 'text/html' },
    { bytes: Buffer.alloc(0), role: 'original' },
  ])
  expect((await attach(write, 'r', manifest)).statusCode).toBe(201)
})

describe('a part that is read', () => {
  it('has the type of its bytes, a safe name, and headers under which nothing runs', async () => {
    const { statusCode, headers, rawPayload } = await get(picture)
    expect([statusCode, rawPayload.equals(picture)]).toEqual([200, true])
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(picture.length),
      'content-disposition': "inline; filename*=UTF-8''__Bild%20%C3%BC___.png",
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: `"${digestOf(picture)}"`,
    })
  })

  it('is saved unless a browser can show it without running anything', async () => {
    const saved = (await get(page)).headers
    expect([saved['content-type'], saved['content-disposition']]).toEqual([
      'application/octet-stream',
      "attachment; filename*=UTF-8''page.html",
    ])
    expect((await get(gifAndPage)).headers['content-type']).toBe('image/gif')
    const empty = await get(Buffer.alloc(0))
    expect([empty.statusCode, empty.headers['content-length'], empty.rawPayload.length]).toEqual([200, '0', 0])
  })

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=-7', picture.length - 7, picture.length],
    ['bytes=262140-262150', 262_140, 262_151],
    [`bytes=${picture.length - 1}-`, picture.length - 1, picture.length],
    ['bytes=5-99999999', 5, picture.length],
  ])('in the range %s', async (range, from, to) => {
    const { statusCode, headers, rawPayload } = await get(picture, { range })
    expect([statusCode, headers['content-range'], headers['content-length']]).toEqual([
      206,
      `bytes ${from}-${to - 1}/${picture.length}`,
      String(to - from),
    ])
    expect(rawPayload.equals(picture.subarray(from, to))).toBe(true)
  })

  it('is whole for several ranges and for a range of another version, and 416 beyond its end', async () => {
    expect((await get(picture, { range: 'bytes=0-1,4-5' })).statusCode).toBe(200)
    expect((await get(picture, { range: 'bytes=0-1', 'if-range': '"other"' })).statusCode).toBe(200)
    expect((await get(picture, { range: 'bytes=0-1', 'if-range': `"${digestOf(picture)}"` })).statusCode).toBe(206)
    const beyond = await get(picture, { range: `bytes=${picture.length}-` })
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${picture.length}`])
    expect(beyond.headers['content-type']).toBe('application/json')
  })

  it('is 304 for its ETag, and has no body for HEAD', async () => {
    const { statusCode, rawPayload } = await get(picture, { 'if-none-match': `"${digestOf(picture)}"` })
    expect([statusCode, rawPayload.length]).toEqual([304, 0])
    const head = await get(picture, {}, 'HEAD')
    expect([head.statusCode, head.headers['content-length'], head.rawPayload.length]).toEqual([
      200,
      String(picture.length),
      0,
    ])
    expect(head.headers['content-type']).toBe('image/png')
  })

  it('is absent if its run is deleted while it is read, and damaged if its bytes alone are gone', async () => {
    const deleted = noise(300_000, 71)
    await spec.ingest(aDocument({ run_id: 'goes', cases: [aCase()] }))
    await attach(write, 'goes', await sendEvidence(write, [{ bytes: deleted, role: 'original' }]))
    const path = `/runs/goes/parts/${digestOf(deleted)}`
    const pieces = `(SELECT part_no FROM parts WHERE sha256 = '${digestOf(deleted)}')`
    await spec.execute(`DELETE FROM part_objects WHERE part_no = ${pieces}`)
    expect((await read('GET', path)).statusCode).toBe(500)
    const { partStore } = spec.services
    const { read: readStored } = partStore
    Object.assign(partStore, {
      read: async function* (...args: Parameters<typeof readStored>) {
        await spec.sendAs('admin')('DELETE', '/runs/goes')
        yield* readStored(...args)
      },
    })
    const absent = await read('GET', path)
    Object.assign(partStore, { read: readStored })
    expect([absent.statusCode, absent.json()]).toEqual([404, { error: 'run not found' }])
    const never = await read('GET', '/runs/never/parts/' + digestOf(deleted))
    const headersOf = ({ headers }: typeof absent) => ({ ...headers, date: '', 'x-request-id': '' })
    expect(headersOf(absent)).toEqual(headersOf(never))
  })

  it('ends before a chunk that was altered', async () => {
    for (const file of partFiles(spec.dataDir)) {
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0, 600_000))
    }
    const range = { range: 'bytes=0-99' }
    expect((await get(picture, range)).rawPayload.equals(picture.subarray(0, 100))).toBe(true)
    const cut = await get(picture).catch((error: unknown) => error)
    const received = cut instanceof Error ? Buffer.alloc(0) : (cut as { rawPayload: Buffer }).rawPayload
    expect(received.length).toBeLessThan(picture.length)
    expect(received.equals(picture.subarray(0, received.length))).toBe(true)
  })
})
