import { runAsync } from '../../storage/commit/steps.ts'
import { databaseCode } from '../../storage/postgres/errors.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { inTransaction } from '../../storage/postgres/session.ts'
import { BEGIN, TAKE_LOG } from '../../storage/postgres/storage.ts'
import { statement } from '../../storage/sql.ts'
import type { TreeStore } from './tree.ts'

/** The key of the lock that lets one replica fill the nodes of the tree at a time. */
const TREE_LOCK = 0x657273_05

/** How long one wait for the lock takes, before the signal is looked at again. */
const LOCK_TIMEOUT = '1s'
const LOCK_NOT_AVAILABLE = '55P03'

/** The store of a session without any other use. */
export const treeInDatabase = (session: PostgresConnection): TreeStore => ({
  read: session.read,
  transact: (work) => inTransaction(session, BEGIN, () => runAsync(work(), session)),
  exclusively: (work) =>
    inTransaction(session, BEGIN, async () => {
      await session.run(TAKE_LOG)
      await runAsync(work(), session)
    }),
})

/**
 * Waits for the lock of the tree, which the session holds until it is closed. Returns false if the signal comes first.
 */
export const lockTree = async ({ run, control }: PostgresConnection, signal?: AbortSignal): Promise<boolean> => {
  await control(`SET lock_timeout = '${LOCK_TIMEOUT}'`)
  while (!signal?.aborted) {
    try {
      await run(statement`SELECT pg_advisory_lock(${TREE_LOCK})`)
      await control('RESET lock_timeout')
      return true
    } catch (error) {
      if (databaseCode(error) !== LOCK_NOT_AVAILABLE) throw error
    }
  }
  return false
}
