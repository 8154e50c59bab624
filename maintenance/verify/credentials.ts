import { z } from 'zod'
import { credentialDigest } from '../../commands/credential.ts'
import { linkedText } from '../../commands/identity/events.ts'
import { any, sql } from '../../storage/sql.ts'
import { ask } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import type { Query } from '../../storage/storage.ts'
import { VerificationFailed } from './finding.ts'
import { hasTable } from './stored-tables.ts'

/** The types of records that are about credentials. */
export const CREDENTIAL_TYPES = [
  'UserCreated',
  'UserChanged',
  'UserDeleted',
  'KeyMinted',
  'SignedIn',
  'IdentityLinked',
  'SignedOut',
  'SessionsEnded',
  'WebhookCreated',
  'WebhookSecretReplaced',
  'WebhookDeleted',
] as const

/** Where each kind of credential is stored, the text of which the log has the digest, and its label in messages. */
const STORED = {
  password: { table: 'password_hashes', id: 'user_id', text: sql.fragment`hash`, label: 'password of account' },
  key: { table: 'key_secrets', id: 'key_id', text: sql.fragment`secret_hash`, label: 'secret of API key' },
  session: { table: 'session_tokens', id: 'session_id', text: sql.fragment`token_hash`, label: 'token of session' },
  identity: { table: 'identity_subjects', id: 'identity_id', text: linkedText, label: 'person of identity' },
  webhook: { table: 'webhook_targets', id: 'webhook_id', text: sql.fragment`sealed`, label: 'secret of webhook' },
} as const
type Kind = keyof typeof STORED
const KINDS = ['password', 'key', 'session', 'identity', 'webhook'] as const

const perKind = <T>(make: () => T): Record<Kind, T> => ({
  password: make(),
  key: make(),
  session: make(),
  identity: make(),
  webhook: make(),
})

/** A credential in the log: its account and digest. The digest is undefined in events of earlier versions. */
type Recorded = { readonly user_id: string; readonly digest: string | undefined }

/** Collects the credentials that the log records, and compares them with the stored ones. */
export type Credentials = {
  readonly follow: (type: string, data: Readonly<Record<string, unknown>>) => void
  /** Throws `VerificationFailed`. Returns the number of stored credentials without a digest in the log. */
  readonly check: () => number
}

const Row = z.object({ id: z.string(), stored: z.string() })
const ROWS_PER_READ = 1000

const listStored = (kind: Kind, after: string | null): Query<Array<z.infer<typeof Row>>> => {
  const { table, id, text } = STORED[kind]
  const afterId = after === null ? sql.fragment`TRUE` : sql.fragment`${sql.identifier([id])} > ${after}`
  return any(
    sql.type(
      Row,
    )`SELECT ${sql.identifier([id])} AS id, ${text} AS stored FROM ${sql.identifier([table])} WHERE ${afterId} ORDER BY ${sql.identifier([id])} LIMIT ${ROWS_PER_READ}`,
  )
}

function* readStored(kind: Kind): Steps<Map<string, string>> {
  const found = new Map<string, string>()
  for (let after: string | null = null; ;) {
    const rows: Array<z.infer<typeof Row>> = yield* ask(listStored(kind, after))
    for (const { id, stored } of rows) found.set(id, credentialDigest(stored) ?? '')
    after = rows.at(-1)?.id ?? null
    if (rows.length < ROWS_PER_READ) return found
  }
}

/** Reads the stored credentials. The log must be read in the same snapshot. */
export function* credentialsToVerify(): Steps<Credentials> {
  const kinds = new Set<Kind>()
  const stored = perKind(() => new Map<string, string>())
  // A store of an early version has no accounts and none of these tables, or no identities.
  for (const kind of KINDS)
    if (yield* ask(hasTable(STORED[kind].table))) {
      kinds.add(kind)
      stored[kind] = yield* readStored(kind)
    }
  const recorded = perKind(() => new Map<string, Recorded>())
  const deleted = new Set<string>()
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

  const noteCredential = (kind: Kind, id: unknown, data: Readonly<Record<string, unknown>>): void => {
    const digest = data['credential_sha256']
    if (digest === null) recorded[kind].delete(textOf(id))
    // A session that is no longer stored may have expired, so it is ignored. The log records many more than are stored.
    else if (kind !== 'session' || stored.session.has(textOf(id)))
      recorded[kind].set(textOf(id), {
        user_id: textOf(data['user_id']),
        digest: digest === undefined ? undefined : textOf(digest),
      })
  }

  return {
    follow: (type, data) => {
      if (
        (type === 'UserCreated' && data['has_password'] === true) ||
        (type === 'UserChanged' && data['password_replaced'] === true)
      )
        noteCredential('password', data['user_id'], data)
      if (type === 'UserDeleted') deleted.add(textOf(data['user_id']))
      if (type === 'KeyMinted') noteCredential('key', data['key_id'], data)
      if (type === 'SignedIn') noteCredential('session', data['session_id'], data)
      if (type === 'IdentityLinked') noteCredential('identity', data['identity_id'], data)
      if (type === 'WebhookCreated' || type === 'WebhookSecretReplaced')
        noteCredential('webhook', data['webhook_id'], data)
      if (type === 'WebhookDeleted') recorded.webhook.delete(textOf(data['webhook_id']))
      if (type === 'SignedOut') recorded.session.delete(textOf(data['session_id']))
      if (type === 'SessionsEnded')
        for (const [id, { user_id }] of recorded.session)
          if (user_id === textOf(data['user_id']) && id !== data['except']) recorded.session.delete(id)
    },
    check: () =>
      [...kinds]
        .map((kind) => compare(kind, stored[kind], recorded[kind], deleted))
        .reduce((sum, count) => sum + count, 0),
  }
}

/**
 * Throws `VerificationFailed` for the first credential that differs from the log. Returns the number of credentials
 * recorded without a digest.
 */
const compare = (
  kind: Kind,
  stored: ReadonlyMap<string, string>,
  recorded: ReadonlyMap<string, Recorded>,
  deleted: ReadonlySet<string>,
): number => {
  const { label } = STORED[kind]
  const live = new Map([...recorded].filter(([, { user_id }]) => !deleted.has(user_id)))
  for (const id of live.keys())
    if (!stored.has(id))
      throw new VerificationFailed('missing', `the ${label} ${id} is missing, and no record removes it`)
  let uncovered = 0
  for (const [id, digest] of stored) {
    const expected = live.get(id)
    if (!expected) throw new VerificationFailed('altered', `the ${label} ${id} exists, but no record creates it`)
    if (expected.digest === undefined) uncovered++
    else if (expected.digest !== digest)
      throw new VerificationFailed('altered', `the ${label} ${id} is not the one that was recorded`)
  }
  return uncovered
}
