import type { Scope } from '../queries/access/viewer.ts'
import type { RunningService } from '../runtime/services.ts'
import type { OutgoingBytes } from './answers/outgoing-bytes.ts'
import type { Passwords } from './identity/passwords.ts'
import type { WebBuild } from './web.ts'

export type AuthMode = 'open' | 'protect-writes' | 'closed'

/** One entry of `SERVICE_TOKENS`. `position` counts from 1 and names the token in the log: never its secret. */
export type StaticToken = { readonly scope: Scope; readonly secret: string; readonly position: number }

/** The part of the configuration that routes need. */
export type HttpConfig = {
  readonly version: string
  readonly authMode: AuthMode
  readonly tokens: readonly StaticToken[]
  readonly publicUrl: string | null
  /** Whether cookies are restricted to https. */
  readonly cookieSecure: boolean
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  readonly cache: { readonly max_entry_bytes: number; readonly max_bytes: number; readonly max_age_days: number }
}

/** Everything that routes need. It is passed in, so that a spec can build the whole app on its own directory. */
export type Services = RunningService & {
  readonly passwords: Passwords
  /** The web app; null if it was not built. */
  readonly web: WebBuild | null
  /** Replaces the default limit on the bytes of answers being sent. */
  readonly answers?: OutgoingBytes
  readonly config: HttpConfig
}
