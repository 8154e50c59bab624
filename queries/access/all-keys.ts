import { z } from 'zod'
import { page } from '../../domain/wire.ts'
import { any, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { after, sortedBy, type SortOrder } from '../sort-order.ts'
import { ApiKey, KEY_COLUMNS, KeyRow, keyTimes, notEnded } from './api-keys.ts'
import { CEILING, LIMITED_CEILING, lowerOf, ROLES, SCOPES, type Viewer } from './viewer.ts'

// The keys of all accounts in one list. They have no index in the orders of this list: a page reads all keys and sorts
// those that match, so it must run in a reader thread.

export const KEY_SORTS = ['created', 'used', 'account', 'name'] as const
export type KeySort = (typeof KEY_SORTS)[number]
export type KeyOrder = SortOrder<KeySort>

/** `usable`: accepted. `disabled`: refused as long as its account is disabled. `expired` and `revoked`: refused for ever. */
const KEY_STATES = ['usable', 'disabled', 'expired', 'revoked'] as const
/** What a list may be limited to: a state, or `live`, which is `usable` or `disabled`. */
export const KEY_STATE_FILTERS = [...KEY_STATES, 'live'] as const

const count = z.number().int()

/** A key with its account. `effective_scope` is its scope, or the highest one of the account's role if that is lower. */
const AccountKey = ApiKey.extend({
  user_id: z.string(),
  username: z.string(),
  role: z.enum(ROLES),
  state: z.enum(KEY_STATES),
  effective_scope: z.enum(SCOPES),
}).meta({ id: 'AccountKey' })
export type AccountKey = z.infer<typeof AccountKey>

/** `totals`, on the first page only, counts all keys by state, and as `matching` those that pass the filters. */
export const AccountKeys = z
  .object({
    keys: z.array(AccountKey),
    next_cursor: z.string().nullable(),
    totals: z.object({ matching: count, usable: count, disabled: count, expired: count, revoked: count }).nullable(),
  })
  .meta({ id: 'AccountKeys' })
export type AccountKeys = z.infer<typeof AccountKeys>

/** `q` is a part of the key's name or prefix, or of the account's name; the case of ASCII letters does not matter. */
export type KeyFilters = {
  readonly q?: string | undefined
  readonly user_id?: string | undefined
  readonly scope?: (typeof SCOPES)[number] | undefined
  readonly state?: (typeof KEY_STATE_FILTERS)[number] | undefined
  /** Keys that were neither made nor used since then. */
  readonly unused_since?: number | undefined
  /** The present time in epoch milliseconds: it decides which keys have expired. */
  readonly at: number
}

const Row = KeyRow.extend({
  user_id: z.string(),
  username: z.string(),
  role: z.enum(ROLES),
  disabled: z.boolean(),
  value: z.union([z.number(), z.string()]).nullable(),
})
type Row = z.infer<typeof Row>

const USERNAME = sql.fragment`coalesce(owner.label, api_keys.user_id)`

const FROM = sql.fragment`
  api_keys
    JOIN users ON users.id = api_keys.user_id
    JOIN key_secrets ON key_secrets.key_id = api_keys.id
    LEFT JOIN principals owner ON owner.id = api_keys.user_id
    LEFT JOIN principals named ON named.id = api_keys.id
    LEFT JOIN credential_uses ON credential_uses.credential_id = api_keys.id`

/** A key without a name, or with an empty one, has no place in the order of names. */
const VALUES: Readonly<Record<KeySort, Fragment>> = {
  created: sql.fragment`api_keys.created_at`,
  used: sql.fragment`credential_uses.last_used_at`,
  account: USERNAME,
  name: sql.fragment`nullif(named.label, '')`,
}
const IS_TEXT: Readonly<Record<KeySort, boolean>> = { created: false, used: false, account: true, name: true }

/** The keys in each state at a time. */
const statesAt = (at: number): Readonly<Record<(typeof KEY_STATE_FILTERS)[number], Fragment>> => {
  const live = sql.fragment`(NOT api_keys.revoked AND ${notEnded(at)})`
  return {
    usable: sql.fragment`(${live} AND NOT users.disabled)`,
    disabled: sql.fragment`(${live} AND users.disabled)`,
    expired: sql.fragment`(NOT api_keys.revoked AND NOT ${notEnded(at)})`,
    revoked: sql.fragment`api_keys.revoked`,
    live,
  }
}

/** Labels have the collation "C", so both databases change ASCII letters only. */
const contains = (column: Fragment, part: string): Fragment =>
  sql.fragment`replace(lower(${column}), ${part}, '') <> lower(${column})`

const matching = ({ q = '', user_id, scope, state, unused_since, at }: KeyFilters): Fragment => {
  const part = q.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return sql.and([
    sql.fragment`TRUE`,
    ...(part === ''
      ? []
      : [
          sql.fragment`(
            ${contains(USERNAME, part)}
            OR ${contains(sql.fragment`named.label`, part)}
            OR ${contains(sql.fragment`key_secrets.prefix`, part)})`,
        ]),
    ...(user_id === undefined ? [] : [sql.fragment`api_keys.user_id = ${user_id}`]),
    ...(scope === undefined ? [] : [sql.fragment`api_keys.scope = ${scope}`]),
    ...(state === undefined ? [] : [statesAt(at)[state]]),
    ...(unused_since === undefined
      ? []
      : [
          sql.fragment`coalesce(credential_uses.last_used_at, 0) < ${unused_since} AND api_keys.created_at < ${unused_since}`,
        ]),
  ])
}

/** Where a page starts: the value of the row before it, null if that has none, with its time and id. */
type Position = readonly [value: number | string | null, created_at: number, id: string]

const listRows = (
  filters: KeyFilters,
  { sort, order }: KeyOrder,
  from: Position | null,
  limit: number,
): Query<Row[]> => {
  const value = VALUES[sort]
  const start = (): Fragment => {
    if (!from) return sql.fragment`TRUE`
    const [last, created_at, id] = from
    const later = sql.fragment`(api_keys.created_at, api_keys.id) < (${created_at}, ${id})`
    return after(value, order, last === null ? null : sql.fragment`${last}`, later)
  }
  return any(sql.type(Row)`
    SELECT ${KEY_COLUMNS}, named.label AS name, key_secrets.prefix, credential_uses.last_used_at, api_keys.user_id, ${USERNAME} AS username, users.role, users.disabled, ${value} AS value
    FROM ${FROM}
    WHERE ${matching(filters)} AND ${start()}
    ORDER BY ${sortedBy(value, order)}, api_keys.created_at DESC, api_keys.id DESC LIMIT ${limit}`)
}

const Totals = z.object({ matching: count, usable: count, disabled: count, expired: count, revoked: count })

const keyCount = (condition: Fragment): Fragment =>
  sql.fragment`coalesce(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0)`

const countKeys = (filters: KeyFilters): Query<z.infer<typeof Totals>> => {
  const { usable, disabled, expired, revoked } = statesAt(filters.at)
  return one(sql.type(Totals)`
    SELECT ${keyCount(matching(filters))} AS matching, ${keyCount(usable)} AS usable,
      ${keyCount(disabled)} AS disabled, ${keyCount(expired)} AS expired, ${keyCount(revoked)} AS revoked
    FROM ${FROM}`)
}

const Cursor = z.tuple([
  z.enum(KEY_SORTS),
  z.enum(['asc', 'desc']),
  z.union([z.int(), z.string()]).nullable(),
  z.int(),
  z.string(),
])

/** Null for text that is not a cursor of a list in this order: the list then starts with the first page. */
const parseCursor = ({ sort, order }: KeyOrder, cursor: string | undefined): Position | null => {
  try {
    const [of, direction, value, created_at, id] = Cursor.parse(
      JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString()),
    )
    const fits = value === null || (typeof value === 'string') === IS_TEXT[sort]
    return of === sort && direction === order && fits ? [value, created_at, id] : null
  } catch {
    return null
  }
}
const cursorText = ({ sort, order }: KeyOrder, { value, created_at, id }: Row): string =>
  Buffer.from(JSON.stringify([sort, order, value, created_at, id])).toString('base64url')

const accountKey = ({ disabled, value: _, ...row }: Row, at: number): AccountKey => ({
  ...row,
  ...keyTimes(row),
  state: row.revoked
    ? 'revoked'
    : row.expires_at !== null && row.expires_at <= at
      ? 'expired'
      : disabled
        ? 'disabled'
        : 'usable',
  effective_scope: lowerOf(lowerOf(row.scope, CEILING[row.role]), row.project === null ? 'admin' : LIMITED_CEILING),
})

/**
 * The keys of all accounts, revoked ones too. Only viewers who see everything get rows, because they name accounts.
 */
export const listAllKeys = async (
  reader: Reader,
  { sees_all }: Viewer,
  filters: KeyFilters,
  order: KeyOrder,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<AccountKeys> => {
  if (!sees_all) return { keys: [], next_cursor: null, totals: null }
  const from = parseCursor(order, cursor)
  const rows = await reader.read(listRows(filters, order, from, limit + 1))
  const totals = from === null ? await reader.read(countKeys(filters)) : null
  const { rows: listed, next_cursor } = page(rows, limit, (last) => cursorText(order, last))
  return { keys: listed.map((row) => accountKey(row, filters.at)), next_cursor, totals }
}
