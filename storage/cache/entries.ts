import { z } from 'zod'
import { gatherCounts, type Counted } from './counters.ts'
import { FINAL, UNINDEXED } from './index-version.ts'
import { removeWords } from './words.ts'
import type { CacheChange } from './store.ts'
import { any, insertRows, mapped, one, sql, statement, type Fragment, type Typed } from '../sql.ts'
import type { Dialect, Query, Statement } from '../storage.ts'

// The cache's tables, and every statement that changes them.

/** The 32 bytes of a key `sha256:<64 hex>`. */
export const keyDigest = (key: string): Buffer => Buffer.from(key.slice(7), 'hex')

/** The key of a 32-byte digest. */
export const digestKey = (digest: Buffer): string => `sha256:${digest.toString('hex')}`

/** The fields of an entry that are listed and searched. Times are epoch milliseconds, costs whole micro-USD. */
export type EntryIndex = {
  readonly parseable: boolean
  /** The body is not a JSON object, so no later index version can read it either. */
  readonly opaque: boolean
  readonly entry_created_at: number | null
  readonly kind: string | null
  readonly model: string | null
  readonly cost_micro: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly request_summary: string | null
  readonly output_preview: string | null
  readonly empty_reason: string | null
  /** The text that is indexed, in the form that the tokenizer of queries produces. */
  readonly search_text: string
}

const INDEX_COLUMNS = [
  'rules',
  'parseable',
  'entry_created_at',
  'kind',
  'model',
  'cost_micro',
  'input_tokens',
  'output_tokens',
  'request_summary',
  'output_preview',
  'empty_reason',
] as const
const BODY_COLUMNS = ['entry_no', 'bytes']
const ENTRY_COLUMNS = ['entry_no', 'digest', 'size', 'created_at', 'last_access_at', ...INDEX_COLUMNS]

const indexVersion = ({ opaque }: Pick<EntryIndex, 'opaque'>, rules: number): number => (opaque ? FINAL : rules)

const countedOf = (size: number, index: EntryIndex | null, rules: number): Counted =>
  index
    ? { ...index, size, rules: indexVersion(index, rules) }
    : { size, rules: UNINDEXED, parseable: null, kind: null, model: null, empty_reason: null }

const EntryKey = z.object({ entry_no: z.number(), digest: z.instanceof(Buffer) })
// Built once: deriving a schema takes longer than running the query.
const Digest = EntryKey.pick({ digest: true })

/** Statements for up to this many digests are built once: a group of new entries is as small. */
const MAX_KEPT_TOKENS = 64

const digestIn = (digests: readonly Buffer[]): Fragment =>
  sql.fragment`digest IN (${sql.join(
    digests.map((digest) => sql.binary(digest)),
    sql.fragment`, `,
  )})`

const storedTokens = new Map<number, Typed<typeof Digest>>()
/** Those of the digests that have an entry. */
const listStored = (digests: readonly Buffer[]): Query<Buffer[]> => {
  const known = storedTokens.get(digests.length)
  const token = known ?? sql.type(Digest)`SELECT digest FROM cache_entries WHERE ${digestIn(digests)}`
  if (!known && digests.length <= MAX_KEPT_TOKENS) storedTokens.set(digests.length, token)
  return mapped(any({ ...token, values: digests }), (rows) => rows.map(({ digest }) => digest))
}

const LastNumber = z.object({ n: z.number() })

/**
 * The highest entry number ever given out, deleted entries included; 0 if there is none. Numbers up to the last indexed
 * entry are never reused.
 */
export const findLastEntry: Query<number> = mapped(
  one(sql.type(LastNumber)`
    SELECT coalesce(max(known.n), 0) AS n FROM (
      SELECT max(entry_no) AS n FROM cache_entries
      UNION ALL
      SELECT value FROM cache_totals WHERE name = ${'worded'}
    ) known`),
  ({ n }) => n,
)

/**
 * An entry to store: its body, and the fields that index version `rules` read from it. `index` is null if the body has
 * not been read yet.
 */
export type NewEntry = { readonly digest: Buffer; readonly bytes: Buffer; readonly index: EntryIndex | null }

/**
 * Stores entries. The first body of a key wins; a later one is discarded. Returns for each entry whether it was stored.
 */
export const putEntries = (
  entries: readonly NewEntry[],
  { at, rules }: { readonly at: number; readonly rules: number },
): CacheChange<{ stored: Query<Buffer[]>; last: Query<number> }, boolean[]> => ({
  facts: {
    stored: listStored(entries.map(({ digest }) => digest)),
    last: findLastEntry,
  },
  decide: ({ stored, last }, dialect) => {
    const existing = new Set(stored.map((digest) => digest.toString('latin1')))
    const counts = gatherCounts()
    const added: Array<NewEntry & { readonly entry_no: number }> = []
    const result = entries.map((entry) => {
      const text = entry.digest.toString('latin1')
      if (existing.has(text)) return false
      existing.add(text)
      added.push({ ...entry, entry_no: last + added.length + 1 })
      counts.entry(countedOf(entry.bytes.length, entry.index, rules), 1)
      return true
    })
    if (added.length === 0) return { statements: [], result, words: [] }
    const words = added.flatMap(({ entry_no, index }) =>
      index && index.search_text !== '' ? [{ entry_no, text: index.search_text }] : [],
    )
    const statements = [
      insertRows(
        'cache_entries',
        ENTRY_COLUMNS,
        added.map(({ entry_no, digest, bytes, index }) => [
          entry_no,
          digest,
          bytes.length,
          at,
          at,
          ...indexRow(index, rules),
        ]),
      ),
      insertRows(
        'cache_bodies',
        BODY_COLUMNS,
        added.map(({ entry_no, bytes }) => [entry_no, bytes]),
      ),
      ...counts.statements(dialect),
    ]
    return { statements, result, words }
  },
})

const indexRow = (index: EntryIndex | null, rules: number) =>
  index
    ? [
        indexVersion(index, rules),
        index.parseable,
        index.entry_created_at,
        index.kind,
        index.model,
        index.cost_micro,
        index.input_tokens,
        index.output_tokens,
        index.request_summary,
        index.output_preview,
        index.empty_reason,
      ]
    : [UNINDEXED, null, null, null, null, null, null, null, null, null, null]

const CountedRow = EntryKey.extend({
  size: z.number(),
  rules: z.number(),
  parseable: z.boolean().nullable(),
  kind: z.string().nullable(),
  model: z.string().nullable(),
  empty_reason: z.string().nullable(),
})
type CountedRow = z.infer<typeof CountedRow>

const listCounted = (where: Fragment): Query<CountedRow[]> =>
  any(
    sql.type(CountedRow)`
      SELECT entry_no, digest, size, rules, parseable, kind, model, empty_reason
      FROM cache_entries
      WHERE ${where}`,
  )

const Value = z.object({ value: z.number() })

/** One of the totals that are maintained as entries are added and removed. */
export const findTotal = (name: string): Query<number> =>
  mapped(
    one(sql.type(Value)`SELECT coalesce(max(value), 0) AS value FROM cache_totals WHERE name = ${name}`),
    ({ value }) => value,
  )

export type RemovedEntries = { readonly digests: readonly Buffer[]; readonly bytes: number }

/**
 * Removes those of the listed entries that still exist, in the given order. With `target_bytes`, stops as soon as the
 * total size of the cache is at or below it.
 */
export const removeEntries = (
  digests: readonly Buffer[],
  target_bytes: number | null = null,
): CacheChange<{ rows: Query<CountedRow[]>; total: Query<number> }, RemovedEntries> => ({
  facts: { rows: listCounted(digestIn(digests)), total: findTotal('bytes') },
  decide: ({ rows, total }, dialect) => {
    const byDigest = new Map(rows.map((row) => [row.digest.toString('latin1'), row]))
    const counts = gatherCounts()
    const removed: CountedRow[] = []
    let bytes = 0
    for (const digest of digests) {
      const row = byDigest.get(digest.toString('latin1'))
      if (!row || (target_bytes !== null && total - bytes <= target_bytes)) continue
      // A digest that is listed twice is removed once.
      byDigest.delete(digest.toString('latin1'))
      removed.push(row)
      bytes += row.size
      counts.entry(row, -1)
    }
    if (removed.length > 0) counts.total('removals', 1)
    const result = { digests: removed.map(({ digest }) => digest), bytes }
    return { statements: removed.length === 0 ? [] : [...deletion(removed), ...counts.statements(dialect)], result }
  },
})

const deletion = (rows: readonly CountedRow[]): Statement[] => {
  const numbers = rows.map(({ entry_no }) => entry_no)
  const list = sql.join(numbers, sql.fragment`, `)
  const indexedNumbers = rows.filter(({ parseable }) => parseable).map(({ entry_no }) => entry_no)
  return [
    ...(indexedNumbers.length > 0 ? [removeWords(indexedNumbers)] : []),
    statement`DELETE FROM cache_bodies WHERE entry_no IN (${list})`,
    statement`DELETE FROM cache_entries WHERE entry_no IN (${list})`,
  ]
}

/** Gathered reads of entries: the numbers of hits and misses, and the last access of each entry. */
export type Use = {
  readonly hits: number
  readonly misses: number
  readonly accesses: ReadonlyArray<readonly [digest: Buffer, at: number]>
}

/** Records reads. Ignores entries that no longer exist, and never sets a last access to an earlier time. */
export const recordUse = ({ hits, misses, accesses }: Use): CacheChange<Record<never, never>, null> => ({
  facts: {},
  decide: (_, dialect) => {
    const counts = gatherCounts()
    counts.total('hits', hits)
    counts.total('misses', misses)
    const accessUpdates = [...Map.groupBy(accesses, ([, at]) => at)].map(
      ([at, group]) =>
        statement`
          UPDATE cache_entries SET last_access_at = ${at}
          WHERE ${digestIn(group.map(([digest]) => digest))} AND last_access_at < ${at}`,
    )
    return { statements: [...counts.statements(dialect), ...accessUpdates], result: null }
  },
})

/** An existing entry, and the fields that were read from its body. */
export type Reindexed = { readonly entry_no: number; readonly index: EntryIndex }

/**
 * Stores the fields that were read from bodies. Skips entries that no longer have an older index version. Returns how
 * many entries changed.
 */
export const indexEntries = (
  reindexed: readonly Reindexed[],
  rules: number,
): CacheChange<{ rows: Query<CountedRow[]> }, number> => ({
  facts: {
    rows: listCounted(
      sql.fragment`entry_no IN (${sql.join(
        reindexed.map(({ entry_no }) => entry_no),
        sql.fragment`, `,
      )}) AND rules < ${rules}`,
    ),
  },
  decide: ({ rows }, dialect) => {
    const byNumber = new Map(rows.map((row) => [row.entry_no, row]))
    const counts = gatherCounts()
    const changed = reindexed.flatMap(({ entry_no, index }) => {
      const row = byNumber.get(entry_no)
      if (!row) return []
      counts.entry(row, -1)
      counts.entry(countedOf(row.size, index, rules), 1)
      return [{ entry_no, index, previous: row }]
    })
    if (changed.length === 0) return { statements: [], result: 0 }
    const indexedNumbers = changed.filter(({ previous }) => previous.parseable).map(({ entry_no }) => entry_no)
    const words = changed.flatMap(({ entry_no, index }) =>
      index.search_text === '' ? [] : [{ entry_no, text: index.search_text }],
    )
    const statements = [
      ...REINDEXING[dialect](changed, rules),
      ...(indexedNumbers.length > 0 ? [removeWords(indexedNumbers)] : []),
      ...counts.statements(dialect),
    ]
    return { statements, result: changed.length, words }
  },
})

const REINDEXING: Record<Dialect, (reindexed: readonly Reindexed[], rules: number) => Statement[]> = {
  sqlite: (reindexed, rules) => reindexed.map(({ entry_no, index }) => reindexing(entry_no, index, rules)),
  postgres: (reindexed, rules) => {
    const rows = reindexed.map(({ entry_no, index: { search_text: _, ...index } }) => ({
      ...index,
      entry_no,
      rules: indexVersion(index, rules),
    }))
    return [
      statement`
      UPDATE cache_entries SET
        rules = r.rules, parseable = r.parseable, entry_created_at = r.entry_created_at, kind = r.kind, model = r.model,
        cost_micro = r.cost_micro, input_tokens = r.input_tokens, output_tokens = r.output_tokens,
        request_summary = r.request_summary, output_preview = r.output_preview, empty_reason = r.empty_reason
      FROM json_to_recordset(CAST(${JSON.stringify(rows)} AS json)) AS r(
        entry_no bigint, rules bigint, parseable boolean, entry_created_at bigint, kind text, model text, cost_micro bigint,
        input_tokens bigint, output_tokens bigint, request_summary text, output_preview text, empty_reason text)
      WHERE cache_entries.entry_no = r.entry_no`,
    ]
  },
}

const reindexing = (entry_no: number, index: EntryIndex, rules: number): Statement => statement`
  UPDATE cache_entries SET
    rules = ${indexVersion(index, rules)}, parseable = ${index.parseable}, entry_created_at = ${index.entry_created_at},
    kind = ${index.kind}, model = ${index.model}, cost_micro = ${index.cost_micro},
    input_tokens = ${index.input_tokens}, output_tokens = ${index.output_tokens}, request_summary = ${index.request_summary},
    output_preview = ${index.output_preview}, empty_reason = ${index.empty_reason}
  WHERE entry_no = ${entry_no}`

// Tokens that every lookup needs are built once. Only the type of the placeholder value matters.
const NO_DIGEST = sql.binary(Buffer.alloc(0))

const Body = z.object({ bytes: z.instanceof(Buffer) })
const BODY_OF = sql.type(Body)`
  SELECT cache_bodies.bytes FROM cache_bodies
  WHERE cache_bodies.entry_no = (SELECT entry_no FROM cache_entries WHERE digest = ${NO_DIGEST})`

/** The bytes of an entry, or null. */
export const findBody = (digest: Buffer): Query<Buffer | null> =>
  mapped(any({ ...BODY_OF, values: [digest] }), ([row]) => row?.bytes ?? null)

const Size = z.object({ size: z.number() })
const SIZE_OF = sql.type(Size)`SELECT size FROM cache_entries WHERE digest = ${NO_DIGEST}`

/** The size of an entry in bytes, or null if there is none. */
export const findSize = (digest: Buffer): Query<number | null> =>
  mapped(any({ ...SIZE_OF, values: [digest] }), ([row]) => row?.size ?? null)
