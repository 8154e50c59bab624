import type { Logger } from 'pino'
import type { Commit } from '../commands/index.ts'
import type { LocalTier } from '../queries/cache/local.ts'
import type { DocumentReader } from '../queries/runs/documents.ts'
import type { RunJob } from '../queries/long-reads.ts'
import type { Scope, Viewer } from '../queries/access/viewer.ts'
import type { Reader } from '../storage/storage.ts'
import type { Outgoing } from './answers/outgoing-bytes.ts'
import type { Passwords } from './identity/passwords.ts'
import type { ResponseCache } from '../runtime/response-cache.ts'
import type { WebBuild } from './web.ts'
import type { SharedCache } from '../runtime/cache/shared-cache.ts'

/** What is beyond the limits of the configuration. */
export type Retained = { readonly runs: number; readonly cache_entries: number }

/**
 * Deletes at once what is beyond the limits, as far as the viewer sees it, or only counts it; where it is aborted the
 * rest stays. Answers how many went, or would.
 */
export type Retain = (
  viewer: Viewer,
  asked: { readonly dry_run: boolean; readonly signal: AbortSignal },
) => Promise<Retained>

export type AuthMode = 'open' | 'protect-writes' | 'closed'

/** One entry of `SERVICE_TOKENS`. `position` counts from 1 and names the token in the log: never its secret. */
export type StaticToken = { readonly scope: Scope; readonly secret: string; readonly position: number }

/** What routes are told of the configuration. */
export type HttpConfig = {
  readonly version: string
  readonly authMode: AuthMode
  readonly tokens: readonly StaticToken[]
  readonly publicUrl: string | null
  /** Whether cookies are for https alone. */
  readonly cookieSecure: boolean
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  readonly cache: { readonly max_entry_bytes: number; readonly max_bytes: number; readonly max_age_days: number }
}

/** What routes work with; passed in, so that a spec builds the whole app on a directory of its own. */
export type Services = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly commit: Commit
  readonly job: RunJob
  /** Finished answers. Whoever writes tells it what moved, before the write is answered. */
  readonly cache: ResponseCache
  readonly position: () => number
  /**
   * Settles when everything is known that was committed before the call, by whichever replica; undefined where nobody
   * else writes. Rejects when that cannot be told.
   */
  readonly caughtUp: () => Promise<void> | undefined
  /** The cache of provider responses. */
  readonly sharedCache: SharedCache
  /** A directory of entries that is shown beside it; null where there is none. */
  readonly localCache: LocalTier | null
  /** This process, in the record. */
  readonly instance: string
  readonly passwords: Passwords
  readonly retain: Retain
  /** Epoch milliseconds. */
  readonly now: () => number
  /**
   * False until a start is through with rebuilding the read tables and with the bootstrap admin: nothing may be
   * answered from the tables before.
   */
  readonly isReady: () => boolean
  /** The web app; null where it was not built. */
  readonly web: WebBuild | null
  /** In place of the usual bound on the bytes of answers on their way. */
  readonly answers?: Outgoing
  readonly config: HttpConfig
  readonly logger: Logger
}
