import { z } from 'zod'
import { WEBHOOK_EVENTS } from '../../domain/webhooks/event-types.ts'
import { WEBHOOK_FORMATS } from '../../domain/webhooks/formats.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { any, constant, mapped, maybeOne, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'

/** The maximum number of webhooks of one account. */
export const MAX_WEBHOOKS = 20

const text = z.string().nullable()
const Events = z.array(z.enum(WEBHOOK_EVENTS))

/** A webhook as its owner sees it. The URL is stored encrypted, so a query does not have it. */
export const WebhookView = z
  .object({
    id: z.string(),
    url: text.meta({ description: 'Null if it cannot be decrypted: the webhook then sends nothing.' }),
    format: z.enum(WEBHOOK_FORMATS).nullable().meta({ description: 'Null if it cannot be decrypted.' }),
    events: Events,
    project: text,
    suite: text,
    created_at: z.string(),
    /** When it got its secret. */
    secret_changed_at: z.string(),
    /** Until when the former secret signs too; null if there is none. */
    former_secret_until: text,
    disabled_at: text,
    /** `gone`: the receiver answered with status 410. */
    disabled_cause: z.enum(['gone']).nullable(),
  })
  .meta({ id: 'Webhook' })
export type WebhookView = z.infer<typeof WebhookView>

const Row = z.object({
  webhook_id: z.string(),
  user_id: z.string(),
  project: text,
  suite: text,
  events: z.string(),
  created_at: z.number(),
  secret_changed_at: z.number(),
  disabled_at: z.number().nullable(),
  disabled_cause: z.enum(['gone']).nullable(),
  sealed: z.string(),
})
type Row = z.infer<typeof Row>

const rows = (where: Fragment) => sql.type(Row)`
  SELECT webhooks.webhook_id, webhooks.user_id, webhooks.project, webhooks.suite, webhooks.events, webhooks.created_at,
    webhooks.secret_changed_at, webhooks.disabled_at, webhooks.disabled_cause, webhook_targets.sealed
  FROM webhooks JOIN webhook_targets ON webhook_targets.webhook_id = webhooks.webhook_id
  WHERE ${where} ORDER BY webhooks.webhook_id`

export type StoredWebhook = Pick<Row, 'webhook_id' | 'user_id' | 'sealed'> & {
  /** All of a view that is not encrypted. */
  readonly view: Omit<WebhookView, 'url' | 'format' | 'former_secret_until'>
}

const storedOf = ({ webhook_id, user_id, sealed, ...row }: Row): StoredWebhook => ({
  webhook_id,
  user_id,
  sealed,
  view: {
    id: webhook_id,
    events: Events.parse(JSON.parse(row.events)),
    project: row.project,
    suite: row.suite,
    created_at: rfc3339(row.created_at),
    secret_changed_at: rfc3339(row.secret_changed_at),
    disabled_at: row.disabled_at === null ? null : rfc3339(row.disabled_at),
    disabled_cause: row.disabled_cause,
  },
})

/** The viewer's own webhooks, oldest first. */
export const listOwnWebhooks = ({ actor: { user_id } }: Viewer): Query<StoredWebhook[]> =>
  user_id === null
    ? constant([])
    : mapped(any(rows(sql.fragment`webhooks.user_id = ${user_id}`)), (found) => found.map(storedOf))

/** One of the viewer's own webhooks; null for that of another account, as for an unknown one, and for a limited key. */
export const findOwnWebhook = (
  { actor: { user_id }, limit }: Viewer,
  webhook_id: string,
): Query<StoredWebhook | null> =>
  user_id === null || limit
    ? constant(null)
    : mapped(
        maybeOne(rows(sql.fragment`webhooks.webhook_id = ${webhook_id} AND webhooks.user_id = ${user_id}`)),
        (row) => row && storedOf(row),
      )

/** A webhook of any account, or null. Takes no viewer: it is for the service itself and for admins. */
export const findWebhook = (webhook_id: string): Query<StoredWebhook | null> =>
  mapped(maybeOne(rows(sql.fragment`webhooks.webhook_id = ${webhook_id}`)), (row) => row && storedOf(row))

const Count = z.object({ n: z.number() })

/** How many webhooks an account has. */
export const countWebhooks = (user_id: string | null): Query<number> =>
  user_id === null
    ? constant(0)
    : mapped(one(sql.type(Count)`SELECT count(*) AS n FROM webhooks WHERE user_id = ${user_id}`), ({ n }) => n)

const Id = z.object({ webhook_id: z.string() })

/** The ids of the webhooks of an account. */
export const listWebhookIds = (user_id: string): Query<string[]> =>
  mapped(any(sql.type(Id)`SELECT webhook_id FROM webhooks WHERE user_id = ${user_id} ORDER BY webhook_id`), (found) =>
    found.map(({ webhook_id }) => webhook_id),
  )

const Target = z.object({ webhook_id: z.string(), sealed: z.string() })

/** What is encrypted of every webhook. Takes no viewer: a start checks its key with it. */
export const listTargets: Query<Array<z.infer<typeof Target>>> = any(
  sql.type(Target)`SELECT webhook_id, sealed FROM webhook_targets ORDER BY webhook_id`,
)

const ActiveRow = z.object({
  webhook_id: z.string(),
  user_id: z.string(),
  project: text,
  suite: text,
  events: z.string(),
  created_seq: z.number(),
})
export type ActiveWebhook = Omit<z.infer<typeof ActiveRow>, 'events'> & { readonly events: ReadonlySet<string> }

/** The webhooks that receive something, of all accounts: those of disabled accounts receive nothing. */
export const listActiveWebhooks: Query<ActiveWebhook[]> = mapped(
  any(sql.type(ActiveRow)`
    SELECT webhooks.webhook_id, webhooks.user_id, webhooks.project, webhooks.suite, webhooks.events, webhooks.created_seq
    FROM webhooks JOIN users ON users.id = webhooks.user_id
    WHERE webhooks.disabled_at IS NULL AND NOT users.disabled ORDER BY webhooks.webhook_id`),
  (found) => found.map(({ events, ...row }) => ({ ...row, events: new Set(Events.parse(JSON.parse(events))) })),
)

const First = z.object({ first: z.number().nullable() })

/** The record that created the oldest webhook that is not switched off; null if there is none. */
export const findFirstWebhook: Query<number | null> = mapped(
  one(sql.type(First)`SELECT min(created_seq) AS first FROM webhooks WHERE disabled_at IS NULL`),
  ({ first }) => first,
)
