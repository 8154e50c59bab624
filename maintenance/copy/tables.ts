import { z } from 'zod'
import type { LogRecord } from '../../storage/log/records.ts'
import { any, insertRows, mapped, maybeOne, one, perDialect, sql, statement } from '../../storage/sql.ts'
import type { Dialect, Query, Statement, Value } from '../../storage/storage.ts'

// Queries and statements that copy a store, row by row, into a store of the other kind.

export type CopiedTable = {
  readonly name: string
  readonly columns: readonly string[]
  readonly key: readonly string[]
  readonly batch: number
}

const ROWS_PER_BATCH = 1000

/** Every durable table except the log. Frames hold up to 256 KiB each. */
export const COPIED: readonly CopiedTable[] = [
  { name: 'principals', columns: ['id', 'kind', 'label', 'salt'], key: ['id'], batch: ROWS_PER_BATCH },
  { name: 'password_hashes', columns: ['user_id', 'hash'], key: ['user_id'], batch: ROWS_PER_BATCH },
  { name: 'session_tokens', columns: ['session_id', 'token_hash'], key: ['session_id'], batch: ROWS_PER_BATCH },
  { name: 'key_secrets', columns: ['key_id', 'prefix', 'secret_hash'], key: ['key_id'], batch: ROWS_PER_BATCH },
  {
    name: 'credential_uses',
    columns: ['credential_id', 'last_used_at'],
    key: ['credential_id'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'identity_subjects',
    columns: [
      'identity_id',
      'user_id',
      'provider',
      'subject_sha256',
      'subject_salt',
      'subject',
      'email',
      'last_login_at',
    ],
    key: ['identity_id'],
    batch: ROWS_PER_BATCH,
  },
  // Without these rows, an assertion could be used again after a copy.
  { name: 'sso_replays', columns: ['id_hash', 'expires_at'], key: ['id_hash'], batch: ROWS_PER_BATCH },
  {
    name: 'saved_views',
    columns: ['id', 'user_id', 'name', 'path', 'query', 'pinned', 'position', 'created_at', 'updated_at', 'shared_at'],
    key: ['id'],
    batch: ROWS_PER_BATCH,
  },
  { name: 'invite_labels', columns: ['link_id', 'user_id', 'label', 'salt'], key: ['link_id'], batch: ROWS_PER_BATCH },
  { name: 'webhook_targets', columns: ['webhook_id', 'sealed'], key: ['webhook_id'], batch: ROWS_PER_BATCH },
  {
    name: 'webhook_deliveries',
    columns: [
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
    key: ['delivery_id'],
    batch: ROWS_PER_BATCH,
  },
  // Without it, the copy would send everything again.
  { name: 'webhook_cursor', columns: ['one', 'position'], key: ['one'], batch: 1 },
  {
    name: 'checkpoints',
    columns: ['size', 'root', 'signed_at', 'note', 'time_line'],
    key: ['size'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'cosignatures',
    columns: ['size', 'key_name', 'key_id', 'line', 'at'],
    key: ['size', 'key_name', 'key_id'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'witnesses',
    columns: ['key_name', 'key_id', 'size'],
    key: ['key_name', 'key_id'],
    batch: ROWS_PER_BATCH,
  },
  { name: 'hold_notes', columns: ['hold_id', 'note', 'salt'], key: ['hold_id'], batch: ROWS_PER_BATCH },
  {
    name: 'annotation_texts',
    columns: ['annotation_id', 'run_no', 'texts', 'salt'],
    key: ['annotation_id'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'comment_texts',
    columns: ['comment_id', 'run_no', 'case_key', 'text', 'salt'],
    key: ['comment_id'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'suite_setting_texts',
    columns: ['change_id', 'texts', 'salt'],
    key: ['change_id'],
    batch: ROWS_PER_BATCH,
  },
  { name: 'rubric_texts', columns: ['text_id', 'words', 'text'], key: ['text_id'], batch: 64 },
  { name: 'label_texts', columns: ['label_id', 'texts', 'salt'], key: ['label_id'], batch: ROWS_PER_BATCH },
  { name: 'plan_texts', columns: ['plan_id', 'bytes'], key: ['plan_id'], batch: 64 },
  {
    name: 'static_tokens',
    columns: ['id', 'salt', 'digest', 'since_seq'],
    key: ['id'],
    batch: ROWS_PER_BATCH,
  },
  { name: 'document_frames', columns: ['run_no', 'n', 'raw_length', 'bytes'], key: ['run_no', 'n'], batch: 64 },
  {
    name: 'objects',
    columns: ['object_id', 'place', 'state', 'key', 'lengths', 'created_at'],
    key: ['object_id'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'run_objects',
    columns: ['run_no', 'n', 'object_id', 'bytes', 'document_bytes'],
    key: ['run_no', 'n'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'pending_moves',
    columns: ['run_no', 'since', 'holder', 'until'],
    key: ['run_no'],
    batch: ROWS_PER_BATCH,
  },
  { name: 'object_rows', columns: ['object_id', 'n', 'bytes'], key: ['object_id', 'n'], batch: 64 },
  { name: 'parts', columns: ['part_no', 'sha256', 'bytes'], key: ['part_no'], batch: ROWS_PER_BATCH },
  {
    name: 'part_objects',
    columns: ['part_no', 'n', 'object_id', 'bytes', 'start'],
    key: ['part_no', 'n'],
    batch: ROWS_PER_BATCH,
  },
  { name: 'part_frames', columns: ['part_no', 'n', 'raw_length', 'bytes'], key: ['part_no', 'n'], batch: 64 },
  {
    name: 'staged_parts',
    columns: ['actor', 'sha256', 'part_no', 'bytes', 'complete', 'touched_at'],
    key: ['actor', 'sha256'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'part_sets',
    columns: ['set_no', 'project', 'suite', 'run_count'],
    key: ['set_no'],
    batch: ROWS_PER_BATCH,
  },
  {
    name: 'run_parts',
    columns: ['run_no', 'sha256', 'part_no', 'manifest', 'set_no'],
    key: ['run_no', 'sha256'],
    batch: ROWS_PER_BATCH,
  },
  { name: 'sequences', columns: ['name', 'value'], key: ['name'], batch: ROWS_PER_BATCH },
]

/**
 * The tables of the log, which is copied record by record, and tables that describe one store only: its instance, its
 * rebuilds, its migrations, the calls that agents may still make, sign-ins that have not ended, items that reviewers hold, erased bytes in
 * its files, and the replica that sends webhooks. The nodes of the log's tree are computed from the copied leaves, and outlines from
 * transcripts when they are read.
 */
export const NOT_COPIED = [
  'events',
  'event_bodies',
  'log_head',
  'holder',
  'projections',
  'rebuilds',
  'migrations',
  'call_budgets',
  'sso_transactions',
  'pending_wipes',
  'review_leases',
  'webhook_lease',
  'log_nodes',
  'outlines',
  'outline_keys',
] as const

type Row = Readonly<Record<string, Value>>
const Row = z.record(z.string(), z.custom<Value>())

const columnList = (columns: readonly string[]) =>
  sql.join(
    columns.map((column) => sql.identifier([column])),
    sql.fragment`, `,
  )
const descendingOrder = (columns: readonly string[]) =>
  sql.join(
    columns.map((column) => sql.fragment`${sql.identifier([column])} DESC`),
    sql.fragment`, `,
  )

/** The next rows after a key, in its order. */
export const listRows = ({ name, columns, key, batch }: CopiedTable, after: Row | null): Query<Row[]> => {
  const afterKey = after
    ? sql.fragment`WHERE (${columnList(key)}) > (${sql.join(
        key.map((column) => columnValue(after, column)),
        sql.fragment`, `,
      )})`
    : sql.fragment``
  return any(
    sql.type(
      Row,
    )`SELECT ${columnList(columns)} FROM ${sql.identifier([name])} ${afterKey} ORDER BY ${columnList(key)} LIMIT ${batch}`,
  )
}

const columnValue = (row: Row, column: string): string | number => {
  const value = row[column]
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`the key ${column} is neither a text nor a number`)
  return value
}

/** The key of the last row, or null. */
export const findLast = ({ name, key }: CopiedTable): Query<Row | null> =>
  maybeOne(
    sql.type(Row)`SELECT ${columnList(key)} FROM ${sql.identifier([name])} ORDER BY ${descendingOrder(key)} LIMIT 1`,
  )

/** Inserts rows as they were read. */
export const insertCopied = ({ name, columns }: CopiedTable, rows: readonly Row[]): Statement =>
  insertRows(
    name,
    columns,
    rows.map((row) => columns.map((column) => row[column] ?? null)),
  )

const Count = z.object({ n: z.number() })
const countNumber = ({ n }: z.infer<typeof Count>): number => n

export const countRows = (table: string): Query<number> =>
  mapped(one(sql.type(Count)`SELECT count(*) AS n FROM ${sql.identifier([table])}`), countNumber)

/** The highest run number that was ever assigned. */
export const lastRunNo: Query<number> = mapped(
  one(sql.type(Count)`SELECT coalesce(max(value), 0) AS n FROM sequences WHERE name = 'run_no'`),
  countNumber,
)

/** The number of the last record. */
export const lastSeq: Query<number> = mapped(
  one(sql.type(Count)`SELECT coalesce(max(seq), 0) AS n FROM events`),
  countNumber,
)

/**
 * Creates the function that `appendRecords` calls, for one session only. Each body must be inserted after its event and
 * before the next event, and one statement for each insert would be slow.
 */
export const PREPARE_APPEND: Record<Dialect, readonly Statement[]> = {
  sqlite: [],
  postgres: [
    statement`
      CREATE OR REPLACE FUNCTION pg_temp.append_records(records json) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE r record;
      BEGIN
        FOR r IN SELECT * FROM json_to_recordset(records)
          AS r(seq bigint, recorded_at bigint, type text, commitment text, leaf text, stream text, version bigint, salt text, body text)
        LOOP
          INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (r.seq, r.recorded_at, r.type, decode(r.commitment, 'hex'), decode(r.leaf, 'hex'));
          IF r.body IS NOT NULL THEN
            INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (r.seq, r.stream, r.version, decode(r.salt, 'hex'), r.body);
          END IF;
        END LOOP;
      END $$`,
  ],
}

/** Inserts records as they were read, each body after its event. An erased record has no body. */
export const appendRecords = (dialect: Dialect, records: readonly LogRecord[]): Statement[] => {
  if (dialect === 'postgres') {
    const hex = (bytes: Buffer | null) => bytes && bytes.toString('hex')
    const text = JSON.stringify(
      records.map((record) => ({
        ...record,
        commitment: hex(record.commitment),
        leaf: hex(record.leaf),
        salt: hex(record.salt),
      })),
    )
    return [statement`SELECT pg_temp.append_records(CAST(${text} AS json))`]
  }
  return records.flatMap(({ seq, recorded_at, type, commitment, leaf, stream, version, salt, body }) => [
    insertRows(
      'events',
      ['seq', 'recorded_at', 'type', 'commitment', 'leaf'],
      [[seq, recorded_at, type, commitment, leaf]],
    ),
    ...(body === null
      ? []
      : [
          insertRows(
            'event_bodies',
            ['seq', 'stream', 'version', 'salt', 'body'],
            [[seq, stream, version, salt, body]],
          ),
        ]),
  ])
}

// The table `copying` exists in a store while a copy into it is unfinished, also after an interruption.

/** Whether a copy into this store was started and is not finished. */
export const isHalfCopied: Query<boolean> = mapped(
  one(
    perDialect(
      sql.type(Count)`SELECT count(*) AS n FROM sqlite_schema WHERE name = 'copying'`,
      sql.type(Count)`SELECT count(to_regclass('copying')) AS n`,
    ),
  ),
  ({ n }) => n > 0,
)

const Origin = z.object({ size: z.number(), root: z.string() })

/** Size and root of the log that is being copied. */
export const findOrigin: Query<z.infer<typeof Origin>> = one(sql.type(Origin)`SELECT size, root FROM copying`)

/** Records that a copy of this log has started. */
export const noteOrigin = ({ size, root }: z.infer<typeof Origin>): Statement[] => [
  statement`CREATE TABLE copying (size bigint NOT NULL, root text NOT NULL)`,
  statement`INSERT INTO copying (size, root) VALUES (${size}, ${root})`,
]

/** Records that the copy is finished. */
export const forgetOrigin: Statement = statement`DROP TABLE copying`
