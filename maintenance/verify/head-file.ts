import { statSync } from 'node:fs'
import { headFileOf, readHeadFile, shortfall } from '../../storage/sqlite/head-file.ts'
import type { HeadNote } from '../../storage/sqlite/head-file.ts'
import { findHead } from '../../storage/log/head.ts'
import { emptyFrontier, rootOf } from '../../storage/log/merkle.ts'
import { connect } from '../../storage/sqlite/connection.ts'

/** The log is not the one that the head file tells of. */
export class LogBehindHeadFile extends Error {
  override readonly name = 'LogFallsShort'
}

/**
 * Compares the log with the head file beside it, without a write to the store. Throws `LogBehindHeadFile` when records are
 * missing or others stand in their place, `HeadFileUnreadable` when the file tells nothing.
 */
export const checkHeadFile = (file: string): void => {
  const headFile = headFileOf(file)
  const noted = readHeadFile(headFile)
  const short = noted && shortfall(headIn(file), noted)
  if (!short) return
  throw new LogBehindHeadFile(
    `${file} falls short of ${headFile}: ${short}. Its write-ahead log (${file}-wal) may have been lost, the file emptied or deleted, or an older copy put back. ` +
      `Bring back the files that belong together before anything else is started here. When an older backup was put back on purpose, remove ${headFile} and start again`,
  )
}

/** Where the log of a file stands; one without tables, or that is not there, holds none. */
const headIn = (file: string): HeadNote => {
  if (!statSync(file, { throwIfNoEntry: false })?.size)
    return { size: 0, root: rootOf(emptyFrontier()).toString('hex') }
  const connection = connect(file, { readonly: true })
  try {
    const isMade =
      connection.database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log_head'").get() !== undefined
    const { size, root } = isMade ? connection.read(findHead) : { size: 0, root: rootOf(emptyFrontier()) }
    return { size, root: root.toString('hex') }
  } finally {
    connection.close()
  }
}
