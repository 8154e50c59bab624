import { Unavailable } from '../errors.ts'
import type { S3Settings } from '../objects/s3/settings.ts'
import { lazyReader } from '../lazy-reader.ts'
import { openSqliteReader } from '../sqlite/reader.ts'
import type { Reader } from '../storage.ts'

/**
 * The location of the service's data: the file of a state directory, or a PostgreSQL database. Plain data, because
 * threads receive it.
 */
export type Store =
  | ({ readonly kind: 'sqlite'; readonly file: string } & WithObjects)
  | ({
      readonly kind: 'postgres'
      readonly url: string
      /** A standby for reads; null if there is none. */
      readonly readUrl: string | null
      /** Connections of the main thread; other threads have a few of their own. */
      readonly connections: number
      /** The maximum duration of one statement in milliseconds. */
      readonly statementTimeoutMs: number
    } & WithObjects)

/**
 * The bucket of large parts, and the memory in which the threads of the process share what they know of it. `movesDocuments`: the documents of new runs
 * are moved there.
 */
export type BucketLocation = {
  readonly settings: S3Settings
  readonly health?: SharedArrayBuffer | undefined
  readonly movesDocuments?: boolean
}
type WithObjects = { readonly bucket?: BucketLocation | null | undefined }

export type DatabaseStore = Extract<Store, { kind: 'postgres' }>

/** Whether other processes may write to the store too. */
export const isShared = <S extends { readonly kind: Store['kind'] }>(
  store: S,
): store is Extract<S, { kind: 'postgres' }> => store.kind === 'postgres'

export type OpenReader = Reader & { readonly close: () => void | Promise<void> }

type Options = {
  readonly connections?: number
  /** Limits that differ from the store's, in milliseconds: for one statement, and for connecting. */
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly checkRows?: boolean
  /** The log position that every read must see. Without it, no read uses a standby. */
  readonly neededPosition?: () => number
}

/** Opens a store for reading. Throws `Unavailable` when it cannot be reached. */
export const openReader = async (
  store: Store,
  { connections, statementTimeoutMs = Infinity, connectTimeoutMs, checkRows = false, neededPosition }: Options = {},
): Promise<OpenReader> => {
  if (store.kind === 'sqlite') return openSqliteReader(store.file, { checkRows })
  // Imported on demand: loading slonik takes a quarter of a second.
  const { openPostgresReader, standbyReader } = await import('../postgres/reader.ts')
  const { url, readUrl } = store
  const pool = {
    connections: connections ?? store.connections,
    statementTimeoutMs: Math.min(statementTimeoutMs, store.statementTimeoutMs),
    checkRows,
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  }
  const primary = await openPostgresReader({ ...pool, url })
  if (readUrl === null || !neededPosition) return primary
  let standbyConnections = 0
  const open = () => openPostgresReader({ ...pool, url: readUrl, onConnect: () => standbyConnections++ })
  try {
    return standbyReader(primary, await open(), neededPosition, () => standbyConnections)
  } catch (error) {
    // If the standby is unavailable, a later read tries again. With any other error the start fails.
    if (error instanceof Unavailable)
      return standbyReader(primary, lazyReader('postgres', open), neededPosition, () => standbyConnections)
    await primary.close()
    throw error
  }
}
