import { join } from 'node:path'
import { Option } from 'commander'
import type { Command } from 'commander'
import { DEFAULT_DATA_DIR } from '../../maintenance/no-store.ts'
import { UserError } from '../../maintenance/user-error.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { readAddress, redacted, UnusableAddress } from '../../storage/postgres/address.ts'

/** What a command is told of where its store is. */
export type GivenStore = { readonly dataDir?: string; readonly databaseUrl?: string }

export type NamedStore = { readonly kind: 'sqlite'; readonly dataDir: string; readonly file: string } | NamedDatabase

/** `from` is the option or variable that the URL came from. */
export type NamedDatabase = DatabaseStore & { readonly from: string }

type Variables = Readonly<Record<string, string | undefined>>

/** Time that a statement of the command line may take, in milliseconds: nobody waits behind it. */
const STATEMENT_TIMEOUT = 3_600_000

/** What the help of each command says of the state directory. */
export const DATA_DIR_HELP = `state directory (default SERVICE_DATA_DIR, else ${DEFAULT_DATA_DIR}; "npm start" uses ./data)`

/** The two options that name a store. */
export const withStore = (command: Command): Command =>
  command
    .addOption(new Option('--data-dir <folder>', DATA_DIR_HELP).conflicts('databaseUrl'))
    .option(
      '--database-url <url>',
      'PostgreSQL database instead (default SERVICE_DATABASE_URL, where it is set); a password is better kept in the variable',
    )

/**
 * The store that options and environment name; what is given beats what is set, and a database beats a directory.
 * Throws `UserError`.
 */
export const namedStore = ({ dataDir, databaseUrl }: GivenStore, env: Variables): NamedStore => {
  const url = databaseUrl ?? (dataDir === undefined ? env['SERVICE_DATABASE_URL'] || undefined : undefined)
  if (url !== undefined)
    return namedDatabase(url, databaseUrl === undefined ? 'SERVICE_DATABASE_URL' : '--database-url')
  const folder = dataDir ?? (env['SERVICE_DATA_DIR'] || DEFAULT_DATA_DIR)
  return { kind: 'sqlite', dataDir: folder, file: join(folder, 'service.db') }
}

/** The database of an option or a variable, which a command cannot do without. Throws `UserError`. */
export const neededDatabase = ({ databaseUrl }: GivenStore, env: Variables): NamedDatabase => {
  const named = namedStore(databaseUrl === undefined ? {} : { databaseUrl }, env)
  if (named.kind === 'sqlite') throw new UserError('name the database: --database-url, or SERVICE_DATABASE_URL')
  return named
}

const namedDatabase = (url: string, from: string): NamedDatabase => {
  try {
    readAddress(url)
  } catch (error) {
    if (!(error instanceof UnusableAddress)) throw error
    throw new UserError(`${from} ${error.message}`, { cause: error })
  }
  return { kind: 'postgres', url, readUrl: null, connections: 2, statementTimeout: STATEMENT_TIMEOUT, from }
}

/** Where a database is, for lines that people read: without a password. */
export const addressOfDatabase = ({ url }: DatabaseStore): string => redacted(url)

/** Work on a database. What the connection fails with names the option or variable, and where it leads. */
export const withDatabase = async <T>({ url, from }: NamedDatabase, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!isOfConnection(error)) throw error
    throw new UserError(`${from} (${redacted(url)}): ${messageOf(error)}`, { cause: error })
  }
}

type Told = {
  readonly code?: unknown
  readonly message?: unknown
  readonly errors?: readonly unknown[]
  readonly cause?: unknown
  readonly name?: unknown
}

// 28 not let in, 3D000 no such database, a database that cannot hold every text, and whatever is unavailable.
const isOfConnection = (error: unknown): boolean => {
  for (let at = error as Told | undefined, depth = 0; at && depth < 5; at = at.cause as Told | undefined, depth++)
    if (
      at.name === 'Unavailable' ||
      at.name === 'WrongEncoding' ||
      (typeof at.code === 'string' && /^(28|3D000)/.test(at.code))
    )
      return true
  return false
}

/** Several addresses of one name fail together, without a message of their own. */
const messageOf = (error: unknown): string => {
  const { message, cause } = error as Told
  const several = (cause as Told | undefined)?.errors
  return several
    ? several.map((each) => String((each as Told).message)).join('; ')
    : String(message).replace(/^the database is unavailable: /, '')
}
