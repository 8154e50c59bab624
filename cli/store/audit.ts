import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { EVENT_NAMES } from '../../commands/events.ts'
import { exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { listAudit, type AuditEvent, type AuditFilters } from '../../queries/audit.ts'
import type { Reader } from '../../storage/storage.ts'
import { namedStore, onStore, withStore, type StoreSelection, type NamedStore } from './store-options.ts'
import { openStoreReader } from './store-reader.ts'
import { instant, wholeNumber } from '../terminal/option-values.ts'
import { listPages } from '../client/pages.ts'

type Given = AuditFilters & StoreSelection & { readonly limit?: number; readonly json?: boolean }

export const auditCommand = (): Command =>
  withStore(withUsageExit(new Command('audit')))
    .option('--actor <who>', 'events of this account, key, session or token: by id or name')
    .addOption(new Option('--type <type>', 'events of one type').choices(EVENT_NAMES))
    .option(
      '--stream <stream>',
      'events of one stream (run/<id>); with a slash at the end (run/), of all streams that start with it',
    )
    .option('--since <time>', 'recorded at or after: epoch milliseconds or RFC 3339', instant)
    .option('--until <time>', 'recorded at or before', instant)
    .option('--limit <n>', 'maximum number of events (default: all)', wholeNumber(1))
    .option('--json', 'print one JSON object per line, as in the API')
    .addHelpText(
      'after',
      '\nEach line, separated by tabs: time, number, type, stream, actor, data. Exit code 0: done; 1: the store is damaged; 2: the events could not be read, or only in part.',
    )
    .action(({ dataDir, databaseUrl, limit = Number.POSITIVE_INFINITY, json = false, ...filters }: Given) =>
      exitWith(() => {
        const store = namedStore({ dataDir, databaseUrl }, process.env)
        return onStore(store, () => print(store, filters, { limit, format: json ? JSON.stringify : eventLine }))
      }),
    )

type PrintOptions = { readonly limit: number; readonly format: (event: AuditEvent) => string }

const print = async (store: NamedStore, filters: AuditFilters, { limit, format }: PrintOptions): Promise<number> => {
  const reader = await openStoreReader(store)
  try {
    await pipeline(Readable.from(lines(reader, filters, limit, format)), process.stdout, { end: false })
  } catch (error) {
    // The program that receives the output closed the pipe, as `head` does.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  } finally {
    await reader.close()
  }
  return 0
}

const PAGE_SIZE = 200

/** Pages form one consistent list while a server writes, because records before a cursor do not change. */
const lines = async function* (
  reader: Reader,
  filters: AuditFilters,
  limit: number,
  format: PrintOptions['format'],
): AsyncGenerator<string> {
  let remaining = limit
  const read = (cursor: string | undefined) =>
    listAudit(reader, CLI, filters, { limit: Math.min(PAGE_SIZE, remaining), cursor })
  for await (const { events } of listPages(read)) {
    if (events.length > 0) yield events.map((event) => `${format(event)}\n`).join('')
    remaining -= events.length
    if (remaining <= 0) return
  }
}

/** Formats an event as a line. Erased data is marked. The actor is shown by label, else by id, else by kind. */
export const eventLine = ({ recorded_at, seq, type, stream, actor, data }: AuditEvent): string => {
  const who = actor?.label ?? actor?.user_id ?? actor?.credential_id ?? actor?.kind
  return [recorded_at, String(seq), type, stream ?? '-', who ?? '-', data === null ? '(erased)' : JSON.stringify(data)]
    .map(escapeControls)
    .join('\t')
}

// Labels are free text: they must not break the line or control the terminal.
const escapeControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
