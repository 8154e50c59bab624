import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { throttled } from '../../maintenance/throttled.ts'
import type { Finding } from '../../maintenance/verify/finding.ts'
import { verifyDatabase, verifyLog } from '../../maintenance/verify/log.ts'
import type { Anchor, Verified } from '../../maintenance/verify/log.ts'
import { compareTables } from '../../maintenance/verify/read-tables-sqlite.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { headFileOf, HeadFileUnreadable, readHeadFile } from '../../storage/sqlite/head-file.ts'
import type { HeadNote } from '../../storage/sqlite/head-file.ts'
import { namedStore, withDatabase, withStore } from './store-options.ts'
import type { GivenStore } from './store-options.ts'

/** The exit code for each kind of finding, for scripts. */
const EXIT_CODES: Record<Finding['kind'], number> = {
  altered: 10,
  rolled_back: 11,
  missing: 12,
  differs: 13,
  unreadable: 20,
}

type Options = GivenStore & { readonly against?: Anchor; readonly deep?: boolean }

export const verifyCommand = (): Command =>
  withStore(new Command('verify'))
    .option(
      '--against <size:root>',
      'a size and root (hex) noted earlier, as the server logs them: detects a rollback or rewrite since then',
      parseAnchor,
    )
    .option(
      '--deep',
      'also compare every read table with a replay of the log. A directory is replayed in a temporary folder (TMPDIR), and its file is checked too; a database uses temporary tables',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 in order, 10 altered, 11 rolled back or rewritten, compared with SIZE:ROOT or the head file, 12 something is missing, ' +
        '13 the read tables differ from the log (--deep), 20 unreadable.',
    )
    .action(async ({ against, deep = false, ...given }: Options) => {
      const store = namedStore(given, process.env)
      const { finding, size, root, documents, notes } = await (store.kind === 'sqlite'
        ? verifyDirectory(store.dataDir, against ?? null, deep ? checkDeep : undefined)
        : withDatabase(store, () => verifyDatabase(store.url, against ?? null, deep ? checkDatabaseDeep : undefined)))
      for (const note of notes) console.error(note)
      if (finding) {
        console.error(`${finding.kind.replace('_', ' ')}: ${finding.message}`)
        process.exitCode = EXIT_CODES[finding.kind]
        return
      }
      console.log(
        `ok: ${size} records, ${documents} documents${deep ? ', read tables as replayed' : ''}, head ${size}:${root}`,
      )
    })

/** Verifies a store, its head file, and a head noted elsewhere. */
export const verifyDirectory = async (
  dataDir: string,
  against: Anchor | null,
  checkDeep?: (snapshot: Connection) => Finding | null,
): Promise<Verified> => {
  const file = join(dataDir, 'service.db')
  const found = (kind: Finding['kind'], message: string): Verified => ({
    finding: { kind, message },
    size: 0,
    root: '',
    documents: 0,
    notes: [],
  })
  let noted: HeadNote | null
  try {
    // Read before the snapshot of the log: otherwise a concurrent server could note a head that the snapshot lacks.
    noted = readHeadFile(headFileOf(file))
  } catch (error) {
    if (!(error instanceof HeadFileUnreadable)) throw error
    return found('unreadable', error.message)
  }
  const bytes = statSync(file, { throwIfNoEntry: false })?.size
  if (!bytes && noted)
    return found(
      'missing',
      `${file} is ${bytes === undefined ? 'missing' : 'empty'}, but ${headFileOf(file)} notes ${noted.size} records`,
    )
  if (bytes === undefined) return found('unreadable', noStoreIn(dataDir))
  return verifyLog(
    file,
    [...(noted ? [{ ...noted, by: headFileOf(file) }] : []), ...(against ? [against] : [])],
    checkDeep,
  )
}

/** Checks the file with SQLite, indexes included, then compares the read tables with the log. */
const checkDeep = (snapshot: Connection): Finding | null => {
  console.error('checking the file')
  const [state] = snapshot.database.pragma('integrity_check(1)') as Array<{ integrity_check: string }>
  if (state?.integrity_check !== 'ok')
    return { kind: 'unreadable', message: `the file is damaged: ${state?.integrity_check ?? 'no details'}` }
  const message = compareTables(snapshot, reporters())
  return message === null ? null : { kind: 'differs', message }
}

/** Compares the read tables of a database with the log. */
const checkDatabaseDeep = async (snapshot: PostgresConnection): Promise<Finding | null> => {
  const { compareDatabase } = await import('../../maintenance/verify/read-tables-postgres.ts')
  const message = await compareDatabase(snapshot, reporters())
  return message === null ? null : { kind: 'differs', message }
}

const reporters = () => ({
  progress: throttled(
    () => performance.now(),
    ({ position, size }) => console.error(`replayed ${position} of ${size} records`),
  ),
  comparing: (table: string) => console.error(`comparing ${table}`),
})

const parseAnchor = (text: string): Anchor => {
  const parts = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text)
  if (parts?.[1] === undefined || parts[2] === undefined)
    throw new Error('--against takes SIZE:ROOT, a number and 64 hex digits')
  return { size: Number(parts[1]), root: parts[2].toLowerCase() }
}
