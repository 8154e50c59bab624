import { z } from 'zod'
import { credentialDigest } from '../../commands/credential.ts'
import { any, mapped, one, perDialect, sql } from '../../storage/sql.ts'
import { ask } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import type { Query } from '../../storage/storage.ts'
import { VerificationFailed } from './finding.ts'

/** What is stored of credentials, with the words for one of them. */
const STORED = {
  password: { table: 'password_hashes', id: 'user_id', column: 'hash', one: 'password of account' },
  key: { table: 'key_secrets', id: 'key_id', column: 'secret_hash', one: 'secret of API key' },
  session: { table: 'session_tokens', id: 'session_id', column: 'token_hash', one: 'token of session' },
} as const
type Kind = keyof typeof STORED
const KINDS = ['password', 'key', 'session'] as const

/** What the log tells of one: whose it is, and the digest; undefined where it was recorded before events had one. */
type Recorded = { readonly user_id: string; readonly digest: string | undefined }

/** Goes along with the log, and compares what it tells with what is stored. */
export type Credentials = {
  readonly follow: (type: string, data: Readonly<Record<string, unknown>>) => void
  /** Throws `VerificationFailed`. Answers how many are stored that the log has no digest of. */
  readonly check: () => number
}

const Row = z.object({ id: z.string(), stored: z.string() })
const MANY = 1000

const listStored = (kind: Kind, after: string | null): Query<Array<z.infer<typeof Row>>> => {
  const { table, id, column } = STORED[kind]
  const behind = after === null ? sql.fragment`TRUE` : sql.fragment`${sql.identifier([id])} > ${after}`
  return any(
    sql.type(
      Row,
    )`SELECT ${sql.identifier([id])} AS id, ${sql.identifier([column])} AS stored FROM ${sql.identifier([table])} WHERE ${behind} ORDER BY ${sql.identifier([id])} LIMIT ${MANY}`,
  )
}

const Count = z.object({ n: z.number() })

/** A store from before there were accounts has no such tables. */
const hasTables: Query<boolean> = mapped(
  one(
    perDialect(
      sql.type(Count)`SELECT count(*) AS n FROM sqlite_schema WHERE name = 'password_hashes'`,
      sql.type(Count)`SELECT count(to_regclass('password_hashes')) AS n`,
    ),
  ),
  ({ n }) => n > 0,
)

function* readStored(kind: Kind): Steps<Map<string, string>> {
  const found = new Map<string, string>()
  for (let after: string | null = null; ;) {
    const rows: Array<z.infer<typeof Row>> = yield* ask(listStored(kind, after))
    for (const { id, stored } of rows) found.set(id, credentialDigest(stored) ?? '')
    after = rows.at(-1)?.id ?? null
    if (rows.length < MANY) return found
  }
}

/** Reads what is stored, on the snapshot that the log is read from. */
export function* credentialsToVerify(): Steps<Credentials> {
  const isThere = yield* ask(hasTables)
  const stored: Record<Kind, Map<string, string>> = { password: new Map(), key: new Map(), session: new Map() }
  if (isThere) for (const kind of KINDS) stored[kind] = yield* readStored(kind)
  const recorded: Record<Kind, Map<string, Recorded>> = { password: new Map(), key: new Map(), session: new Map() }
  const deleted = new Set<string>()
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

  const note = (kind: Kind, id: unknown, data: Readonly<Record<string, unknown>>): void => {
    const digest = data['credential_sha256']
    if (digest === null) recorded[kind].delete(textOf(id))
    // Sessions end by themselves, and there were far more than there are.
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
        note('password', data['user_id'], data)
      if (type === 'UserDeleted') deleted.add(textOf(data['user_id']))
      if (type === 'KeyMinted') note('key', data['key_id'], data)
      if (type === 'SignedIn') note('session', data['session_id'], data)
      if (type === 'SignedOut') recorded.session.delete(textOf(data['session_id']))
    },
    check: () => {
      if (!isThere) return 0
      return KINDS.map((kind) => compare(kind, stored[kind], recorded[kind], deleted)).reduce(
        (sum, each) => sum + each,
        0,
      )
    },
  }
}

/** Throws `VerificationFailed` at the first that is not as it was recorded. Answers how many were recorded without a digest. */
const compare = (
  kind: Kind,
  stored: ReadonlyMap<string, string>,
  recorded: ReadonlyMap<string, Recorded>,
  deleted: ReadonlySet<string>,
): number => {
  const { one: what } = STORED[kind]
  const live = new Map([...recorded].filter(([, { user_id }]) => !deleted.has(user_id)))
  for (const id of live.keys())
    if (!stored.has(id))
      throw new VerificationFailed('missing', `the ${what} ${id} is not there, and no record takes it away`)
  let uncovered = 0
  for (const [id, digest] of stored) {
    const told = live.get(id)
    if (!told) throw new VerificationFailed('altered', `the ${what} ${id} is there, yet no record gives it one`)
    if (told.digest === undefined) uncovered++
    else if (told.digest !== digest)
      throw new VerificationFailed('altered', `the ${what} ${id} is not the one that was recorded`)
  }
  return uncovered
}
