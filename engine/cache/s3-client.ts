import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { readAwsSettings, type AwsCredentials } from '../../domain/aws/settings.ts'
import { bucketAddress, encodeStep, s3ErrorCode, signS3 } from '../../domain/aws/sign.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import { assertCacheKey } from '../../domain/cache/key.ts'
import { HarnessError } from '../json.ts'
import type { Ports } from '../ports.ts'
import type { CacheSpec } from '../suite/suite.ts'
import { BodyRefused, readBody, readReason } from '../http/read-body.ts'
import { CacheUnavailable, MAX_ENTRY_BYTES, type CacheClient } from './client.ts'
import { causeText } from '../../domain/plain/cause-text.ts'

export type S3CacheOptions = {
  readonly s3: NonNullable<CacheSpec['s3']>
  readonly region: string
  readonly credentials: AwsCredentials
  readonly fetch: Ports['fetch']
  /** The wall clock: milliseconds since 1970. It is part of signatures. */
  readonly now: () => number
  /** Called once, if the bucket denies a read. */
  readonly warn: (message: string) => void
}

/**
 * A cache in a bucket of S3 or of a gateway with its interface: `<prefix>/v1/<first 2 hex>/sha256:<64 hex>.json`.
 * Objects are never listed or deleted, and the first one of a key remains. Requests are signed with AWS Signature
 * Version 4.
 */
export const s3CacheClient = ({ s3, region, credentials, fetch, now, warn }: S3CacheOptions): CacheClient => {
  const address = bucketAddress({
    bucket: s3.bucket,
    endpoint: s3.endpoint ?? null,
    pathStyle: s3.force_path_style ?? false,
    region,
  })
  const prefix = (s3.prefix ?? '').replace(/^\/+|(?<!\/)\/+$/g, '')

  const urlOf = (key: string): string => {
    const path = [prefix, 'v1', key.slice(7, 9), `${key}.json`].filter((step) => step !== '').join('/')
    return `${address}/${path.split('/').map(encodeStep).join('/')}`
  }

  const send = async (
    method: 'GET' | 'HEAD' | 'PUT',
    key: string,
    signal: AbortSignal | undefined,
    body?: Uint8Array,
  ): Promise<Response> => {
    const signed = await signS3(
      {
        method,
        url: urlOf(key),
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        bodySha256: createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      { region, credentials, now },
    )
    return fetch(signed.url, {
      method,
      headers: signed.headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: Uint8Array.from(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** Runs a read or a write with all its requests. A fault of the connection, also in a body, is `CacheUnavailable`. */
  const reaching = async <T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> => {
    assertCacheKey(key)
    try {
      return await work()
    } catch (error) {
      if (error instanceof CacheUnavailable || signal?.aborted) throw error
      throw new CacheUnavailable(`the cache in the bucket ${s3.bucket} cannot be reached: ${causeText(error)}`, {
        cause: error,
      })
    }
  }

  const rejection = (status: number, code = 'no reason given'): CacheUnavailable =>
    new CacheUnavailable(`the cache in the bucket ${s3.bucket} answers ${status}: ${code}`)

  let hasWarned = false

  return {
    get: (key, signal) =>
      reaching(key, signal, async () => {
        const response = await send('GET', key, signal)
        if (response.status === 200) return await readEntryBody(response)
        const code = await readErrorCode(response)
        // Other codes of 403 are those of credentials: a wrong signature, an expired token.
        const isDenied = response.status === 403 && (code === undefined || code === 'AccessDenied')
        if (response.status !== 404 && !isDenied) throw rejection(response.status, code)
        if (isDenied && !hasWarned) warn(deniedText(s3.bucket))
        hasWarned ||= isDenied
        return null
      }),
    put: (key, bytes, signal) =>
      reaching(key, signal, async () => {
        const existing = await send('HEAD', key, signal)
        if (existing.status === 200) return false
        // Without the permission to list the bucket, S3 answers 403 for an object that does not exist.
        if (existing.status !== 404 && existing.status !== 403)
          throw rejection(existing.status, await readErrorCode(existing))
        const response = await send('PUT', key, signal, bytes)
        const code = await readErrorCode(response)
        if (response.status !== 200) throw rejection(response.status, code)
        return true
      }),
  }
}

const deniedText = (bucket: string): string =>
  `the bucket ${bucket} denies a read, which counts as a miss: S3 answers so for every object that does not exist unless s3:ListBucket is allowed`

/** The bytes of an object. Throws `CacheUnavailable` if they are more than an entry has. */
const readEntryBody = async (response: Response): Promise<Uint8Array> => {
  try {
    const { buffer, byteOffset, length } = await readBody(response, { maxBytes: MAX_ENTRY_BYTES })
    return new Uint8Array(buffer, byteOffset, length)
  } catch (error) {
    if (error instanceof BodyRefused) throw new CacheUnavailable(`the bucket ${error.message}`, { cause: error })
    throw error
  }
}

/** The code of an error, which the body names. Reads it to the end, so that the connection can be reused. */
const readErrorCode = async (response: Response): Promise<string | undefined> => s3ErrorCode(await readReason(response))

/** The settings of an AWS account for a cache. Throws `HarnessError` without credentials. */
export const awsSettings = (
  env: Ports['env'],
  readText: (path: string) => string | null = readIfPresent,
): { readonly credentials: AwsCredentials; readonly region: string } => {
  const { credentials, region, profile } = readAwsSettings(env, homedir(), readText)
  if (credentials === null)
    throw new HarnessError(
      `cache.s3 needs AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or add the profile ${profile} to ~/.aws/credentials`,
    )
  return { credentials, region }
}

const readIfPresent = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new HarnessError(`${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
