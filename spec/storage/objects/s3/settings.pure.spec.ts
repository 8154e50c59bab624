import { describe, expect, it } from 'vitest'
import { readObjectStore } from '../../../../cli/serve/object-store-config.ts'
import { readConfig } from '../../../../cli/serve/config.ts'
import { readStoreUrl, shownStore } from '../../../../storage/objects/s3/settings.ts'
import { settingsOf } from '../../../support/s3/buckets.ts'

const DEFAULTS = {
  ...{ bucket: 'evals', prefix: '', endpoint: null, region: null, pathStyle: false, sse: null, kmsKeyId: null },
  ...{ conditional: true, checksum: true },
}

describe('the URL of an object store', () => {
  it('has defaults', () => expect(readStoreUrl('s3://evals')).toEqual(DEFAULTS))
  it('has a prefix, without slashes at its ends', () =>
    expect(readStoreUrl('s3://evals/team/a/')).toEqual({ ...DEFAULTS, prefix: 'team/a' }))
  it('has parameters', () =>
    expect(
      readStoreUrl(
        's3://evals/p?endpoint=https%3A%2F%2Fs3.example.test&region=eu-central-1&sse=aws:kms&kms_key_id=arn:aws:kms:eu-central-1:1:key/2&conditional=off&checksum=off',
      ),
    ).toEqual({
      ...{ ...DEFAULTS, prefix: 'p', endpoint: 'https://s3.example.test', region: 'eu-central-1', pathStyle: true },
      ...{ sse: 'aws:kms', kmsKeyId: 'arn:aws:kms:eu-central-1:1:key/2', conditional: false, checksum: false },
    }))
  it('is in the host name with an endpoint where it says so', () =>
    expect(readStoreUrl('s3://evals?endpoint=https://s3.example.test&path_style=false').pathStyle).toBe(false))
  it.each(['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])('may be %s', (endpoint) =>
    expect(readStoreUrl(`s3://evals?endpoint=${endpoint}`).endpoint).toBe(endpoint),
  )
  it('may be plain http elsewhere only where that is allowed', () => {
    expect(() => readStoreUrl('s3://evals?endpoint=http://minio:9000')).toThrow('http=allow')
    expect(readStoreUrl('s3://evals?endpoint=http://minio:9000&http=allow').endpoint).toBe('http://minio:9000')
  })
  it.each([
    ['https://evals', 'must be s3://BUCKET/PREFIX'],
    ['s3://AKIA:secret@evals/p', 'must be s3://BUCKET/PREFIX'],
    ['s3://e', 'must be s3://BUCKET/PREFIX'],
    ['s3://evals/a b', 'must have a prefix'],
    ['s3://evals/../x', 'must have a prefix'],
    ['s3://evals/a//b', 'must have a prefix'],
    ['s3://evals?secret=x', 'unknown parameter "secret"'],
    ['s3://evals?region=a&region=b', 'parameter region more than once'],
    ['s3://evals?region=', 'parameter region must not be empty'],
    ['s3://evals?sse=rot13', 'parameter sse must be AES256 or aws:kms'],
    ['s3://evals?path_style=yes', 'parameter path_style must be true or false'],
    ['s3://evals?kms_key_id=k', 'needs sse=aws:kms'],
    ['s3://evals?endpoint=https://user:secret@host', 'parameter endpoint must be'],
    ['s3://evals?endpoint=ftp://host', 'parameter endpoint must be'],
    ['s3://evals?region=a%0Ab', 'must be names'],
  ])('%s is refused', (url, reason) => expect(() => readStoreUrl(url)).toThrow(reason))
  it('is shown without its parameters', () =>
    expect(shownStore(settingsOf('s3://evals/p?endpoint=https://s3.example.test/x'))).toBe(
      's3://evals/p at s3.example.test',
    ))
})

describe('the variables of an object store', () => {
  const errorsOf = (env: Record<string, string>) => readObjectStore(env).errors
  const SERVICE_OBJECT_STORE_URL = 's3://evals'
  it('have defaults', () =>
    expect(readObjectStore({ SERVICE_OBJECT_STORE_URL })).toEqual({
      ...{ objectStore: { ...DEFAULTS, timeoutMs: 10_000, concurrency: 16 }, errors: [] },
    }))
  it('are none without a URL', () =>
    expect([readObjectStore({}), errorsOf({ SERVICE_OBJECT_STORE_TIMEOUT_MS: '5' })]).toEqual([
      { objectStore: null, errors: [] },
      ['SERVICE_OBJECT_STORE_TIMEOUT_MS: must be set together with SERVICE_OBJECT_STORE_URL'],
    ]))
  it.each([
    [{ SERVICE_OBJECT_STORE_BUCKET: 'x' }, ['SERVICE_OBJECT_STORE_BUCKET: is not a variable of this service']],
    [{ SERVICE_OBJECT_STORE_SERVICE_HOST: '10.0.0.1' }, []],
    [
      { SERVICE_OBJECT_STORE_TIMEOUT_MS: '0' },
      ['SERVICE_OBJECT_STORE_TIMEOUT_MS: must be a whole number from 1 to 600000'],
    ],
    [
      { SERVICE_OBJECT_STORE_CONCURRENCY: 'many' },
      ['SERVICE_OBJECT_STORE_CONCURRENCY: must be a whole number from 1 to 1000'],
    ],
    [{ SERVICE_OBJECT_STORE_DOCUMENTS: 'keep' }, []],
    [{ SERVICE_OBJECT_STORE_DOCUMENTS: 'move' }, []],
    [{ SERVICE_OBJECT_STORE_DOCUMENTS: 'all' }, ['SERVICE_OBJECT_STORE_DOCUMENTS: must be keep or move']],
  ])('%j', (env, errors) => expect(errorsOf({ SERVICE_OBJECT_STORE_URL, ...env })).toEqual(errors))
  it('never quote the URL', () =>
    expect(errorsOf({ SERVICE_OBJECT_STORE_URL: 's3://key:hunter2@evals' }).join()).not.toContain('hunter2'))
  it('allow larger parts on PostgreSQL', () => {
    const SERVICE_DATABASE_URL = 'postgres://localhost/ers'
    expect(readConfig({ SERVICE_DATABASE_URL }).parts.maxBytes).toBe(256 * 1024 ** 2)
    expect(readConfig({ SERVICE_DATABASE_URL, SERVICE_OBJECT_STORE_URL }).parts.maxBytes).toBe(5 * 1024 ** 3)
  })
})
