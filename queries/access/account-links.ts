import { z } from 'zod'
import { rfc3339 } from '../../domain/wire.ts'
import { any, constant, mapped, maybeOne, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { LEVELS } from './levels.ts'
import { ROLES, type Viewer } from './viewer.ts'

// Links for accounts that were neither used nor revoked: invites, and links to set a password. They belong to no run set, but the
// grants of an invite name some, so only viewers who see every set list them.

/** The maximum number of invites that were neither used nor revoked. */
export const MAX_INVITES = 200

/** What the account of an invited person is granted. */
const InvitedGrant = z
  .object({ project: z.string(), suite: z.string().nullable(), level: z.enum(LEVELS) })
  .meta({ id: 'InvitedGrant' })
const Grants = z.array(InvitedGrant)
const nullable = z.string().nullable()
const ROLE = z.enum(ROLES)

const Row = z.object({
  link_id: z.string(),
  kind: z.enum(['invite', 'reset']),
  user_id: nullable,
  username: nullable,
  label: nullable,
  role: z.enum(ROLES).nullable(),
  granted: nullable,
  expires_at: z.number(),
  made_at: z.number(),
  made_by: nullable,
  makers: z.number(),
  accounts: z.number(),
})
type Row = z.infer<typeof Row>

/** Rows with the number of admins who made them (1 or 0), and of accounts that may have a new password. */
const links = (where: Fragment) => sql.type(Row)`
  SELECT l.link_id, l.kind, l.user_id, account.label AS username, invite_labels.label, l.role, l.granted, l.expires_at, l.made_at,
    maker.label AS made_by,
    (SELECT count(*) FROM users m WHERE m.id = l.made_by AND m.role = 'admin' AND NOT m.disabled) AS makers,
    (SELECT count(*) FROM users u WHERE u.id = l.user_id AND NOT u.disabled AND NOT u.service AND NOT ${hasIdentity(sql.fragment`u.id`)}) AS accounts
  FROM account_links l
    LEFT JOIN invite_labels ON invite_labels.link_id = l.link_id
    LEFT JOIN principals account ON account.id = l.user_id
    LEFT JOIN principals maker ON maker.id = l.made_by
  WHERE ${where} ORDER BY l.made_at DESC, l.link_id DESC`

const hasIdentity = (user_id: Fragment): Fragment =>
  sql.fragment`EXISTS (SELECT 1 FROM identity_subjects i WHERE i.user_id = ${user_id})`

/** A link does not outlive what its maker and its account may do: it gives nothing that an admin could not give now. */
const isBacked = ({ kind, makers, accounts }: Pick<Row, 'kind' | 'makers' | 'accounts'>): boolean =>
  makers > 0 && (kind === 'invite' || accounts > 0)

/** Whether a link can be used at a time. */
export const isUsable = (link: Pick<Row, 'kind' | 'makers' | 'accounts' | 'expires_at'>, at: number): boolean =>
  link.expires_at > at && isBacked(link)

type Shared = Pick<Row, 'kind' | 'link_id' | 'expires_at' | 'makers' | 'accounts' | 'made_by'>
export type Invite = Shared & {
  readonly role: z.infer<typeof ROLE>
  readonly grants: ReadonlyArray<z.infer<typeof InvitedGrant>>
}
export type ResetLink = Shared & { readonly user_id: string; readonly username: string | null }
type LinkOf = { readonly invite: Invite; readonly reset: ResetLink }

/** The link with this digest of its secret, whether or not it can be used; null if there is none of this kind. */
export const findLink = <Kind extends keyof LinkOf>(kind: Kind, secret_sha256: string): Query<LinkOf[Kind] | null> =>
  mapped(
    maybeOne(links(sql.fragment`l.secret_sha256 = ${secret_sha256} AND l.kind = ${kind}`)),
    (row) =>
      // Safe: an invite has a role and grants, and a reset link an account.
      row && ({ ...row, grants: grantsOf(row) } as unknown as LinkOf[Kind]),
  )

const grantsOf = ({ granted }: Row): z.infer<typeof Grants> =>
  granted === null ? [] : Grants.parse(JSON.parse(granted))

const Count = z.object({ n: z.number() })
const count = (rows: Fragment): Query<number> =>
  mapped(one(sql.type(Count)`SELECT count(*) AS n FROM ${rows}`), ({ n }) => n)

/** The number of invites that were neither used nor revoked, expired ones too. */
export const countInvites: Query<number> = count(sql.fragment`account_links WHERE kind = 'invite'`)

export const findIsLink = (link_id: string): Query<boolean> =>
  mapped(count(sql.fragment`account_links WHERE link_id = ${link_id}`), (n) => n > 0)

/** Whether an account signs in through an identity provider. */
export const findHasIdentity = (user_id: string): Query<boolean> =>
  mapped(count(sql.fragment`users WHERE id = ${user_id} AND ${hasIdentity(sql.fragment`users.id`)}`), (n) => n > 0)

/**
 * A link as admins see it, never with its secret. `label` says whom an invite is for; `username` is the account of a reset link.
 * `void`: its maker is no enabled admin any more, or the account may not have a new password.
 */
export const AccountLink = z
  .object({
    id: z.string(),
    kind: z.enum(['invite', 'reset']),
    label: nullable,
    user_id: nullable,
    username: nullable,
    role: z.enum(ROLES).nullable(),
    grants: Grants,
    created_at: z.string(),
    created_by: nullable,
    expires_at: z.string(),
    state: z.enum(['open', 'expired', 'void']),
  })
  .meta({ id: 'AccountLink' })
export type AccountLink = z.infer<typeof AccountLink>

/** What an invited person sees before the account is made. Not whom the invite is for: that is a note for admins. */
export const ShownInvite = z
  .object({ role: ROLE, grants: Grants, invited_by: nullable, expires_at: z.string() })
  .meta({ id: 'ShownInvite' })
export type ShownInvite = z.infer<typeof ShownInvite>

/** Whose password a link resets. */
export const ShownResetLink = z.object({ username: z.string(), expires_at: z.string() }).meta({ id: 'ShownResetLink' })
export type ShownResetLink = z.infer<typeof ShownResetLink>

/** A link that was just made: the only answer with its secret. `path` is where it opens, below the address of the service. */
export const MadeLink = AccountLink.extend({
  secret: z.string(),
  path: z
    .string()
    .meta({ description: 'The path of the link. The secret follows `#`, which browsers send to no server.' }),
}).meta({ id: 'MadeAccountLink' })
export type MadeLink = z.infer<typeof MadeLink>

const view = (row: Row, at: number): AccountLink => ({
  id: row.link_id,
  kind: row.kind,
  label: row.label,
  user_id: row.user_id,
  username: row.username,
  role: row.role,
  grants: grantsOf(row),
  created_at: rfc3339(row.made_at),
  created_by: row.made_by,
  expires_at: rfc3339(row.expires_at),
  state: row.expires_at <= at ? 'expired' : isBacked(row) ? 'open' : 'void',
})

const listWhere = ({ sees_all }: Viewer, at: number, where: Fragment): Query<AccountLink[]> =>
  sees_all ? mapped(any(links(where)), (rows) => rows.map((row) => view(row, at))) : constant([])

/** Every link, newest first, with its state at a time. */
export const listLinks = (viewer: Viewer, at: number): Query<AccountLink[]> => listWhere(viewer, at, sql.fragment`TRUE`)

/** One link; null if it ended. */
export const findLinkView = (viewer: Viewer, at: number, link_id: string): Query<AccountLink | null> =>
  mapped(listWhere(viewer, at, sql.fragment`l.link_id = ${link_id}`), ([link]) => link ?? null)
