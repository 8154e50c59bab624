import { Command } from 'commander'
import { counted } from '../../domain/plain/counted.ts'
import { mebibytes } from '../../maintenance/backup/backup.ts'
import { sweepBucketStrays } from '../../maintenance/parts/bucket-strays.ts'
import { sweepStrays, type Strays } from '../../maintenance/parts/strays.ts'
import { exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { PARTS_FOLDER } from '../../storage/objects/file-store.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { namedStore, withStore, type StoreSelection } from '../store/store-options.ts'
import { checkPartsFolder } from '../serve/check-parts-folder.ts'
import { openNamedBucket } from '../store/named-bucket.ts'
import { openStoreReader } from '../store/store-reader.ts'
import { join } from 'node:path'

export const partsCommand = (): Command =>
  withUsageExit(new Command('parts')).addCommand(
    withStore(withUsageExit(new Command('sweep')))
      .description(
        'count the files and the objects of a bucket with large parts that no row of the store names, and remove them',
      )
      .option('--strays', 'remove those that are older than 7 days; without it they are only counted')
      .addHelpText(
        'after',
        '\nA server may use the state directory meanwhile. What runs and uploads left is removed by the server itself, each hour: such files and objects are left only by a database that is older than them, as after a restore. ' +
          'A PostgreSQL database has no such files. The bucket is that of SERVICE_OBJECT_STORE_URL. Of a bucket that two copies of one log use, as a restored backup and the service, --strays removes what only the other copy knows.\n\nExit code 0: done; 2: it could not start, or had to stop; 130: interrupted.',
      )
      .action((given: SweepOptions) => exitWith(() => untilStopped(({ signal }) => sweep(given, signal)))),
  )

type SweepOptions = StoreSelection & { readonly strays?: boolean }

const sweep = async (given: SweepOptions, signal: AbortSignal): Promise<number> => {
  const store = namedStore(given, process.env)
  const isRemoved = given.strays === true
  const how = { now: Date.now(), dry_run: !isRemoved, signal }
  const bucket = await openNamedBucket(process.env)
  let [files, objects]: [Strays, Strays] = [NONE, NONE]
  const reader = store.kind === 'sqlite' || bucket ? await openStoreReader(store) : null
  try {
    if (reader && store.kind === 'sqlite') {
      const folder = join(store.dataDir, PARTS_FOLDER)
      // Of the folder of another log, every file would be a stray.
      await checkPartsFolder(reader, folder)
      files = await sweepStrays({ folder, readNow: reader.read }, how)
    }
    if (reader && bucket) objects = await sweepBucketStrays({ store: bucket, read: reader.read }, how)
  } catch (error) {
    throw asUserError(error)
  } finally {
    await reader?.close()
  }
  if (store.kind === 'sqlite' || !bucket) report('file', files, isRemoved)
  if (bucket) report('object', objects, isRemoved)
  return 0
}

const NONE: Strays = { found: 0, old: 0, bytes: 0 }

const report = (what: string, { found, old, bytes }: Strays, isRemoved: boolean): void => {
  const done = isRemoved ? `removed ${old} of them` : `${old} of them would be removed with --strays`
  console.log(
    `${counted(found, what)} of no part that this store knows` + (found === 0 ? '' : `: ${done}, ${mebibytes(bytes)}`),
  )
}
