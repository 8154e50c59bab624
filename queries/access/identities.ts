import { hash } from 'node:crypto'
import { z } from 'zod'
import { rfc3339 } from '../../domain/wire.ts'
import { any, constant, mapped, maybeOne, one, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

// Accounts at identity providers. A provider is written as `oidc:<name>` or `saml:<name>`.

/** The link of an account to an identity provider. */
export const LinkedIdentity = z
  .object({
    provider: z.string(),
    kind: z.enum(['oidc', 'saml']),
    subject: z.string(),
    email: z.string().nullable(),
    last_login_at: z.string().nullable(),
  })
  .meta({ id: 'LinkedIdentity' })
export type LinkedIdentity = z.infer<typeof LinkedIdentity>

/**
 * The identity of an account in one row with it: all null if it has none. An account with several identities has a row
 * for each.
 */
const IdentityColumns = z.object({
  provider: z.string().nullable(),
  subject: z.string().nullable(),
  email: z.string().nullable(),
  last_login_at: z.number().nullable(),
})
type IdentityColumns = z.infer<typeof IdentityColumns>

/**
 * The parts of a query of `users` that also reads their identities: the columns and their schemas, what to join, and
 * the order, in which the first linked one comes first.
 */
export const IDENTITY_PARTS = {
  shape: IdentityColumns.shape,
  columns: sql.fragment`linked.provider, linked.subject, linked.email, linked.last_login_at`,
  join: sql.fragment`LEFT JOIN identity_subjects linked ON linked.user_id = users.id`,
  order: sql.fragment`linked.identity_id`,
} as const

/** The identities in the rows of one account. */
const identitiesOf = (rows: readonly IdentityColumns[]): LinkedIdentity[] =>
  rows.flatMap(({ provider, subject, email, last_login_at }) =>
    provider === null || subject === null
      ? []
      : [
          {
            provider,
            kind: provider.startsWith('saml:') ? ('saml' as const) : ('oidc' as const),
            subject,
            email,
            last_login_at: last_login_at === null ? null : rfc3339(last_login_at),
          },
        ],
  )

/** Accounts, in the order of their rows, each with its identities. */
export const withIdentities = <Row extends IdentityColumns & { readonly id: string }>(
  rows: readonly Row[],
): Array<{ readonly row: Row; readonly identities: readonly LinkedIdentity[] }> =>
  [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((own) =>
    own.slice(0, 1).map((row) => ({ row, identities: identitiesOf(own) })),
  )

/** Under what a subject is found: SHA-256 of its UTF-8, in lower-case hex. So subjects are compared byte for byte. */
export const subjectKey = (subject: string): string => hash('sha256', subject, 'hex')

const Identity = z.object({ identity_id: z.string(), user_id: z.string() })
export type Identity = z.infer<typeof Identity>

/** The identity of a person at a provider, with its account; null before the first sign-in. */
export const findIdentity = (provider: string, subject: string): Query<Identity | null> =>
  maybeOne(sql.type(Identity)`
    SELECT identity_id, user_id FROM identity_subjects
    WHERE provider = ${provider} AND subject_sha256 = ${subjectKey(subject)}`)

const Name = z.object({ label: z.string() })

/** Which of these names belong to accounts. The second condition lets SQLite use the index of names. */
export const listTakenNames = (names: readonly string[]): Query<string[]> =>
  mapped(
    any(sql.type(Name)`
      SELECT principals.label FROM principals JOIN users ON users.id = principals.id
      WHERE principals.kind = 'user' AND principals.kind <> 'key' AND principals.label IN (${sql.join(
        names.map((name) => sql.fragment`${name}`),
        sql.fragment`, `,
      )})`),
    (rows) => rows.map(({ label }) => label),
  )

const Count = z.object({ n: z.number() })

/** Whether a SAML assertion was accepted before. Null, for a sign-in without an assertion, was not. */
export const findIsReplayed = (id_hash: string | null): Query<boolean> =>
  id_hash === null
    ? constant(false)
    : mapped(one(sql.type(Count)`SELECT count(*) AS n FROM sso_replays WHERE id_hash = ${id_hash}`), ({ n }) => n > 0)

const Transaction = z.object({
  provider: z.string(),
  return_to: z.string(),
  nonce: z.string().nullable(),
  code_verifier: z.string().nullable(),
  request_id: z.string().nullable(),
  expires_at: z.number(),
})

/**
 * A sign-in that was started and whose browser has not returned. `nonce` and `code_verifier` are those of OpenID,
 * `request_id` is that of SAML; `return_to` is a path of this service.
 */
export type SsoTransaction = z.infer<typeof Transaction>

/** The transaction whose id has this SHA-256; it may have expired. */
export const findTransaction = (id_hash: string): Query<SsoTransaction | null> =>
  maybeOne(sql.type(Transaction)`
    SELECT provider, return_to, nonce, code_verifier, request_id, expires_at FROM sso_transactions
    WHERE id_hash = ${id_hash}`)
