import { join } from 'node:path'
import { Option, type Command } from 'commander'
import { DEFAULT_DATA_DIR } from '../../maintenance/no-store.ts'
import { UserError } from '../../maintenance/user-error.ts'
import type { DatabaseStore } from '../../storage/open/reader.ts'
import { readAddress, redactedUrl, UnusableAddress } from '../../storage/postgres/address.ts'

/** The options that name a store. */
export type StoreSelection = { readonly dataDir?: string | undefined; readonly databaseUrl?: string | undefined }

export type NamedStore = { readonly kind: 'sqlite'; readonly dataDir: string; readonly file: string } | NamedDatabase

/** `from` names the option or variable that holds the URL. */
export type NamedDatabase = DatabaseStore & { readonly from: string }

type Variables = Readonly<Record<string, string | undefined>>

/** Maximum time of a statement of the command line: no request waits for it. */
const STATEMENT_TIMEOUT_MS = 3_600_000

/** Help text for the state directory. */
export const DATA_DIR_HELP = `state directory (default SERVICE_DATA_DIR, else ${DEFAULT_DATA_DIR}; "npm start" uses ./data)`

/** Adds the two options that name a store. */
export const withStore = (command: Command): Command =>
  command
    .addOption(new Option('--data-dir <folder>', DATA_DIR_HELP).conflicts('databaseUrl'))
    .option(
      '--database-url <url>',
      'PostgreSQL database instead (default SERVICE_DATABASE_URL, if set); a password is safer in the variable than here',
    )

/**
 * Returns the store that options and environment name. An option overrides a variable, and a database overrides a
 * directory. Throws `UserError`.
 */
export const namedStore = ({ dataDir, databaseUrl }: StoreSelection, env: Variables): NamedStore => {
  const url = databaseUrl ?? (dataDir === undefined ? env['SERVICE_DATABASE_URL'] || undefined : undefined)
  if (url !== undefined)
    return namedDatabase(url, databaseUrl === undefined ? 'SERVICE_DATABASE_URL' : '--database-url')
  const folder = dataDir ?? (env['SERVICE_DATA_DIR'] || DEFAULT_DATA_DIR)
  return { kind: 'sqlite', dataDir: folder, file: join(folder, 'service.db') }
}

/** Returns the database that an option or variable names. Throws `UserError` if there is none. */
export const neededDatabase = ({ databaseUrl }: StoreSelection, env: Variables): NamedDatabase => {
  const named = namedStore({ databaseUrl }, env)
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
  return { kind: 'postgres', url, readUrl: null, connections: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS, from }
}

/** The address of a database for output, without its password. */
export const addressOfDatabase = ({ url }: DatabaseStore): string => redactedUrl(url)

/** Runs work on a store. Rethrows a connection error of a database with the option or variable and the address. */
export const onStore = async <T>(store: NamedStore, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (store.kind === 'sqlite' || !isConnectionError(error)) throw error
    throw new UserError(`${store.from} (${redactedUrl(store.url)}): ${reasonText(error)}`, { cause: error })
  }
}

type ErrorLike = {
  readonly code?: unknown
  readonly message?: unknown
  readonly errors?: readonly unknown[]
  readonly cause?: unknown
  readonly name?: unknown
}

// SQLSTATE 28…: access denied; 3D000: no such database; a wrong encoding; an unavailable database.
const isConnectionError = (error: unknown): boolean => {
  for (
    let current = error as ErrorLike | undefined, depth = 0;
    current && depth < 5;
    current = current.cause as ErrorLike | undefined, depth++
  )
    if (
      current.name === 'Unavailable' ||
      current.name === 'WrongEncoding' ||
      (typeof current.code === 'string' && /^(28|3D000)/.test(current.code))
    )
      return true
  return false
}

/** If all addresses of a host name fail, the error has no message of its own, only those of its parts. */
const reasonText = (error: unknown): string => {
  const { message, cause } = error as ErrorLike
  const errors = (cause as ErrorLike | undefined)?.errors
  return errors
    ? errors.map((part) => String((part as ErrorLike).message)).join('; ')
    : String(message).replace(/^the database is unavailable: /, '')
}
