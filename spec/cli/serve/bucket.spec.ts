import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf, noise } from '../../support/documents/parts.ts'
import { KEYS, startS3Server, type S3Server } from '../../support/s3/stand-in.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const UNAVAILABLE = 'the store of large parts is unavailable; try again'

let s3: S3Server
let server: RunningServer
const envOf = (prefix: string, more = '') => ({ ...KEYS, SERVICE_OBJECT_STORE_URL: s3.storeUrl(prefix, more) })
beforeAll(async () => {
  s3 = await startS3Server()
  server = await startServer({ env: envOf('own') })
})
afterAll(async () => {
  await server.stop()
  await s3[Symbol.asyncDispose]()
})

const send = (method: string, path: string, body?: string | Buffer, type = 'application/json') =>
  fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Uint8Array.from(body) }),
  })
const put = (bytes: Buffer) => send('PUT', `/parts/${digestOf(bytes)}`, bytes, 'application/octet-stream')

const transcript = Buffer.from(
  [
    { transcript: 1, source: { format: 'x', version: '1' } },
    ...Array.from({ length: 9000 }, (_, n) => ({
      type: 'message',
      id: `m${n}`,
      role: 'user',
      content: `message ${n} of many`,
    })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join(''),
)

describe('a server with a bucket', () => {
  it('stores a transcript and a large manifest there: its threads read both', async () => {
    const small = Array.from({ length: 2200 }, (_, n) => Buffer.from(`part ${n}`))
    for (let at = 0; at < small.length; at += 550) {
      const form = new FormData()
      for (const bytes of small.slice(at, at + 550))
        form.append(digestOf(bytes), new Blob([Uint8Array.from(bytes)]), 'x')
      const answer = await fetch(`${server.url}/api/v1/parts`, {
        ...{ method: 'POST', headers: { authorization: `Bearer ${server.token}` }, body: form },
      })
      expect(answer.status, await answer.text()).toBe(200)
    }
    const manifest = manifestOf([
      { bytes: transcript, role: 'transcript', case_key: aCase().case_key },
      ...small.map((bytes, n) => ({ bytes, role: 'original', name: `the file with the number ${n}` })),
    ])
    expect(manifest.length).toBeGreaterThan(262_144)
    expect([(await put(transcript)).status, (await put(manifest)).status]).toEqual([200, 200])
    expect([...s3.objects.keys()].filter((key) => key.startsWith('own/objects/'))).toHaveLength(2)
    const run = aDocument({ run_id: 'read', evidence_manifest: digestOf(manifest) })
    expect((await send('POST', '/runs', JSON.stringify(run))).status).toBe(201)
    const events = await send('GET', `/runs/read/transcripts/${digestOf(transcript)}/events?from=8001&limit=1`)
    expect(await events.text()).toContain('message 8000 of many')
  })

  it('answers a transcript with 503 while the bucket is away, in no more time, and goes on when it is back', async () => {
    s3.state.fault = () => ({ status: 503, code: 'ServiceUnavailable' })
    const read = () => send('GET', `/runs/read/transcripts/${digestOf(transcript)}/find?q=nowhere`)
    for (let i = 0; i < 5; i++) {
      const answer = await read()
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await answer.json()).toEqual({ error: UNAVAILABLE })
    }
    // The threads share what they know: a dead bucket is not asked by requests any more.
    const before = s3.requests.filter((request) => request.startsWith('GET own/objects/')).length
    expect((await read()).status).toBe(503)
    expect(s3.requests.filter((request) => request.startsWith('GET own/objects/'))).toHaveLength(before)
    expect((await send('GET', '/ready')).status).toBe(200)
    const errors = server.log.filter(({ msg }) => msg === 'the store of large parts is unavailable')
    expect(errors[0]).toMatchObject({ reason: expect.stringContaining('503 ServiceUnavailable') as string })
    // One a minute, not one a request.
    expect(errors.length).toBeLessThan(3)
    s3.state.fault = () => null
    await expect.poll(async () => (await read()).status).toBe(200)
    expect(JSON.stringify(server.log)).not.toContain(KEYS.AWS_SECRET_ACCESS_KEY)
  })

  it('removes what was erased while the bucket was away when it is back', async () => {
    s3.state.fault = () => ({ status: 503, code: 'ServiceUnavailable' })
    const erased = await send('POST', '/erasures', JSON.stringify({ reference: 'T', run_id: 'read' }))
    expect(await erased.json()).toMatchObject({ objects_pending: 1 })
    expect((await put(noise(300_000, 3))).status).toBe(503)
    s3.state.fault = () => null
    // The manifest was taken into the database, and its object removed, when the run was recorded.
    await expect.poll(() => [...s3.objects.keys()].filter((key) => key.startsWith('own/objects/'))).toEqual([])
  })
})

it.runIf(onPostgres)('replicas of one service share the prefix', async () => {
  const bytes = noise(300_000, 40)
  expect((await put(bytes)).status).toBe(200)
  const replica = await startServer({ dataDir: server.dataDir, env: envOf('own') })
  const again = await fetch(`${replica.url}/api/v1/parts/${digestOf(bytes)}/upload`, {
    headers: { authorization: `Bearer ${replica.token}` },
  })
  expect(await again.json()).toMatchObject({ complete: true })
  await replica.stop({ keep: true })
})

describe('the start of a server', () => {
  it('fails on a prefix that belongs to another service', () =>
    expect(startServer({ env: envOf('own') })).rejects.toThrow('has the parts of another log'))
  it('fails on an absent bucket, and with credentials that are refused', async () => {
    const absent = s3.storeUrl('p').replace('s3://evidence', 's3://absent')
    await expect(startServer({ env: { ...KEYS, SERVICE_OBJECT_STORE_URL: absent } })).rejects.toThrow('NoSuchBucket')
    const wrong = startServer({ env: { ...envOf('p'), AWS_SECRET_ACCESS_KEY: 'not-the-secret' } })
    const message = await wrong.then(
      () => 'it started',
      (error: unknown) => String(error),
    )
    expect(message).toContain('SignatureDoesNotMatch')
    expect(message).not.toContain('not-the-secret')
  })
  it('fails without credentials, and says what to set', () =>
    expect(startServer({ env: { SERVICE_OBJECT_STORE_URL: s3.storeUrl('p'), HOME: '/nonexistent' } })).rejects.toThrow(
      'AWS_ACCESS_KEY_ID',
    ))
  it('fails with a region that is none, in one line', async () => {
    const message = await startServer({ env: { ...envOf('p'), AWS_REGION: 'example.test/' } }).then(
      () => 'it started',
      (error: unknown) => String(error),
    )
    expect(message).toContain('AWS_REGION, or the region of the profile')
    expect(message).not.toContain('credentials.ts')
    expect(message).not.toContain('"stack"')
  })
  it.each([
    [{ SERVICE_OBJECT_STORE_BUCKET: 'x' }, 'SERVICE_OBJECT_STORE_BUCKET: is not a variable of this service'],
    [{ SERVICE_OBJECT_STORE_DOCUMENTS: 'never' }, 'SERVICE_OBJECT_STORE_DOCUMENTS: must be keep or move'],
    [{ SERVICE_OBJECT_STORE_URL: 's3://evidence?acl=public' }, 'unknown parameter'],
  ])('fails with %j', (more, reason) =>
    expect(startServer({ env: { ...envOf('p'), ...more } })).rejects.toThrow(reason),
  )
  it('goes on without a bucket that cannot be reached, and fails where objects are in one that is not named', async () => {
    const away = await startServer({
      env: { ...KEYS, SERVICE_OBJECT_STORE_URL: 's3://evidence/p?endpoint=http://127.0.0.1:1' },
    })
    expect(away.log).toContainEqual(expect.objectContaining({ msg: 'large parts cannot be stored or read yet' }))
    expect((await fetch(`${away.url}/api/v1/ready`)).status).toBe(200)
    await away.stop({ keep: true })
    const { dataDir } = away
    const back = await startServer({ dataDir, env: envOf('later') })
    const bytes = noise(300_000, 4)
    const stored = await fetch(`${back.url}/api/v1/parts/${digestOf(bytes)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${back.token}`, 'content-type': 'application/octet-stream' },
      body: Uint8Array.from(bytes),
    })
    expect(stored.status).toBe(200)
    await back.stop({ keep: true })
    await expect(startServer({ dataDir })).rejects.toThrow('set SERVICE_OBJECT_STORE_URL')
    await expect(startServer({ dataDir, env: envOf('latter') })).rejects.toThrow('name their bucket and prefix')
    expect(s3.objects.has('latter/store')).toBe(false)
  })
})
