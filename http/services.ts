import type { AllowedTargets } from '../runtime/webhooks/addresses.ts'
import type { MailConfig } from '../runtime/webhooks/mail-address.ts'
import type { Scope } from '../queries/access/viewer.ts'
import type { PartLimits } from '../runtime/evidence/part-store.ts'
import type { StorageLocation } from '../runtime/storage-location.ts'
import type { RunningService } from '../runtime/services.ts'
import type { OutgoingBytes } from './answers/outgoing-bytes.ts'
import type { Passwords } from './identity/passwords.ts'
import type { DocsSite } from './docs-site.ts'
import type { SsoConfig } from './sso/config.ts'
import type { WebBuild } from './web.ts'

export type AuthMode = 'open' | 'protect-writes' | 'closed'

/** One entry of `SERVICE_TOKENS`. The log identifies a token by `position`, which counts from 1, never by its secret. */
export type StaticToken = { readonly scope: Scope; readonly secret: string; readonly position: number }

/** An origin whose pages may call the endpoint for agents. Null stands for any scheme, and for any port. */
export type AllowedOrigin = { readonly scheme: string | null; readonly host: string; readonly port: string | null }
/**
 * Who may read checkpoints, hashes and proofs of the log (with `admin`, only who sees every run set), and who may have
 * the receipt of a run.
 */
export type ProofConfig = {
  readonly checkpointAccess: 'admin' | 'read' | 'public'
  readonly receipts: 'uploader' | 'admin'
}

export type McpConfig = { readonly allowedOrigins: readonly AllowedOrigin[] }

/** The part of the configuration that routes need. */
export type HttpConfig = {
  readonly version: string
  readonly authMode: AuthMode
  /** Requests are logged at the level debug instead of info. */
  readonly quietRequests?: boolean
  readonly tokens: readonly StaticToken[]
  readonly publicUrl: string | null
  /** Whether cookies are restricted to https. */
  readonly cookieSecure: boolean
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /**
   * Seals what clients hold for the service, and the secrets of webhooks: 32 bytes. Null lets each process choose a key,
   * and allows no webhooks.
   */
  readonly secretKey: Uint8Array | null
  /** Where webhooks may send besides public addresses. */
  readonly webhookTargets: AllowedTargets
  /** How webhooks send e-mails; null if they send none. */
  readonly mail: MailConfig | null
  /** Empty reasons whose entries the retention evicts at any age. */
  readonly sweepEmptyReasons: readonly string[]
  /** Null if runs are deleted at no age. */
  readonly runMaxAgeDays: number | null
  /** The endpoint for agents; null if it is not mounted. */
  readonly mcp: McpConfig | null
  /** Sign-in through identity providers; null if there are none. */
  readonly sso: SsoConfig | null
  readonly proof: ProofConfig
  readonly parts: PartLimits
  /** Bytes of all uploads that are being received or wait for their commit; 256 MiB by default. */
  readonly receivedBytes?: number
  readonly cache: { readonly max_entry_bytes: number; readonly max_bytes: number; readonly max_age_days: number }
}

/** Everything that routes need. It is a parameter, so that a spec can build the whole app on a directory of its own. */
export type Services = RunningService & {
  readonly passwords: Passwords
  /** The web app; null if it was not built. */
  readonly web: WebBuild | null
  readonly docs: DocsSite
  /** Replaces the default limit on the bytes of responses that are being sent. */
  readonly answers?: OutgoingBytes
  readonly config: HttpConfig
  /** Whether the disk of the state directory was full and still has no room. Without it, only writes show that. */
  readonly isDiskFull?: () => boolean
  readonly storage: StorageLocation
}
