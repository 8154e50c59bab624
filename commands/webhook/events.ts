import type { WebhookEvent } from '../../domain/webhooks/event-types.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { credentialDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'

/**
 * Stream `webhook/<id>`: a webhook of an account. URL and secrets are stored encrypted in a table next to the log;
 * `credential_sha256` is the digest of the encrypted text.
 */
export type WebhookCreated = NewEvent<
  'WebhookCreated',
  {
    readonly credential_sha256: string | null
    readonly events: readonly WebhookEvent[]
    readonly project: string | null
    readonly suite: string | null
    readonly user_id: string
    readonly webhook_id: string
  }
>
/** A new secret. The former one is valid for some time. */
export type WebhookSecretReplaced = NewEvent<
  'WebhookSecretReplaced',
  { readonly credential_sha256: string | null; readonly user_id: string; readonly webhook_id: string }
>
/** The receiver answered 410: nothing is sent any more. */
export type WebhookDisabled = NewEvent<
  'WebhookDisabled',
  { readonly cause: 'gone'; readonly user_id: string; readonly webhook_id: string }
>
export type WebhookDeleted = NewEvent<
  'WebhookDeleted',
  { readonly cause: 'request' | 'user_deleted'; readonly user_id: string; readonly webhook_id: string }
>
export type WebhookEventRecord = WebhookCreated | WebhookSecretReplaced | WebhookDisabled | WebhookDeleted

// Webhooks are in no cached response.
const shared = { tags: () => [], change: 'nothing', erasure: 'account', projections: ['webhooks'] } as const
export const WEBHOOK_EVENTS = {
  WebhookCreated: { ...shared, digests: true },
  WebhookSecretReplaced: { ...shared, digests: true },
  WebhookDisabled: { ...shared, digests: false },
  WebhookDeleted: { ...shared, digests: true },
} as const satisfies EventTypes<WebhookEventRecord>

const streamName = (webhook_id: string): string => streamOf('webhook', webhook_id)

const storeTarget = (webhook_id: string, sealed: string): Statement => statement`
  INSERT INTO webhook_targets (webhook_id, sealed) VALUES (${webhook_id}, ${sealed})
  ON CONFLICT (webhook_id) DO UPDATE SET sealed = excluded.sealed`

export const webhookCreated = (
  data: Omit<WebhookCreated['data'], 'credential_sha256'>,
  sealed: string,
): WebhookCreated => ({
  ...event(streamName(data.webhook_id), 'WebhookCreated', { ...data, credential_sha256: credentialDigest(sealed) }),
  statements: [storeTarget(data.webhook_id, sealed)],
})

export const webhookSecretReplaced = (
  data: Omit<WebhookSecretReplaced['data'], 'credential_sha256'>,
  sealed: string,
): WebhookSecretReplaced => ({
  ...event(streamName(data.webhook_id), 'WebhookSecretReplaced', {
    ...data,
    credential_sha256: credentialDigest(sealed),
  }),
  statements: [storeTarget(data.webhook_id, sealed)],
})

/** What was not delivered yet is parked. */
export const webhookDisabled = (data: WebhookDisabled['data']): WebhookDisabled => ({
  ...event(streamName(data.webhook_id), 'WebhookDisabled', data),
  statements: [
    statement`
      UPDATE webhook_deliveries SET state = 'parked', next_at = NULL, last_error = coalesce(last_error, 'switched_off')
      WHERE webhook_id = ${data.webhook_id} AND next_at IS NOT NULL`,
  ],
})

/** URL, secrets and deliveries are deleted too. */
export const webhookDeleted = (data: WebhookDeleted['data']): WebhookDeleted => ({
  ...event(streamName(data.webhook_id), 'WebhookDeleted', data),
  statements: [
    statement`DELETE FROM webhook_targets WHERE webhook_id = ${data.webhook_id}`,
    statement`DELETE FROM webhook_deliveries WHERE webhook_id = ${data.webhook_id}`,
  ],
})
