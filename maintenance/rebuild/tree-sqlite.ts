import { runSync } from '../../storage/commit/steps.ts'
import type { SqliteWriter } from '../../storage/sqlite/storage.ts'
import type { TreeStore } from './tree.ts'

/** The store of an open writer. Each transaction checks the holder of the state directory, as a commit does. */
export const treeInFile = ({ connection, read, exclusively }: SqliteWriter): TreeStore => {
  const transact: TreeStore['transact'] = async (work) => exclusively(() => runSync(work(), connection))
  return { read: async (query) => read(query), transact, exclusively: transact }
}
