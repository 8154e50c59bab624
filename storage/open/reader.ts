import { Unavailable } from '../errors.ts'
import { openSqliteReader } from '../sqlite/storage.ts'
import type { Reader } from '../storage.ts'

/**
 * Where the service keeps what it knows: a state directory's file, or a PostgreSQL database. Plain data, since threads
 * are given it.
 */
export type Store =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'postgres'
      readonly url: string
      /** A standby of it that reads may go to; null where there is none. */
      readonly readUrl: string | null
      /** Connections of the main thread; threads have their own few. */
      readonly connections: number
      /** Milliseconds that one statement may take. */
      readonly statementTimeout: number
    }

export type DatabaseStore = Extract<Store, { kind: 'postgres' }>

/** Whether other processes may write to the store too. */
export const isShared = <S extends { readonly kind: Store['kind'] }>(
  store: S,
): store is Extract<S, { kind: 'postgres' }> => store.kind === 'postgres'

export type OpenReader = Reader & { readonly close: () => void | Promise<void> }

type Options = {
  readonly connections?: number
  /** Bounds other than the store's own, in milliseconds: for one statement, and for a connection. */
  readonly statementTimeout?: number
  readonly connectTimeout?: number
  readonly checkRows?: boolean
  /** The log position that every read must see; without it nothing is read from a standby. */
  readonly needed?: () => number
}

/** Opens a store for reading. Throws `Unavailable` when it cannot be reached. */
export const openReader = async (
  store: Store,
  { connections, statementTimeout = Infinity, connectTimeout, checkRows = false, needed }: Options = {},
): Promise<OpenReader> => {
  if (store.kind === 'sqlite') return openSqliteReader(store.file, { checkRows })
  // Loaded where it is used: slonik costs a quarter of a second.
  const { openPostgresReader } = await import('../postgres/storage.ts')
  const { standbyReader } = await import('../postgres/standby-reader.ts')
  const { lazyReader } = await import('../lazy-reader.ts')
  const { url, readUrl } = store
  const pool = {
    connections: connections ?? store.connections,
    statementTimeout: Math.min(statementTimeout, store.statementTimeout),
    checkRows,
    ...(connectTimeout === undefined ? {} : { connectTimeout }),
  }
  const primary = await openPostgresReader({ ...pool, url })
  if (readUrl === null || !needed) return primary
  let made = 0
  const open = () => openPostgresReader({ ...pool, url: readUrl, onConnect: () => made++ })
  try {
    return standbyReader(primary, await open(), needed, () => made)
  } catch (error) {
    // One that is away is looked for again; one that refuses us will go on to.
    if (error instanceof Unavailable) return standbyReader(primary, lazyReader('postgres', open), needed, () => made)
    await primary.close()
    throw error
  }
}
