import { join } from 'node:path'
import { Command } from 'commander'
import { counted } from '../../domain/plain/counted.ts'
import { makeBackup, mebibytes } from '../../maintenance/backup/backup.ts'
import { backupBytes } from '../../maintenance/backup/folder.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { VERSION } from '../version.ts'
import { addressOfDatabase, namedStore, withStore, type NamedDatabase, type StoreSelection } from './store-options.ts'

type Options = StoreSelection & { readonly keep?: number; readonly withKey?: boolean; readonly withCache?: boolean }

export const backupCommand = (): Command =>
  withStore(withUsageExit(new Command('backup')))
    .argument('<folder>', 'the folder of backups, outside of the state directory; each backup becomes a folder in it')
    .option('--keep <n>', 'keep the newest backups only, after the new one is whole', wholeNumber(1))
    .option('--with-key', 'also copy the key that signs checkpoints, which is secret')
    .option('--with-cache', 'also copy the shared cache, which can be lost')
    .addHelpText(
      'after',
      '\nA backup is consistent, and an interrupted one leaves nothing that looks whole. Nothing that clients got an answer for before it began is missing. ' +
        'Of a PostgreSQL database nothing is backed up: the commands for that are printed, and the exit code is 2.\n\nExit code 0: done; 2: no backup was made; 130: interrupted.',
    )
    .action((folder: string, given: Options) =>
      exitWith(() => untilStopped(({ signal }) => back(folder, given, signal))),
    )

const back = async (folder: string, given: Options, signal: AbortSignal): Promise<number> => {
  const store = namedStore(given, process.env)
  if (store.kind === 'postgres') {
    console.log(databaseHelp(store, folder))
    throw new UserError('no backup was made: PostgreSQL has tools of its own for that, as printed')
  }
  let inBucket = 0
  const { path, manifest, removed } = await makeBackup({
    dataDir: store.dataDir,
    folder,
    version: VERSION,
    keyFile: given.withKey === true ? keyFileOf(store.dataDir) : null,
    withCache: given.withCache === true,
    keep: given.keep ?? null,
    now: Date.now,
    signal,
    onBucket: (objects) => (inBucket = objects),
  }).catch((error: unknown) => {
    throw asUserError(error)
  })
  console.log(
    `${path}: ${counted(manifest.size, 'record')}, ${mebibytes(backupBytes(manifest))}, head ${manifest.size}:${manifest.root}`,
  )
  for (const name of removed) console.log(`removed ${join(folder, name)}`)
  if (inBucket > 0)
    console.error(
      `${counted(inBucket, 'object')} of large parts or documents ${inBucket === 1 ? 'is' : 'are'} in a bucket and not in this backup: keep the bucket as long as the backup`,
    )
  if (manifest.files['checkpoint-key'] === undefined)
    console.error(
      'the key that signs checkpoints is not in this backup: keep a copy of it elsewhere, or use --with-key',
    )
  return 0
}

/** The file of the key, as the service finds it. Throws `UserError` if a variable holds the key itself. */
const keyFileOf = (dataDir: string): string => {
  if (process.env['SERVICE_CHECKPOINT_KEY'])
    throw new UserError('--with-key: SERVICE_CHECKPOINT_KEY holds the key: keep a copy where that secret is kept')
  return process.env['SERVICE_CHECKPOINT_KEY_FILE'] || join(dataDir, 'checkpoint-key')
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** What to run for a backup of a database. The address has no password. */
const databaseHelp = (database: NamedDatabase, folder: string): string => {
  const address = quoted(addressOfDatabase(database))
  const dump = quoted(join(folder, 'ers.dump'))
  return [
    '# what is written holds password hashes, so it is for its owner only',
    `umask 077 && mkdir -p ${quoted(folder)}`,
    '# a dump, while replicas write; the password is in PGPASSWORD or ~/.pgpass',
    `pg_dump --format=custom --file=${dump} ${address}`,
    '# without the shared cache, which can be lost',
    `pg_dump --exclude-table-data='cache_(entries|bodies|search|facets|totals)' --format=custom --file=${dump} ${address}`,
    '# to lose seconds instead of a day: a base backup, with archive_mode=on on the server',
    `pg_basebackup --pgdata=${quoted(join(folder, 'base'))} --dbname=${address} --checkpoint=spread --wal-method=stream`,
    '# the key that signs checkpoints is not in the database: copy SERVICE_CHECKPOINT_KEY_FILE, or the secret of SERVICE_CHECKPOINT_KEY',
    '# back: an empty database, then a check against a head that the service logged',
    `pg_restore --no-owner --exit-on-error --dbname=NEW_DATABASE_URL ${dump}`,
    'ers verify --database-url NEW_DATABASE_URL --against SIZE:ROOT',
  ].join('\n')
}
