import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CacheUnavailable } from '../../../engine/cache/client.ts'
import { awsSettings, s3CacheClient, type S3CacheOptions } from '../../../engine/cache/s3-client.ts'
import { HarnessError } from '../../../engine/json.ts'
import { startS3 } from '../../support/engine/s3-stand-in.ts'

const HEX = `ab${'0'.repeat(62)}`
const KEY = `sha256:${HEX}`
const BYTES = Buffer.from('{"output":"grün"}')
const CREDENTIALS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret+of/aws' }

let s3: Awaited<ReturnType<typeof startS3>>
let warnings: string[]
beforeEach(async () => {
  warnings = []
  s3 = await startS3(CREDENTIALS.secretAccessKey)
})
afterEach(() => s3[Symbol.asyncDispose]())

const client = (more: Partial<S3CacheOptions['s3']> = {}, options: Partial<S3CacheOptions> = {}) =>
  s3CacheClient({
    s3: { bucket: 'evals', endpoint: s3.url, force_path_style: true, ...more },
    region: 'eu-central-1',
    credentials: CREDENTIALS,
    fetch,
    now: () => Date.UTC(2026, 7, 2, 1, 2, 3),
    warn: (message) => void warnings.push(message),
    ...options,
  })

describe('a cache in a bucket', () => {
  it('returns the stored bytes, with signed requests', async () => {
    expect(await client().get(KEY)).toBeNull()
    expect(await client().put(KEY, BYTES)).toBe(true)
    expect(Buffer.from((await client().get(KEY)) ?? [])).toEqual(BYTES)
    const path = `/evals/v1/ab/sha256%3A${HEX}.json`
    expect(s3.requests).toEqual([`GET ${path}`, `HEAD ${path}`, `PUT ${path}`, `GET ${path}`])
  })
  it('keeps the first entry of a key', async () => {
    await client().put(KEY, BYTES)
    expect(await client().put(KEY, Buffer.from('second'))).toBe(false)
    expect([...s3.objects.values()]).toEqual([BYTES])
  })
  it.each(['team/evals', '/team/evals/'])('has the prefix %s', async (prefix) => {
    await client({ prefix }).put(KEY, BYTES)
    expect([...s3.objects.keys()]).toEqual([`/evals/team/evals/v1/ab/sha256%3A${HEX}.json`])
  })
  it('is in the host name where the path does not name it', async () => {
    const urls: string[] = []
    const fetchUrl: typeof fetch = async (url) => {
      urls.push(new Request(url).url)
      return new Response(null, { status: 404 })
    }
    await s3CacheClient({
      s3: { bucket: 'evals', force_path_style: false },
      region: 'eu-central-1',
      credentials: CREDENTIALS,
      fetch: fetchUrl,
      now: () => 0,
      warn: () => {},
    }).get(KEY)
    expect(urls).toEqual([`https://evals.s3.eu-central-1.amazonaws.com/v1/ab/sha256%3A${HEX}.json`])
  })
  it('takes the token of a session', async () => {
    const credentials = { ...CREDENTIALS, sessionToken: 'session' }
    expect(await client({}, { credentials }).put(KEY, BYTES)).toBe(true)
  })
  it('is unavailable with wrong credentials', async () => {
    const credentials = { ...CREDENTIALS, secretAccessKey: 'wrong' }
    await expect(client({}, { credentials }).get(KEY)).rejects.toThrow(
      new CacheUnavailable('the cache in the bucket evals answers 403: SignatureDoesNotMatch'),
    )
    await expect(client({}, { credentials }).put(KEY, BYTES)).rejects.toThrow(CacheUnavailable)
  })
  it('is unavailable where it fails', async () => {
    s3.state.status = 503
    await expect(client().get(KEY)).rejects.toThrow('the cache in the bucket evals answers 503: SlowDown')
    await expect(client().put(KEY, BYTES)).rejects.toThrow(CacheUnavailable)
    await expect(client({ endpoint: 'http://127.0.0.1:1' }).get(KEY)).rejects.toThrow(CacheUnavailable)
  })
  it.each(['<Error><Code>AccessDenied</Code></Error>', ''])(
    'that may not be listed has no entry where a read is denied with %j, with one warning',
    async (body) => {
      const denied = client({}, { fetch: async () => new Response(body, { status: 403 }) })
      expect(await denied.get(KEY)).toBeNull()
      expect(await denied.get(KEY)).toBeNull()
      expect(warnings).toEqual([expect.stringContaining('s3:ListBucket')])
    },
  )
  it.each([200, 404, 500])('is unavailable where the body of the status %i is cut', async (status) => {
    const cut = () => new ReadableStream({ start: (stream) => stream.error(new Error('cut')) })
    const broken = client({}, { fetch: async () => new Response(cut(), { status }) })
    const unreachable = new CacheUnavailable('the cache in the bucket evals cannot be reached: cut')
    await expect(broken.get(KEY)).rejects.toThrow(unreachable)
    const writing = client(
      {},
      {
        fetch: async (_, init) =>
          new Response(init?.method === 'HEAD' ? null : cut(), { status: init?.method === 'HEAD' ? 404 : status }),
      },
    )
    await expect(writing.put(KEY, BYTES)).rejects.toThrow(unreachable)
  })
  it('refuses what is no key', async () => {
    await expect(client().get('../x')).rejects.toThrow('is not a cache key')
    expect(s3.requests).toEqual([])
  })
})

describe('the settings of AWS', () => {
  const FILES: Readonly<Record<string, string>> = {
    '/home/ci/.aws/credentials':
      '# keys\n[default]\naws_access_key_id = stored\naws_secret_access_key=stored=secret\n[ci]\naws_access_key_id=of-ci\naws_secret_access_key=ci-secret\naws_session_token=ci-token\n',
    '/home/ci/.aws/config': '[default]\nregion = eu-west-1\n[profile ci]\nregion=us-west-2\n',
    '/elsewhere': '[default]\naws_access_key_id=other\naws_secret_access_key=other-secret\n',
  }
  const settings = (env: Readonly<Record<string, string>>) =>
    awsSettings({ HOME: '/home/ci', ...env }, (path) => FILES[path] ?? null)

  it('are those of the environment first', () =>
    expect(
      settings({
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'key',
        AWS_SESSION_TOKEN: 'token',
        AWS_REGION: 'eu-north-1',
      }),
    ).toEqual({
      credentials: { accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'token' },
      region: 'eu-north-1',
    }))
  it('are those of the default profile', () =>
    expect(settings({})).toEqual({
      credentials: { accessKeyId: 'stored', secretAccessKey: 'stored=secret', sessionToken: undefined },
      region: 'eu-west-1',
    }))
  it('are those of a named profile', () =>
    expect(settings({ AWS_PROFILE: 'ci' })).toEqual({
      credentials: { accessKeyId: 'of-ci', secretAccessKey: 'ci-secret', sessionToken: 'ci-token' },
      region: 'us-west-2',
    }))
  it('are those of the named files', () =>
    expect(settings({ AWS_SHARED_CREDENTIALS_FILE: '/elsewhere' }).credentials.accessKeyId).toBe('other'))
  it('must be there', () => {
    expect(() => settings({ AWS_PROFILE: 'unknown' })).toThrow(HarnessError)
    expect(() => settings({ AWS_PROFILE: 'unknown' })).toThrow('AWS_ACCESS_KEY_ID')
    expect(() => awsSettings({ HOME: '/nonexistent' })).toThrow(HarnessError)
  })
})
