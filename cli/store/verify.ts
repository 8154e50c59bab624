import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import type { Trust } from '../../domain/proof/check.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import type { ProofCode } from '../../domain/proof/failed.ts'
import { parseVkey } from '../../domain/proof/keys.ts'
import type { Vkey } from '../../domain/proof/keys.ts'
import { parsePolicy } from '../../domain/proof/policy.ts'
import type { Policy } from '../../domain/proof/policy.ts'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { NoAnchor, readAnchors } from '../../maintenance/verify/anchors.ts'
import type { Anchor } from '../../maintenance/verify/anchors.ts'
import type { Finding } from '../../maintenance/verify/finding.ts'
import { GuardUnreadable, readGuard } from '../../maintenance/verify/guard.ts'
import { NOTHING, verifyDatabase, verifyLog } from '../../maintenance/verify/log.ts'
import type { Verified, VerifyOptions } from '../../maintenance/verify/log.ts'
import { compareTables } from '../../maintenance/verify/read-tables-sqlite.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { headFileOf, HeadFileUnreadable, readHeadFile } from '../../storage/sqlite/head-file.ts'
import { namedStore, withDatabase, withStore } from './store-options.ts'
import type { GivenStore } from './store-options.ts'

/** The exit code for each kind of finding, for scripts. */
const EXIT_CODES: Record<Finding['kind'], number> = {
  altered: 10,
  rolled_back: 11,
  missing: 12,
  differs: 13,
  signature: 14,
  policy: 15,
  unreadable: 20,
}

type Options = GivenStore & {
  readonly against: readonly string[]
  readonly key: readonly string[]
  readonly policy?: string
  readonly deep?: boolean
  readonly json?: boolean
}

const collect = (value: string, earlier: readonly string[]): string[] => [...earlier, value]

export const verifyCommand = (): Command =>
  withStore(new Command('verify'))
    .option(
      '--against <anchor>',
      'what was noted elsewhere: SIZE:ROOT (hex) as the server logs it, a file of checkpoints, a folder of "ers monitor", or a receipt. Detects a rollback or rewrite since then; may be repeated',
      collect,
      [],
    )
    .option(
      '--key <vkey>',
      'verifier key of the log, or a file of them: checks who signed; may be repeated',
      collect,
      [],
    )
    .option('--policy <file>', 'witness policy: checks cosignatures, and that witnesses meet it')
    .option(
      '--deep',
      'also compare every read table with a replay of the log. A directory is replayed in a temporary folder (TMPDIR), and its file is checked too; a database uses temporary tables',
    )
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 in order, 10 altered, 11 rolled back or rewritten, compared with --against, the head file, the signing guard or a checkpoint, 12 something is missing, ' +
        '13 the nodes of the tree or the read tables (--deep) differ from the log, 14 a signature is wrong or by no known key, 15 the witness policy is not met, 20 unreadable.',
    )
    .action(async ({ against, key, policy, deep = false, json = false, ...given }: Options) => {
      const store = namedStore(given, process.env)
      const trust = key.length === 0 && policy === undefined ? null : await readTrust(key, policy ?? null)
      const anchors = await readAll(against, trust)
      const { finding, size, root, documents, checkpoints, erased, notes } =
        'finding' in anchors
          ? anchors
          : await (store.kind === 'sqlite'
              ? verifyDirectory(store.dataDir, anchors.anchors, deep ? checkDeep : undefined, optionsOf(trust))
              : withDatabase(store, () =>
                  verifyDatabase(store.url, anchors.anchors, deep ? checkDatabaseDeep : undefined, optionsOf(trust)),
                ))
      for (const note of [...anchors.notes, ...notes.filter((note) => !anchors.notes.includes(note))])
        console.error(note)
      if (finding) {
        console.error(`${finding.kind.replace('_', ' ')}: ${finding.message}`)
        process.exitCode = EXIT_CODES[finding.kind]
      }
      if (json)
        console.log(
          JSON.stringify({
            ok: finding === null,
            finding: finding && { ...finding, code: EXIT_CODES[finding.kind] },
            size,
            root,
            documents,
            checkpoints,
            erased,
            anchors: 'finding' in anchors ? 0 : anchors.anchors.length,
          }),
        )
      else if (finding === null)
        console.log(
          `ok: ${size} records, ${documents} documents${checkpoints === 0 ? '' : `, ${checkpoints} checkpoints`}${erased === 0 ? '' : `, ${erased} erased`}${deep ? ', read tables as replayed' : ''}, head ${size}:${root}`,
        )
    })

const optionsOf = (trust: Trust | null): VerifyOptions => (trust ? { trust } : {})

/** Reads the keys and the policy of the options. Throws `UserError`. */
const readTrust = async (keys: readonly string[], policy: string | null): Promise<Trust> => {
  const vkeys: Vkey[] = []
  for (const given of keys) vkeys.push(...(await readKeys(given)))
  return { keys: vkeys, policy: policy === null ? null : await readPolicy(policy) }
}

const readKeys = async (given: string): Promise<Vkey[]> => {
  const lines = statSync(given, { throwIfNoEntry: false })?.isFile()
    ? readFileSync(given, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [given]
  return Promise.all(lines.map((line) => orUserError('--key', () => parseVkey(line, nodeCrypto))))
}

const readPolicy = (file: string): Promise<Policy> =>
  orUserError('--policy', async () => parsePolicy(readFileSync(file), nodeCrypto))

const orUserError = async <T>(option: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new UserError(`${option}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** The kind of finding for each code of a proof that is refused. */
const KINDS: Record<ProofCode, Finding['kind']> = { 10: 'altered', 14: 'signature', 15: 'policy', 20: 'unreadable' }

/** Reads all anchors. A note that cannot be trusted or read is a finding. */
const readAll = async (
  against: readonly string[],
  trust: Trust | null,
): Promise<{ readonly anchors: readonly Anchor[]; readonly notes: readonly string[] } | Verified> => {
  const anchors: Anchor[] = []
  const notes: string[] = []
  for (const given of against)
    try {
      const read = await readAnchors(given, trust, nodeCrypto)
      anchors.push(...read.anchors)
      notes.push(...read.notes)
      if (!read.isSigned && read.anchors.some(({ by }) => by !== undefined))
        notes.push(`the signatures of ${given} were not checked: name the keys with --key or --policy`)
    } catch (error) {
      if (error instanceof NoAnchor) throw new UserError(error.message, { cause: error })
      if (!(error instanceof ProofFailed)) throw error
      return { ...NOTHING, finding: { kind: KINDS[error.code], message: `--against: ${error.message}` }, notes }
    }
  return { anchors, notes }
}

/** Verifies a store, its head file, its signing guard, and what was noted elsewhere. */
export const verifyDirectory = async (
  dataDir: string,
  against: Anchor | readonly Anchor[] | null,
  checkDeep?: (snapshot: Connection) => Finding | null,
  options?: VerifyOptions,
): Promise<Verified> => {
  const file = join(dataDir, 'service.db')
  const found = (kind: Finding['kind'], message: string): Verified => ({ ...NOTHING, finding: { kind, message } })
  const noted: Anchor[] = []
  try {
    // Read before the snapshot of the log: otherwise a concurrent server could note a head that the snapshot lacks.
    const head = readHeadFile(headFileOf(file))
    if (head) noted.push({ ...head, by: headFileOf(file) })
    const guard = readGuard(file)
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
  return verifyLog(file, [...noted, ...[against ?? []].flat()], checkDeep, options)
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
