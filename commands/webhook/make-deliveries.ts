import type { DeliveredEvent } from '../../domain/webhooks/event-types.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findCursor } from '../../queries/webhooks/deliveries.ts'
import { insertRows, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'

export type NewDelivery = {
  readonly delivery_id: string
  readonly webhook_id: string
  /** The record that it is about; null for a test. */
  readonly seq: number | null
  readonly event: DeliveredEvent
  /** Numbers, and words of a fixed list: never a name. */
  readonly facts: Readonly<Record<string, unknown>>
  /** Whether it is not sent, because too many are waiting. */
  readonly isParked: boolean
}

/** Stores deliveries that are due at once. */
export const insertDeliveries = (deliveries: readonly NewDelivery[], at: number): Statement[] =>
  deliveries.length === 0
    ? []
    : [
        insertRows(
          'webhook_deliveries',
          [
            'delivery_id',
            'webhook_id',
            'seq',
            'event',
            'facts',
            'created_at',
            'state',
            'tries',
            'next_at',
            'last_at',
            'last_status',
            'last_error',
          ],
          deliveries.map(({ delivery_id, webhook_id, seq, event, facts, isParked }) => [
            delivery_id,
            webhook_id,
            seq,
            event,
            JSON.stringify(facts),
            at,
            isParked ? 'parked' : 'waiting',
            0,
            isParked ? null : at,
            null,
            null,
            isParked ? 'too_many_waiting' : null,
          ]),
        ),
      ]

type Made = {
  /** The records after `from`, up to `to`, were looked at. */
  readonly from: number
  readonly to: number
  readonly at: number
  readonly deliveries: readonly NewDelivery[]
}

/**
 * Stores the deliveries of the next records, and how far the log was read, in one commit: a record is delivered once,
 * whichever replica reads it. Records no event. Refuses: conflict (another replica has come further).
 */
export const makeDeliveries = (viewer: Viewer, { from, to, at, deliveries }: Made) =>
  command(viewer, {
    facts: { cursor: findCursor },
    decide({ cursor }) {
      // A store without a cursor starts at the first webhook.
      if (cursor > from) throw new Refused('conflict', 'these deliveries were made by another replica')
      return []
    },
    statements: [
      statement`
        INSERT INTO webhook_cursor (one, position) VALUES (1, ${to})
        ON CONFLICT (one) DO UPDATE SET position = excluded.position`,
      ...insertDeliveries(deliveries, at),
      // A webhook may have been deleted, or switched off, since the caller has read it.
      ...(deliveries.length === 0
        ? []
        : [
            statement`
              DELETE FROM webhook_deliveries
              WHERE seq > ${from} AND seq <= ${to} AND webhook_id NOT IN (SELECT webhook_id FROM webhooks WHERE disabled_at IS NULL)`,
          ]),
    ],
  })
