import { z } from 'zod'
import { TEST_EVENT, WEBHOOK_EVENTS } from '../../domain/webhooks/event-types.ts'
import { page, rfc3339 } from '../../domain/wire.ts'
import { any, mapped, maybeOne, one, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { idInCursor } from '../tuple-cursor.ts'

const DELIVERY_STATES = ['waiting', 'delivered', 'parked'] as const

/**
 * Why the last try failed: a status other than 2xx, a redirect, no answer in time, an address to which nothing may be sent,
 * a name that does not resolve, a TLS failure, another failure of the connection, a target that cannot be decrypted. Or why it was not tried: the webhook was
 * switched off, or had too many deliveries waiting.
 */
export const DELIVERY_ERRORS = [
  'status',
  'redirect',
  'timeout',
  'address_refused',
  'name_not_resolved',
  'tls',
  'connection',
  'target_unreadable',
  'switched_off',
  'too_many_waiting',
] as const
export type DeliveryError = (typeof DELIVERY_ERRORS)[number]

/** Errors that show what a name resolves to in the network of the service. */
const OF_ADDRESS: readonly DeliveryError[] = ['address_refused', 'name_not_resolved']

const DeliveryEvent = z.enum([...WEBHOOK_EVENTS, TEST_EVENT])

/** One delivery. It names neither the run nor the suite that it is about. */
export const DeliveryView = z
  .object({
    id: z.string(),
    event: DeliveryEvent,
    created_at: z.string(),
    state: z.enum(DELIVERY_STATES),
    tries: z.number().int(),
    next_try_at: z.string().nullable(),
    last_try_at: z.string().nullable(),
    last_status: z.number().int().nullable(),
    last_error: z
      .enum([...DELIVERY_ERRORS, 'refused'])
      .nullable()
      .meta({
        description: '`refused` stands for `address_refused` and `name_not_resolved` to callers who are not admins.',
      }),
  })
  .meta({ id: 'WebhookDelivery' })
export type DeliveryView = z.infer<typeof DeliveryView>
export const DeliveryList = z
  .object({ deliveries: z.array(DeliveryView), next_cursor: z.string().nullable() })
  .meta({ id: 'WebhookDeliveries' })
export type DeliveryList = z.infer<typeof DeliveryList>

const time = z.number().nullable()
const Row = z.object({
  delivery_id: z.string(),
  event: DeliveryEvent,
  created_at: z.number(),
  state: z.enum(DELIVERY_STATES),
  tries: z.number(),
  next_at: time,
  last_at: time,
  last_status: z.number().nullable(),
  last_error: z.enum(DELIVERY_ERRORS).nullable(),
})

/** The id that a delivery has on the wire, in `webhook-id`. */
export const messageIdOf = (delivery_id: string): string => `msg_${delivery_id}`

const deliveryView = (
  { sees_all }: Viewer,
  { delivery_id, created_at, next_at, last_at, last_error, ...row }: z.infer<typeof Row>,
): DeliveryView => ({
  id: messageIdOf(delivery_id),
  event: row.event,
  created_at: rfc3339(created_at),
  state: row.state,
  tries: row.tries,
  next_try_at: next_at === null ? null : rfc3339(next_at),
  last_try_at: last_at === null ? null : rfc3339(last_at),
  last_status: row.last_status,
  last_error: last_error !== null && !sees_all && OF_ADDRESS.includes(last_error) ? 'refused' : last_error,
})

/**
 * A page of the deliveries of a webhook, newest first. The caller has checked whose webhook it is. A member could
 * otherwise find out which names exist in a private network.
 */
export const listDeliveries = async (
  reader: Reader,
  viewer: Viewer,
  webhook_id: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<DeliveryList> => {
  const after = idInCursor(cursor)
  const found = await reader.read(
    any(sql.type(Row)`
      SELECT delivery_id, event, created_at, state, tries, next_at, last_at, last_status, last_error FROM webhook_deliveries
      WHERE webhook_id = ${webhook_id} AND ${after === undefined ? sql.fragment`TRUE` : sql.fragment`delivery_id < ${after}`}
      ORDER BY delivery_id DESC LIMIT ${limit + 1}`),
  )
  const { rows, next_cursor } = page(found, limit, ({ delivery_id }) => delivery_id)
  return { deliveries: rows.map((row) => deliveryView(viewer, row)), next_cursor }
}

const DueRow = z.object({
  delivery_id: z.string(),
  webhook_id: z.string(),
  user_id: z.string(),
  seq: z.number().nullable(),
  event: DeliveryEvent,
  facts: z.string(),
  created_at: z.number(),
  tries: z.number(),
  sealed: z.string(),
})
export type DueDelivery = z.infer<typeof DueRow>

/** The delivery of each webhook that has been due longest; `at` is in epoch milliseconds. */
export const listDue = (at: number): Query<DueDelivery[]> =>
  any(sql.type(DueRow)`
    SELECT d.delivery_id, d.webhook_id, webhooks.user_id, d.seq, d.event, d.facts, d.created_at, d.tries, webhook_targets.sealed
    FROM webhooks JOIN webhook_targets ON webhook_targets.webhook_id = webhooks.webhook_id
      JOIN webhook_deliveries d ON d.delivery_id = (
      SELECT first.delivery_id FROM webhook_deliveries first
      WHERE first.webhook_id = webhooks.webhook_id AND first.next_at IS NOT NULL AND first.next_at <= ${at}
      ORDER BY first.next_at, first.delivery_id LIMIT 1)
    WHERE webhooks.disabled_at IS NULL ORDER BY d.created_at, d.delivery_id`)

const Count = z.object({ n: z.number() })

/** How many deliveries of each webhook are waiting. */
export const countWaiting: Query<ReadonlyMap<string, number>> = mapped(
  any(sql.type(Count.extend({ webhook_id: z.string() }))`
    SELECT webhook_id, count(*) AS n FROM webhook_deliveries WHERE next_at IS NOT NULL GROUP BY webhook_id`),
  (rows) => new Map(rows.map(({ webhook_id, n }) => [webhook_id, n])),
)

/** Whether a test of this webhook is waiting. */
export const isTestWaiting = (webhook_id: string): Query<boolean> =>
  mapped(
    one(sql.type(Count)`
      SELECT count(*) AS n FROM webhook_deliveries
      WHERE webhook_id = ${webhook_id} AND next_at IS NOT NULL AND event = ${TEST_EVENT}`),
    ({ n }) => n > 0,
  )

const StateCount = z.object({ waiting: z.number(), parked: z.number() })

/** How many deliveries are waiting and how many are parked, of all webhooks. */
export const countDeliveries: Query<z.infer<typeof StateCount>> = one(sql.type(StateCount)`
  SELECT count(CASE WHEN state = 'waiting' THEN 1 END) AS waiting, count(CASE WHEN state = 'parked' THEN 1 END) AS parked
  FROM webhook_deliveries`)

const Position = z.object({ position: z.number() })

/** The record up to which deliveries were made; 0 if none ever were. */
export const findCursor: Query<number> = mapped(
  maybeOne(sql.type(Position)`SELECT position FROM webhook_cursor`),
  (row) => row?.position ?? 0,
)

const Lease = z.object({ holder: z.string(), until: z.number() })

/** The replica that sends, and until when; null if none does. */
export const findLease: Query<z.infer<typeof Lease> | null> = maybeOne(
  sql.type(Lease)`SELECT holder, until FROM webhook_lease`,
)

const RunId = z.object({ id: z.string() })

/** The id of a run by its number; null after its deletion. The caller has checked that the viewer may see its suite. */
export const findRunId = (run_no: number): Query<string | null> =>
  mapped(maybeOne(sql.type(RunId)`SELECT id FROM runs WHERE run_no = ${run_no}`), (row) => row?.id ?? null)
