import type { OpenService } from '../../runtime/services.ts'
import { openReader } from '../../storage/open/reader.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Config } from './config.ts'

type Primary = { readonly reader: Reader; readonly close: () => Promise<void> }

const CONNECTIONS = 4

/**
 * The reader of the service, or one of the primary if the service reads from a standby: that may lack what was just stored
 * without an event, such as the newest checkpoint.
 */
export const openPrimary = async (
  { database }: Pick<Config, 'database'>,
  { reader }: Pick<OpenService, 'reader'>,
): Promise<Primary> => {
  if (!database?.readUrl) return { reader, close: async () => {} }
  const primary = await openReader({
    kind: 'postgres',
    url: database.url,
    readUrl: null,
    connections: CONNECTIONS,
    statementTimeoutMs: database.statementTimeoutMs,
  })
  return { reader: primary, close: async () => primary.close() }
}
