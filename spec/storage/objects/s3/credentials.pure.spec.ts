import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { NoCredentials, openCredentials } from '../../../../storage/objects/s3/credentials.ts'
import { noise } from '../../../support/documents/parts.ts'
import { bucketOf, chunksOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../../support/s3/stand-in.ts'

const NOW = Date.UTC(2026, 4, 4, 8)
const MINUTE = 60_000

/** A container that gives credentials, one set after the other. */
const container = (expiresInMinutes: number) => {
  const asked: Array<[string, string | null]> = []
  const state = { isAway: false }
  const fetchThem: typeof fetch = async (url, init) => {
    const request = new Request(url, init)
    asked.push([request.url, request.headers.get('authorization')])
    if (state.isAway) throw new Error('no route')
    const n = asked.length
    return Response.json({
      ...{ AccessKeyId: `id ${n}`, SecretAccessKey: `secret ${n}`, Token: `token ${n}` },
      Expiration: new Date(NOW + n * expiresInMinutes * MINUTE).toISOString(),
    })
  }
  return { asked, state, fetch: fetchThem }
}
const NO_FILES = { readText: () => null, fetch, now: () => NOW }

describe('the credentials of an object store', () => {
  it('are those of the environment, then of the profile', async () => {
    const files: Record<string, string> = {
      '/h/.aws/credentials': '[default]\naws_access_key_id=stored\naws_secret_access_key=its secret\n',
    }
    const readText = (path: string) => files[path] ?? null
    const own = openCredentials({ ...NO_FILES, readText, env: { HOME: '/h', ...KEYS, AWS_REGION: 'eu-north-1' } })
    expect([own.region, (await own.current()).accessKeyId]).toEqual(['eu-north-1', 'AKIAEXAMPLE'])
    const stored = openCredentials({ ...NO_FILES, readText, env: { HOME: '/h' } })
    expect([stored.region, (await stored.current()).accessKeyId]).toEqual(['us-east-1', 'stored'])
  })

  it('of a container are renewed five minutes before they expire, and the old ones do meanwhile', async () => {
    let now = NOW
    const from = container(60)
    const env = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/role', AWS_CONTAINER_AUTHORIZATION_TOKEN: 'proof' }
    const { current } = openCredentials({ env, fetch: from.fetch, now: () => now, readText: () => null })
    const id = async () => (await current()).accessKeyId
    expect([await id(), await id()]).toEqual(['id 1', 'id 1'])
    expect(from.asked).toEqual([['http://169.254.170.2/v2/role', 'proof']])
    now += 54 * MINUTE
    expect(await id()).toBe('id 1')
    now += 2 * MINUTE
    from.state.isAway = true
    expect([await id(), await id()]).toEqual(['id 1', 'id 1'])
    from.state.isAway = false
    expect(await id()).toBe('id 4')
    now += 500 * MINUTE
    from.state.isAway = true
    await expect(current()).rejects.toThrow(NoCredentials)
  })

  it('of a container have their token in a file, and come from https or this machine alone', async () => {
    const from = container(60)
    const given = (AWS_CONTAINER_CREDENTIALS_FULL_URI: string) =>
      openCredentials({
        env: { AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/token' },
        ...{ fetch: from.fetch, now: () => NOW },
        readText: (path) => (path === '/token' ? 'from the file\n' : null),
      }).current()
    await given('http://169.254.170.23/v1/credentials')
    expect(from.asked).toEqual([['http://169.254.170.23/v1/credentials', 'from the file']])
    await expect(given('http://example.test/')).rejects.toThrow('must be an https URL')
  })

  it('that are missing are an error that says what to set', async () => {
    await expect(openCredentials({ ...NO_FILES, env: {} }).current()).rejects.toThrow('AWS_ACCESS_KEY_ID')
  })

  it('are trimmed, and never quoted: those that no header can carry are none', async () => {
    const given = (AWS_SESSION_TOKEN: string) =>
      openCredentials({ ...NO_FILES, env: { ...KEYS, AWS_SESSION_TOKEN } }).current()
    expect((await given(' of-the-session\n')).sessionToken).toBe('of-the-session')
    const error: unknown = await given('of-the\nsession').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(NoCredentials)
    expect(inspect(error)).not.toContain('of-the')
    const fetchText: typeof fetch = async () => new Response('of-the-session')
    const env = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/role' }
    const unread: unknown = await openCredentials({ ...NO_FILES, fetch: fetchText, env })
      .current()
      .catch((caught: unknown) => caught)
    expect(unread).toBeInstanceOf(NoCredentials)
    expect(inspect(unread)).not.toContain('of-the')
  })

  it('come from no other host, and with a region that can be in one', async () => {
    const env = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '@example.test/' }
    await expect(openCredentials({ ...NO_FILES, env }).current()).rejects.toThrow('must begin with a slash')
    const url = 's3://evidence/p'
    const wrong = { env: { ...KEYS, AWS_REGION: 'example.test/' }, readText: () => null }
    expect(() => bucketOf(url, wrong)).toThrow('AWS_REGION')
    bucketOf(`${url}?region=eu-north-1`, wrong).close()
  })

  it('that rotate fail none of many requests at the same time', async () => {
    const s3 = await startS3Server()
    try {
      s3.state.refusal = 'ExpiredToken'
      const env: Record<string, string> = { ...KEYS }
      const store = bucketOf(s3.storeUrl('p'), { env })
      await store.put('a'.repeat(32), chunksOf(noise(1000, 1)))
      s3.state.secrets = new Map([['id-2', 'secret-2']])
      Object.assign(env, { AWS_ACCESS_KEY_ID: 'id-2', AWS_SECRET_ACCESS_KEY: 'secret-2' })
      await Promise.all(Array.from({ length: 16 }, () => store.read('a'.repeat(32), 0, 1000)))
      expect(store.health.isUp()).toBe(true)
    } finally {
      await s3[Symbol.asyncDispose]()
    }
  })

  it.each(['ExpiredToken', 'InvalidAccessKeyId'])('rotate without a failed request, after %s', async (refusal) => {
    const s3 = await startS3Server()
    try {
      s3.state.refusal = refusal
      const profile = (n: number) => `[default]\naws_access_key_id=id-${n}\naws_secret_access_key=secret-${n}\n`
      let file = profile(1)
      s3.state.secrets = new Map([['id-1', 'secret-1']])
      const store = bucketOf(s3.storeUrl('p'), {
        env: { HOME: '/h' },
        readText: (path) => (path.endsWith('credentials') ? file : null),
      })
      const [first, second] = ['a'.repeat(32), 'b'.repeat(32)]
      await store.put(first, chunksOf(noise(1000, 1)))
      file = profile(2)
      s3.state.secrets = new Map([['id-2', 'secret-2']])
      await store.put(second, chunksOf(noise(1000, 2)))
      expect((await store.read(first, 0, 1000)).equals(noise(1000, 1))).toBe(true)
      // Neither of them is valid any more: once is enough.
      s3.state.secrets = new Map()
      s3.requests.length = 0
      await expect(store.read(first, 0, 5)).rejects.toThrow(`403 ${refusal}`)
      expect(s3.requests).toHaveLength(1)
    } finally {
      await s3[Symbol.asyncDispose]()
    }
  })
})
