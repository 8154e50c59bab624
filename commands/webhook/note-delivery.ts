import type { DeliveryError } from '../../queries/webhooks/deliveries.ts'
import { findWebhook } from '../../queries/webhooks/webhooks.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { webhookDisabled } from './events.ts'

type Tried = {
  readonly delivery_id: string
  readonly webhook_id: string
  /** When the try ended, in epoch milliseconds. */
  readonly at: number
  readonly status: number | null
  /** Null if it was delivered. */
  readonly error: DeliveryError | null
  /** When it is tried again; null if it is not. */
  readonly next_at: number | null
}

/** Status 410 (Gone): the receiver wants nothing any more. */
const GONE = 410

/**
 * Stores how a try ended. A receiver that answered 410 switches its webhook off, which is an event. Changes nothing if the
 * delivery was deleted meanwhile.
 */
export const noteDelivery = (viewer: Viewer, { delivery_id, webhook_id, at, status, error, next_at }: Tried) =>
  command(viewer, {
    facts: { webhook: findWebhook(webhook_id) },
    statements: [
      statement`
        UPDATE webhook_deliveries
        SET state = ${error === null ? 'delivered' : next_at === null ? 'parked' : 'waiting'}, tries = tries + 1,
          next_at = ${next_at}, last_at = ${at}, last_status = ${status}, last_error = ${error}
        WHERE delivery_id = ${delivery_id} AND next_at IS NOT NULL`,
    ],
    decide({ webhook }) {
      if (status !== GONE || !webhook || webhook.view.disabled_at !== null) return []
      return [webhookDisabled({ cause: 'gone', user_id: webhook.user_id, webhook_id })]
    },
  })

/** Deletes a delivery that may not be sent any more, without a trace: that it exists would show what happened. */
export const dropDelivery = (viewer: Viewer, { delivery_id }: { readonly delivery_id: string }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [statement`DELETE FROM webhook_deliveries WHERE delivery_id = ${delivery_id}`],
  })
