import { Command } from 'commander'
import { copyStore, type CopySource, type CopyTarget } from '../../maintenance/copy/copy-store.ts'
import { DEFAULT_DATA_DIR } from '../../maintenance/no-store.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { openNamedBucket } from './named-bucket.ts'
import { DATA_DIR_HELP, neededDatabase, addressOfDatabase, onStore } from './store-options.ts'

type Options = {
  readonly dataDir?: string
  readonly databaseUrl?: string
  readonly reverse?: boolean
  readonly keepStore?: boolean
}

export const migrateCommand = (): Command =>
  withUsageExit(new Command('migrate'))
    .option('--data-dir <folder>', DATA_DIR_HELP)
    .option('--database-url <url>', 'the database (default SERVICE_DATABASE_URL)')
    .option('--reverse', 'copy the database into a state directory that holds no store')
    .option(
      '--keep-store',
      'large parts and documents that are in a bucket are not copied: the copy uses the same SERVICE_OBJECT_STORE_URL, and the source must not be used any more',
    )
    .addHelpText(
      'after',
      '\nAfter an interruption the same command resumes. The source is not changed. Exit code 0: done; 2: the copy could not start, or had to stop.',
    )
    .action((given: Options) => exitWith(() => migrate(given)))

const migrate = async ({
  dataDir = process.env['SERVICE_DATA_DIR'] || DEFAULT_DATA_DIR,
  databaseUrl,
  reverse = false,
  keepStore = false,
}: Options): Promise<number> => {
  const database = neededDatabase({ databaseUrl }, process.env)
  const { fromDatabase, fromDirectory, intoDatabase, intoDirectory } = await import('../../maintenance/copy/sides.ts')
  const bucket = await openNamedBucket(process.env)
  let head = { size: 0, root: '' }
  const copy = async (source: CopySource, target: CopyTarget): Promise<void> => {
    head = await copyStore(source, target, { progress: reportProgress(), mayShareBucket: keepStore, bucket })
  }
  await onStore(database, () =>
    reverse
      ? fromDatabase(database.url, (source) =>
          intoDirectory(dataDir, Date.now, source, (target) => copy(source, target), bucket),
        )
      : fromDirectory(dataDir, Date.now, (source) =>
          intoDatabase(database.url, Date.now, (target) => copy(source, target), bucket),
        ),
  ).catch((error: unknown) => {
    throw asUserError(error)
  })
  const [from, to] = reverse ? [addressOfDatabase(database), dataDir] : [dataDir, addressOfDatabase(database)]
  console.log(`copied ${from} to ${to}${head.size > 0 ? `: ${head.size} records, head ${head.size}:${head.root}` : ''}`)
  return 0
}

/** Returns a function that reports the progress of each part, at most once a second and when it is complete. */
const reportProgress = (): ((what: string, reached: ReplayPosition) => void) => {
  const parts = new Map<string, (reached: ReplayPosition) => void>()
  return (what, reached) => {
    const report =
      parts.get(what) ??
      throttled(
        () => performance.now(),
        ({ position, size }) =>
          console.error(
            what === 'replay'
              ? `replayed ${position} of ${size} records`
              : `copied ${position} of ${size} ${what.replaceAll('_', ' ')}`,
          ),
      )
    parts.set(what, report)
    report(reached)
  }
}
