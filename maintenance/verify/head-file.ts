import { statSync } from 'node:fs'
import { headFileOf, readHeadFile, shortfall, type HeadNote } from '../../storage/sqlite/head-file.ts'
import { findHead } from '../../storage/log/head.ts'
import { emptyFrontier, treeRoot } from '../../storage/log/merkle.ts'
import { connect } from '../../storage/sqlite/connection.ts'

/** The log does not match its head file. */
export class LogBehindHeadFile extends Error {
  override readonly name = 'LogBehindHeadFile'
}

/**
 * Compares the log with its head file, without writing to the store. Throws `LogBehindHeadFile` if records are missing
 * or replaced by others, `HeadFileUnreadable` if the file is unreadable.
 */
export const checkHeadFile = (file: string): void => {
  const headFile = headFileOf(file)
  const noted = readHeadFile(headFile)
  const short = noted && shortfall(headIn(file), noted)
  if (!short) return
  throw new LogBehindHeadFile(
    `${file} is behind ${headFile}: ${short}. Its write-ahead log (${file}-wal) may have been lost, the file emptied or deleted, or an older copy restored. ` +
      `Restore the files that belong together before you start anything here. If you restored an older backup on purpose, remove ${headFile} and start again; where checkpoints were signed since that backup, the start then says which new key it needs`,
  )
}

/** The head of the log in a file. A missing file, or one without tables, has an empty log. */
const headIn = (file: string): HeadNote => {
  if (!statSync(file, { throwIfNoEntry: false })?.size)
    return { size: 0, root: treeRoot(emptyFrontier()).toString('hex') }
  const connection = connect(file, { readonly: true })
  try {
    const hasLog =
      connection.database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log_head'").get() !== undefined
    const { size, root } = hasLog ? connection.read(findHead) : { size: 0, root: treeRoot(emptyFrontier()) }
    return { size, root: root.toString('hex') }
  } finally {
    connection.close()
  }
}
