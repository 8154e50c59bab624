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

/** Exit codes: what a script needs to tell apart. */
const EXIT: Record<Finding['kind'], number> = { altered: 10, rolled_back: 11, missing: 12, differs: 13, unreadable: 20 }

type Given = GivenStore & { readonly against?: Anchor; readonly deep?: boolean }

export const verifyCommand = (): Command =>
  withStore(new Command('verify'))
    .description('check the whole log of a state directory or a database against itself; works while servers use it')
    .option(
      '--against <size:root>',
      'a size and root (hex) noted earlier, as the server logs them: was history rolled back or rewritten since?',
      parseAnchor,
    )
    .option(
      '--deep',
      'then compare every read table with a replay of the log: of a directory in a temporary folder (TMPDIR), whose file is checked too, of a database in temporary tables',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 in order, 10 altered, 11 rolled back or rewritten against SIZE:ROOT or the head file, 12 something is missing, ' +
        '13 the read tables are not what the log gives (--deep), 20 unreadable.',
    )
    .action(async ({ against, deep = false, ...given }: Given) => {
      const store = namedStore(given, process.env)
      const { finding, size, root, documents, notes } = await (store.kind === 'sqlite'
        ? verifyDirectory(store.dataDir, against ?? null, deep ? deeper : undefined)
        : withDatabase(store, () => verifyDatabase(store.url, against ?? null, deep ? deeperInDatabase : undefined)))
      for (const note of notes) console.error(note)
      if (finding) {
        console.error(`${finding.kind.replace('_', ' ')}: ${finding.message}`)
        process.exitCode = EXIT[finding.kind]
        return
      }
      console.log(
        `ok: ${size} records, ${documents} documents${deep ? ', read tables as replayed' : ''}, head ${size}:${root}`,
      )
    })

/** Checks a store against itself, the head file beside it, and a head noted elsewhere. */
export const verifyDirectory = async (
  dataDir: string,
  against: Anchor | null,
  deeper?: (snapshot: Connection) => Finding | null,
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
    // Before the snapshot of the log: a server that writes meanwhile must not seem to have lost what it just noted.
    noted = readHeadFile(headFileOf(file))
  } catch (error) {
    if (!(error instanceof HeadFileUnreadable)) throw error
    return found('unreadable', error.message)
  }
  const bytes = statSync(file, { throwIfNoEntry: false })?.size
  if (!bytes && noted)
    return found(
      'missing',
      `${file} is ${bytes === undefined ? 'not there' : 'empty'}, yet ${headFileOf(file)} tells of ${noted.size} records`,
    )
  if (bytes === undefined) return found('unreadable', noStoreIn(dataDir))
  return verifyLog(
    file,
    [...(noted ? [{ ...noted, by: headFileOf(file) }] : []), ...(against ? [against] : [])],
    deeper,
  )
}

/** The file as SQLite sees it, indexes against tables, then the read tables against the log. */
const deeper = (snapshot: Connection): Finding | null => {
  console.error('checking the file')
  const [state] = snapshot.database.pragma('integrity_check(1)') as Array<{ integrity_check: string }>
  if (state?.integrity_check !== 'ok')
    return { kind: 'unreadable', message: `the file is damaged: ${state?.integrity_check ?? 'nothing can be told'}` }
  const message = compareTables(snapshot, telling())
  return message === null ? null : { kind: 'differs', message }
}

/** The read tables of a database against the log. */
const deeperInDatabase = async (snapshot: PostgresConnection): Promise<Finding | null> => {
  const { compareDatabase } = await import('../../maintenance/verify/read-tables-postgres.ts')
  const message = await compareDatabase(snapshot, telling())
  return message === null ? null : { kind: 'differs', message }
}

const telling = () => ({
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
