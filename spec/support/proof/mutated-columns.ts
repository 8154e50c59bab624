import type Database from 'better-sqlite3'
import type { Finding } from '../../../maintenance/verify/finding.ts'

export type FindingKind = Finding['kind']

/** Draws a whole number from 0 to below a limit. */
export type Draw = (below: number) => number

type Columns = Readonly<Record<string, readonly FindingKind[]>>

const ALTERED = ['altered'] as const
const LOST = ['altered', 'missing'] as const
const SIGNED = ['altered', 'signature'] as const
/** A row that this version does not know, one that is missing, or a schema that is older than the tables. */
const UNKNOWN = ['altered', 'unreadable'] as const

/**
 * The columns of what `ers verify` checks, with the findings that a changed value may give. A changed number or stream can
 * first show as a record that is missing at its old place.
 */
export const CHECKED: Readonly<Record<string, Columns>> = {
  events: { seq: LOST, recorded_at: ALTERED, type: LOST, commitment: ALTERED, leaf: ALTERED },
  event_bodies: { seq: LOST, stream: LOST, version: LOST, salt: ALTERED, body: LOST },
  log_head: { one: ALTERED, size: LOST, frontier: ALTERED, recorded_at: ALTERED },
  log_nodes: { level: ['differs'], n: ['differs'], hash: ['differs'] },
  checkpoints: { size: ALTERED, root: ALTERED, signed_at: ALTERED, note: SIGNED, time_line: SIGNED },
  cosignatures: { size: SIGNED, key_name: ALTERED, key_id: ALTERED, line: SIGNED, at: ALTERED },
  document_frames: { run_no: LOST, n: LOST, raw_length: ALTERED, bytes: LOST },
  plan_texts: { plan_id: LOST, bytes: ALTERED },
  label_texts: { label_id: LOST, texts: ALTERED, salt: ALTERED },
  rubric_texts: { text_id: LOST, words: ALTERED, text: ALTERED },
  suite_setting_texts: { change_id: LOST, texts: ALTERED, salt: ALTERED },
  annotation_texts: { annotation_id: LOST, texts: ALTERED, salt: ALTERED },
  comment_texts: { comment_id: LOST, case_key: ALTERED, text: ALTERED, salt: ALTERED },
  password_hashes: { user_id: LOST, hash: ALTERED },
  invite_labels: { link_id: LOST, label: ALTERED, salt: ALTERED },
  key_secrets: { key_id: LOST, prefix: ALTERED, secret_hash: ALTERED },
  session_tokens: { session_id: ALTERED, token_hash: ALTERED },
  identity_subjects: {
    identity_id: LOST,
    user_id: ALTERED,
    provider: ALTERED,
    subject_sha256: ALTERED,
    subject_salt: ALTERED,
  },
  webhook_targets: { webhook_id: LOST, sealed: ALTERED },
  principals: { id: LOST, kind: ALTERED, label: LOST, salt: ALTERED },
  hold_notes: { hold_id: LOST, note: ALTERED, salt: ALTERED },
  static_tokens: { id: LOST, salt: ALTERED, digest: ALTERED, since_seq: ALTERED },
  migrations: { number: UNKNOWN, name: ALTERED, sha256: ALTERED },
}

/** The columns of these tables that no record and no signature covers. */
export const NOT_COVERED: Readonly<Record<string, readonly string[]>> = {
  // The record has it too.
  annotation_texts: ['run_no'],
  comment_texts: ['run_no'],
  invite_labels: ['user_id'],
  // When this store was migrated; a copy has other times.
  migrations: ['applied_at'],
  // What the provider said last. The subject has a digest of its own.
  identity_subjects: ['subject', 'email', 'last_login_at'],
}

type Row = Readonly<Record<string, unknown>> & { readonly rowid: bigint }

const rowAt = (database: Database.Database, table: string, draw: Draw): Row => {
  const count = database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
  return database
    .prepare(`SELECT rowid AS rowid, * FROM ${table} ORDER BY rowid LIMIT 1 OFFSET ${draw(count)}`)
    .safeIntegers()
    .get() as Row
}

/** Sets one value. Bytes become text again in a column that held text, whether or not they are valid UTF-8. */
const put = (
  database: Database.Database,
  table: string,
  column: string,
  rowid: bigint,
  value: unknown,
  isText = false,
) =>
  database
    .prepare(`UPDATE ${table} SET ${column} = ${isText ? 'CAST(? AS TEXT)' : '?'} WHERE rowid = ?`)
    .run(value, rowid)

const isEqual = (a: unknown, b: unknown): boolean => (Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b)

/** Changes one value of a column. Returns false if it changed nothing. */
type ColumnChange = (database: Database.Database, table: string, column: string, draw: Draw) => boolean

const flip: ColumnChange = (database, table, column, draw) => {
  const { rowid, [column]: value } = rowAt(database, table, draw)
  if (typeof value === 'bigint') {
    put(database, table, column, rowid, BigInt.asIntN(64, value ^ (1n << BigInt(draw(64)))))
    return true
  }
  if (typeof value !== 'string' && !Buffer.isBuffer(value)) return false
  const bytes = Buffer.from(value as string)
  if (bytes.length === 0) return false
  const at = draw(bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << draw(8))
  put(database, table, column, rowid, bytes, typeof value === 'string')
  return true
}

const copy: ColumnChange = (database, table, column, draw) => {
  const [from, to] = [rowAt(database, table, draw), rowAt(database, table, draw)]
  if (isEqual(from[column], to[column])) return false
  put(database, table, column, to.rowid, from[column])
  return true
}

/** The log does not say which of two erased accounts and keys is which. */
const isUnlabelled = (row: Row): boolean => row['label'] === null

const exchange: ColumnChange = (database, table, column, draw) => {
  const [a, b] = [rowAt(database, table, draw), rowAt(database, table, draw)]
  if (isEqual(a[column], b[column]) || (table === 'principals' && isUnlabelled(a) && isUnlabelled(b))) return false
  // The number of a row may be the column itself, so the rows are told apart by a third value in between.
  const between = typeof a[column] === 'bigint' ? -9_999n : Buffer.from('between')
  put(database, table, column, a.rowid, between)
  put(database, table, column, b.rowid, a[column])
  database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(b[column], between)
  return true
}

const OTHER_VALUES: readonly unknown[] = [
  null,
  '',
  'text',
  0n,
  -1n,
  1.5,
  2n ** 53n + 1n,
  Buffer.alloc(0),
  Buffer.alloc(32),
]

const replace: ColumnChange = (database, table, column, draw) => {
  const { rowid, [column]: before } = rowAt(database, table, draw)
  put(database, table, column, rowid, OTHER_VALUES[draw(OTHER_VALUES.length)])
  const after = database.prepare(`SELECT ${column} FROM ${table} WHERE rowid = ?`).pluck().safeIntegers().get(rowid)
  return !isEqual(before, after)
}

/** Columns whose values are all different, so that no value can be copied to another row. */
const UNIQUE = [
  'events.seq',
  'event_bodies.seq',
  'log_nodes.n',
  'checkpoints.size',
  'plan_texts.plan_id',
  'rubric_texts.text_id',
  'label_texts.label_id',
  'annotation_texts.annotation_id',
  'comment_texts.comment_id',
  'suite_setting_texts.change_id',
  'password_hashes.user_id',
  'invite_labels.link_id',
  'key_secrets.key_id',
  'key_secrets.secret_hash',
  'session_tokens.session_id',
  'session_tokens.token_hash',
  'identity_subjects.identity_id',
  'identity_subjects.subject_sha256',
  'webhook_targets.webhook_id',
  'principals.id',
  'hold_notes.hold_id',
  'static_tokens.id',
  'migrations.number',
]

/** Columns that have one value in the whole store, or one row. */
const CONSTANT = [
  'log_head.one',
  'log_head.size',
  'log_head.frontier',
  'log_head.recorded_at',
  'log_nodes.level',
  'cosignatures.at',
  'identity_subjects.provider',
  'static_tokens.since_seq',
]

/** Changes of columns that change nothing, or that the database refuses. */
export const IMPOSSIBLE: ReadonlySet<string> = new Set([
  ...UNIQUE.map((column) => `copy ${column}`),
  ...CONSTANT.flatMap((column) => [`copy ${column}`, `exchange ${column}`]),
  'flip log_head.one',
])

export const COLUMN_CHANGES: Readonly<Record<string, ColumnChange>> = { flip, copy, exchange, replace }

/**
 * The tables besides the read tables that `ers verify` does not compare with the log, because the log says nothing about
 * them. The read tables are compared by `--deep`.
 */
export const NOT_CHECKED: Readonly<Record<string, string>> = {
  call_budgets: 'the calls that agents may still make',
  ...Object.fromEntries(
    ['objects', 'object_rows', 'parts', 'part_objects', 'part_frames', 'part_sets', 'run_parts'].map((table) => [
      table,
      'parts of evidence: their changes are in spec/maintenance/verify/parts.sqlite.spec.ts',
    ]),
  ),
  staged_parts: 'parts that no run names',
  review_leases: 'items that reviewers hold',
  credential_uses: 'when a credential was last used',
  holder: 'the instance that may write',
  ...Object.fromEntries(
    ['run_objects', 'pending_moves'].map((table) => [
      table,
      'documents in objects: their changes are in spec/maintenance/verify/moved.spec.ts',
    ]),
  ),
  outlines: 'what lists of transcripts show, which is made from their parts',
  outline_keys: 'they open the outlines',
  pending_wipes: 'erased bytes that may still be in the files',
  projections: 'how far the read tables are',
  rebuilds: 'how far a rebuild is',
  saved_views: 'the lists that people keep',
  sequences: 'the last number of a run; only one that is too low is a finding',
  sso_replays: 'assertions that were used',
  sso_transactions: 'sign-ins that have not ended',
  webhook_cursor: 'up to which record deliveries were made',
  webhook_deliveries: 'what webhooks send, and how it went',
  webhook_lease: 'the replica that sends webhooks',
  witnesses: 'what each witness is believed to know; the witness says if it knows something else',
}
