import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { EVENT_TYPES } from '../../commands/tags.ts'
import { parseInstant } from '../../domain/instants.ts'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { listAudit } from '../../queries/audit.ts'
import type { AuditEvent, AuditFilters } from '../../queries/audit.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import { Unavailable } from '../../storage/errors.ts'
import { openReader } from '../../storage/open/reader.ts'
import type { OpenReader } from '../../storage/open/reader.ts'
import { one, sql } from '../../storage/sql.ts'
import { asDamage } from '../../storage/sqlite/damage.ts'
import { openSqliteReader } from '../../storage/sqlite/storage.ts'
import type { Reader } from '../../storage/storage.ts'
import { namedStore, addressOfDatabase, withDatabase, withStore } from './store-options.ts'
import type { GivenStore, NamedStore } from './store-options.ts'

type Given = AuditFilters & GivenStore & { readonly limit?: number; readonly json?: boolean }

export const auditCommand = (): Command =>
  withStore(withUsageExit(new Command('audit')))
    .description(
      'print who did what from the log of a state directory or a database, newest first; works while servers use it',
    )
    .option('--actor <who>', 'by an account, key, session or token: its id, or the name it goes by')
    .addOption(new Option('--type <type>', 'events of one type').choices(EVENT_TYPES))
    .option(
      '--stream <stream>',
      'of one stream (run/<id>), or of all whose names start so where it ends in a slash (run/)',
    )
    .option('--since <time>', 'recorded at or after: epoch milliseconds or RFC 3339', parseTime)
    .option('--until <time>', 'recorded at or before', parseTime)
    .option('--limit <n>', 'no more than so many (default: all)', parseCount)
    .option('--json', 'one JSON object a line, as the API answers them')
    .addHelpText(
      'after',
      '\nEach line: time, number, type, stream, who, data; tabs between. Exit code 0: done; 1: the store is damaged; 2: nothing could be done.',
    )
    .action(({ dataDir, databaseUrl, limit = Number.POSITIVE_INFINITY, json = false, ...filters }: Given) =>
      exitWith(() => {
        const given = {
          ...(dataDir === undefined ? {} : { dataDir }),
          ...(databaseUrl === undefined ? {} : { databaseUrl }),
        }
        const store = namedStore(given, process.env)
        const printed = () => print(store, filters, { limit, tell: json ? JSON.stringify : lineOf })
        return store.kind === 'sqlite' ? printed() : withDatabase(store, printed)
      }),
    )

type Printed = { readonly limit: number; readonly tell: (event: AuditEvent) => string }

const print = async (store: NamedStore, filters: AuditFilters, { limit, tell }: Printed): Promise<number> => {
  if (store.kind === 'sqlite' && !existsSync(store.file)) throw new UserError(noStoreIn(store.dataDir))
  const reader: OpenReader =
    store.kind === 'sqlite' ? asDamage(store.file, () => openSqliteReader(store.file)) : await openReader(store)
  try {
    await checkSchema(store.kind === 'sqlite' ? store.file : addressOfDatabase(store), reader)
    await pipeline(Readable.from(lines(reader, filters, limit, tell)), process.stdout, { end: false })
  } catch (error) {
    // Whoever reads along has seen enough, as `head` has.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  } finally {
    await reader.close()
  }
  return 0
}

const A_PAGE = 200

/** The log never changes behind a cursor, so that pages are one list also while a server writes. */
const lines = async function* (
  reader: Reader,
  filters: AuditFilters,
  limit: number,
  tell: Printed['tell'],
): AsyncGenerator<string> {
  let left = limit
  let cursor: string | undefined
  do {
    const { events, next_cursor } = await listAudit(reader, CLI, filters, { limit: Math.min(A_PAGE, left), cursor })
    if (events.length > 0) yield events.map((event) => `${tell(event)}\n`).join('')
    left -= events.length
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined && left > 0)
}

/** One event as a line. What was erased is told as such, who has no name by id, who has none by kind. */
export const lineOf = ({ recorded_at, seq, type, stream, actor, data }: AuditEvent): string => {
  const who = actor?.label ?? actor?.user_id ?? actor?.credential_id ?? actor?.kind
  return [recorded_at, String(seq), type, stream ?? '-', who ?? '-', data === null ? '(erased)' : JSON.stringify(data)]
    .map(harmless)
    .join('\t')
}

// Labels are free text: on a terminal they must neither break the line nor command it.
const harmless = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`)

const Schema = z.object({ n: z.number() })

/** The indexes that filters read came with a migration, which a reader cannot make up for. */
const checkSchema = async (place: string, reader: Reader): Promise<void> => {
  const { n } = await reader
    .read(one(sql.type(Schema)`SELECT coalesce(max(number), 0) AS n FROM migrations`))
    .catch((cause: unknown) => {
      if (cause instanceof Unavailable) throw cause
      throw new UserError(
        `${place} is no store of this service: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      )
    })
  if (n < migrationsOf('service', reader.dialect).length)
    throw new UserError(
      `${place} was written by an older version; start the service on it once, which brings it up to date`,
    )
}

const parseTime = (text: string): number => {
  const ms = parseInstant(text)
  if (ms === null) throw new InvalidArgumentError('It must be epoch milliseconds or an RFC 3339 instant.')
  return ms
}

const parseCount = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1.')
  return Number(text)
}
