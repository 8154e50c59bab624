import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import type { Trust } from '../../domain/proof/check.ts'
import { ProofFailed, type ProofCode } from '../../domain/proof/failed.ts'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { NoAnchor, readAnchors, type Anchor } from '../../maintenance/verify/anchors.ts'
import type { Finding } from '../../maintenance/verify/finding.ts'
import { findingInKept, GuardUnreadable, readGuard } from '../../maintenance/verify/guard.ts'
import { PART_CHECKS, type PartCheck } from '../../maintenance/verify/parts.ts'
import {
  NOTHING,
  verifyDatabase,
  verifyLog,
  type Deeper,
  type Verified,
  type VerifyOptions,
} from '../../maintenance/verify/log.ts'
import { compareTables } from '../../maintenance/verify/read-tables-sqlite.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { headFileOf, HeadFileUnreadable, readHeadFile } from '../../storage/sqlite/head-file.ts'
import { readTrust, trustOptions, type TrustSelection } from '../proof/trust.ts'
import { openNamedBucket } from './named-bucket.ts'
import { namedStore, onStore, withStore, type StoreSelection } from './store-options.ts'
import { repeated } from '../terminal/option-values.ts'

/** The exit code for each kind of finding, for scripts. */
export const EXIT_CODES: Record<Finding['kind'], number> = {
  altered: 10,
  rolled_back: 11,
  missing: 12,
  differs: 13,
  signature: 14,
  policy: 15,
  unreadable: 20,
}

type Options = StoreSelection &
  TrustSelection & {
    readonly against: readonly string[]
    readonly deep?: boolean
    readonly json?: boolean
    readonly parts: PartCheck
  }

export const verifyCommand = (): Command => {
  const command = withUsageExit(withStore(new Command('verify'))).option(
    '--against <anchor>',
    'what was noted elsewhere: SIZE:ROOT (hex) as the server logs it, a file of checkpoints, a folder of "ers monitor", or a receipt. Detects a rollback or rewrite since then; may be repeated',
    repeated,
    [],
  )
  for (const option of trustOptions()) command.addOption(option)
  return command
    .option(
      '--deep',
      'also compare every read table with a replay of the log. A directory is replayed in a temporary folder (TMPDIR), and its file is checked too; a database uses temporary tables',
    )
    .addOption(
      new Option(
        '--parts <which>',
        'the parts of evidence whose content is read: a new sample of 1 %, at least 1000, each time, all, or none. Manifests, and the presence of every part, are always checked',
      )
        .choices(PART_CHECKS)
        .default('sample' satisfies PartCheck),
    )
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      '\nWithout --key and --policy, the signatures of what --against names are not checked, and kept checkpoints are checked with the keys that the log records.' +
        '\n\nExit codes: 0 in order, 10 altered, 11 rolled back or rewritten, compared with --against, the head file, the signing guard or a checkpoint, 12 something is missing, ' +
        '13 the nodes of the tree or the read tables (--deep) differ from the log, 14 a signature is wrong or by no known key, 15 the witness policy is not met, 20 unreadable, or a schema of another version, which was not compared.',
    )
    .action(async ({ against, deep = false, json = false, parts, dataDir, databaseUrl, ...givenTrust }: Options) => {
      const store = namedStore({ dataDir, databaseUrl }, process.env)
      const given = await readAll(against, givenTrust)
      const bucket = await openNamedBucket(process.env)
      const verified =
        'finding' in given
          ? given
          : await onStore(store, () => {
              const { anchors, trust } = given
              return store.kind === 'sqlite'
                ? verifyDirectory(store.dataDir, anchors, deep ? checkDeep : undefined, {
                    ...optionsOf(trust),
                    ...{ parts, bucket },
                  })
                : verifyDatabase(store.url, anchors, deep ? checkDatabaseDeep : undefined, {
                    ...optionsOf(trust),
                    ...{ parts, bucket },
                  })
            })
      const { finding, notes } = verified
      const anchors = 'finding' in given ? [] : given.anchors
      // Messages quote what is in the store and in the files of others, and terminals obey control characters.
      for (const note of 'finding' in given ? notes : [...given.notes, ...notes]) console.error(printableLines(note))
      if (finding) {
        console.error(printableLines(findingText(finding)))
        process.exitCode = EXIT_CODES[finding.kind]
      }
      if (json) console.log(asJson(verified, anchors.length))
      else if (finding === null) console.log(`${asText(verified, deep)}${anchorsText(anchors)}`)
    })
}

/** A finding as a line for people. */
export const findingText = ({ kind, message }: Finding): string =>
  message.startsWith('another history') ? message : `${kind.replace('_', ' ')}: ${message}`

/** One line of JSON. `anchors` is the number of sizes and roots that the log was compared with. */
const asJson = ({ finding, size, root, documents, parts, checkpoints, erased }: Verified, anchors: number): string => {
  // Without a root, nothing is known of the store.
  const isKnown = root !== ''
  return printable(
    JSON.stringify({
      ok: finding === null,
      finding: finding && { ...finding, code: EXIT_CODES[finding.kind] },
      size: isKnown ? size : null,
      root: isKnown ? root : null,
      documents,
      parts,
      checkpoints,
      erased,
      anchors,
    }),
  )
}

const anchorsText = (anchors: readonly Anchor[]): string => {
  if (anchors.length === 0) return ''
  const given = anchors.length === 1 ? 'the 1 checkpoint given' : `the ${anchors.length} checkpoints given`
  const largest = anchors.reduce((most, { size }) => Math.max(most, size), 0)
  return `; continues ${given} (${anchors.length === 1 ? '' : 'up to '}${largest} records)`
}

const asText = ({ size, root, documents, parts, checkpoints, erased }: Verified, deep: boolean): string =>
  [
    `ok: ${size} records`,
    `${documents} documents`,
    ...(parts === 0 ? [] : [`${parts} ${parts === 1 ? 'part' : 'parts'} of evidence`]),
    ...(checkpoints === 0 ? [] : [`${checkpoints} ${checkpoints === 1 ? 'checkpoint' : 'checkpoints'}`]),
    ...(erased === 0 ? [] : [`${erased} erased`]),
    ...(deep ? ['read tables as replayed'] : []),
    `head ${size}:${root}`,
  ].join(', ')

const optionsOf = (trust: Trust | null): VerifyOptions => (trust ? { trust } : {})

const KINDS: Record<ProofCode, Finding['kind']> = { 10: 'altered', 14: 'signature', 15: 'policy', 20: 'unreadable' }

type Given = {
  readonly anchors: readonly Anchor[]
  readonly trust: Trust | null
  readonly notes: readonly string[]
}

/** Reads keys, policy and all anchors. What cannot be trusted or read is a finding. */
const readAll = async (against: readonly string[], given: TrustSelection): Promise<Given | Verified> => {
  const anchors: Anchor[] = []
  const notes: string[] = []
  let option = given.policy === undefined ? '--key' : '--policy or --key'
  try {
    const trust = given.key.length === 0 && given.policy === undefined ? null : await readTrust(given)
    option = '--against'
    for (const source of against) {
      const read = await readAnchors(source, trust, nodeCrypto)
      anchors.push(...read.anchors)
      notes.push(...read.notes)
      if (!read.isSigned && read.anchors.some(({ by }) => by !== undefined))
        notes.push(`the signatures of ${source} were not checked: name the keys with --key or --policy`)
    }
    return { anchors, trust, notes }
  } catch (error) {
    if (error instanceof NoAnchor) throw new UserError(error.message, { cause: error })
    if (!(error instanceof ProofFailed)) throw error
    return { ...NOTHING, finding: { kind: KINDS[error.code], message: `${option}: ${error.message}` }, notes }
  }
}

/** Verifies a store, its head file, its signing guard, and what was noted elsewhere. */
export const verifyDirectory = async (
  dataDir: string,
  against: Anchor | readonly Anchor[] | null,
  checkDeep?: Deeper<Connection>,
  options?: VerifyOptions,
): Promise<Verified> => {
  const file = join(dataDir, 'service.db')
  const found = (kind: Finding['kind'], message: string): Verified => ({ ...NOTHING, finding: { kind, message } })
  const noted: Anchor[] = []
  let guard: Anchor | null
  try {
    // Read before the snapshot of the log: otherwise a concurrent server could note a head that the snapshot lacks.
    const head = readHeadFile(headFileOf(file))
    if (head) noted.push({ ...head, by: headFileOf(file) })
    guard = readGuard(file)
    if (guard) noted.push(guard)
  } catch (error) {
    if (!(error instanceof HeadFileUnreadable || error instanceof GuardUnreadable)) throw error
    return found('unreadable', error.message)
  }
  const bytes = statSync(file, { throwIfNoEntry: false })?.size
  const [first] = noted
  if (!bytes && first)
    return found(
      'missing',
      `${file} is ${bytes === undefined ? 'missing' : 'empty'}, but ${first.by} notes ${first.size} records`,
    )
  if (bytes === undefined) return found('unreadable', noStoreIn(dataDir))
  const verified = await verifyLog(file, [...noted, ...[against ?? []].flat()], checkDeep, options)
  if (verified.finding !== null || guard === null) return verified
  return { ...verified, finding: await findingInKept(file, guard) }
}

/** Checks the file with SQLite, indexes included, then compares the read tables with the log. */
const checkDeep: Deeper<Connection> = async (snapshot, moved) => {
  console.error('checking the file')
  const [state] = snapshot.database.pragma('integrity_check(1)') as Array<{ integrity_check: string }>
  if (state?.integrity_check !== 'ok')
    return { kind: 'unreadable', message: `the file is damaged: ${state?.integrity_check ?? 'no details'}` }
  const message = await compareTables(snapshot, { ...reporters(), moved })
  return message === null ? null : { kind: 'differs', message }
}

const checkDatabaseDeep: Deeper<PostgresConnection> = async (snapshot, moved) => {
  const { compareDatabase } = await import('../../maintenance/verify/read-tables-postgres.ts')
  const message = await compareDatabase(snapshot, { ...reporters(), moved })
  return message === null ? null : { kind: 'differs', message }
}

const reporters = () => ({
  progress: throttled(
    () => performance.now(),
    ({ position, size }) => console.error(`replayed ${position} of ${size} records`),
  ),
  comparing: (table: string) => console.error(`comparing ${table}`),
})
