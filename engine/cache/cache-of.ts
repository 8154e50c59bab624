import * as files from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { HarnessError } from '../json.ts'
import type { Ports } from '../ports.ts'
import type { CacheSpec, LoadedSuite } from '../suite/suite.ts'
import { boundedCacheClient } from './bounded-client.ts'
import type { CacheClient } from './client.ts'
import { diskCacheClient } from './disk-client.ts'
import { httpCacheClient } from './http-client.ts'
import { MAX_FAULTS_IN_A_ROW, layeredCacheClient } from './layered-client.ts'
import { awsSettings, s3CacheClient } from './s3-client.ts'

export type CacheOptions = {
  /** `--cache-dir`. */
  readonly cacheDir?: string | undefined
  readonly ports: Pick<Ports, 'env' | 'fetch' | 'now' | 'sleep'>
  /** The base URL of the service and its token, if a service is configured. */
  readonly serverUrl?: string | undefined
  readonly token?: string | undefined
  /** False: only the local cache is opened. A run that neither reads nor writes needs no shared one. */
  readonly isShared?: boolean
  readonly warn: (message: string) => void
}

/** Opens the cache that a suite configures: a local directory, in front of a shared cache if there is one. */
export const openSuiteCache = (loaded: LoadedSuite, options: CacheOptions): CacheClient => {
  const directory = cacheDirectory(loaded.directory, options)
  const local = diskCacheClient({ directory, files, writer: String(process.pid) })
  const remote = options.isShared === false ? null : remoteOf(loaded.suite.cache, options)
  if (remote === null) return local
  return layeredCacheClient({
    local,
    remote: boundedCacheClient(remote, TIME_LIMIT_MS, options.ports.sleep),
    onFault: ({ message }) => options.warn(`the shared cache is not used where it fails: ${message}`),
    onEnd: (use) =>
      options.warn(
        `the shared cache failed ${MAX_FAULTS_IN_A_ROW} times in a row: it is not ${use} any more in this run`,
      ),
  })
}

/**
 * The root of the local cache: `--cache-dir`, else `SERVICE_CACHE_DIR`, else `.service/cache` in the folder of the
 * suite. A relative one belongs to the working folder.
 */
export const cacheDirectory = (
  suiteDirectory: string,
  { cacheDir, ports: { env } }: Pick<CacheOptions, 'cacheDir'> & { readonly ports: Pick<Ports, 'env'> },
): string => resolve(cacheDir || env['SERVICE_CACHE_DIR'] || join(suiteDirectory, '.service', 'cache'))

const remoteOf = ({ backend, s3 }: CacheSpec, options: CacheOptions): CacheClient | null => {
  const { serverUrl, token, warn, ports } = options
  const { fetch } = ports
  if (backend === 'disk') return null
  if (backend !== 'http' && s3 !== undefined) {
    try {
      const { credentials, region } = awsSettings(ports.env)
      return s3CacheClient({ s3, credentials, region: s3.region ?? region, fetch, now: ports.now, warn })
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error
      warn(`only the local cache is used: ${error.message}`)
      return null
    }
  }
  if (backend === 's3') {
    warn('cache.backend is s3, but cache.s3 is not set: only the local cache is used')
    return null
  }
  if (serverUrl === undefined) {
    warn(`cache.backend is ${backend}, but no service is configured: only the local cache is used`)
    return null
  }
  return httpCacheClient({ url: serverUrl, token, fetch })
}

/** A shared cache that takes longer is slower than most calls that it replaces. */
const TIME_LIMIT_MS = 30_000
