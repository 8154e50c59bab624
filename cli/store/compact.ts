import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { mebibytes, refuseTooLarge, withReason } from '../../maintenance/backup/backup.ts'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { FileInUse, freePages, giveBackPages, writeAgain, type FreePages } from '../../storage/sqlite/compact.ts'
import { takeStateDirectory } from '../../storage/sqlite/instance-lock.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { namedStore, withStore, type StoreSelection } from './store-options.ts'

/** The exit code where free pages stay that only `--full` gives back. */
const EXIT_NEEDS_FULL = 1
const DEFAULT_SECONDS = 60

type Options = StoreSelection & { readonly seconds: number; readonly full?: boolean }

export const compactCommand = (): Command =>
  withStore(withUsageExit(new Command('compact')))
    .option('--seconds <n>', 'stop after this time; the next one goes on', wholeNumber(1, 86_400), DEFAULT_SECONDS)
    .option(
      '--full',
      'write the files again, with no server on the state directory; needed once for files of earlier versions, and makes steps possible',
    )
    .addHelpText(
      'after',
      '\nDeleted rows leave free pages in the files, which later rows use again. Without --full a server may use the state directory meanwhile. ' +
        'PostgreSQL gives space back by itself: its commands are printed, and nothing is done.\n\nExit code 0: done, or stopped after --seconds; 1: free pages stay, which need --full; 2: it could not start, or had to stop; 130: interrupted.',
    )
    .action((given: Options) =>
      exitWith(() =>
        untilStopped(({ signal }) =>
          compact(given, signal).catch((error: unknown) => {
            throw asUserError(error)
          }),
        ),
      ),
    )

const compact = async (given: Options, signal: AbortSignal): Promise<number> => {
  const store = namedStore(given, process.env)
  if (store.kind === 'postgres') {
    console.log(FOR_DATABASES)
    throw new UserError('nothing was done: PostgreSQL gives space back by itself, and by the commands that are printed')
  }
  if (!existsSync(store.file)) throw new UserError(noStoreIn(store.dataDir))
  const files = [store.file, join(store.dataDir, 'cache.db')].filter((file) => existsSync(file))
  return given.full === true ? fully(store.dataDir, files) : inSteps(files, given.seconds, signal)
}

const inSteps = async (files: readonly string[], seconds: number, signal: AbortSignal): Promise<number> => {
  const end = performance.now() + seconds * 1000
  let code = 0
  for (const file of files) {
    const before = freePages(file)
    if (before.free === 0) console.log(`${file}: ${mebibytes(before.bytes)}, no free pages`)
    else if (before.canGiveBack) {
      const after = await giveBackPages(file, { isOver: () => performance.now() > end, signal })
      console.log(`${file}: ${changeText(before, after)}`)
    } else {
      code = EXIT_NEEDS_FULL
      console.log(
        `${file}: ${mebibytes(before.free)} of ${mebibytes(before.bytes)} are free pages, which this file cannot give back in steps. ` +
          `Stop the server and run "ers compact --full": it writes the file again, needs ${mebibytes(before.bytes - before.free)} on its disk, ` +
          'and makes it possible from then on. Without that, later rows use these pages',
      )
    }
  }
  return code
}

const fully = (dataDir: string, files: readonly string[]): Promise<number> => {
  const release = takeStateDirectory(dataDir, Date.now)
  return withReason(dataDir, async () => {
    for (const file of files) {
      const before = freePages(file)
      refuseTooLarge(dataDir, before.bytes - before.free)
      console.log(`${file}: ${changeText(before, writeAgain(file))}`)
    }
    return 0
  })
    .catch((error: unknown) => {
      throw error instanceof FileInUse ? new UserError(`${error.message}: end it first`, { cause: error }) : error
    })
    .finally(release)
}

const changeText = (before: FreePages, after: FreePages): string =>
  `${mebibytes(before.bytes)} before, ${mebibytes(after.bytes)} now, ${after.free === 0 ? 'no free pages' : `${mebibytes(after.free)} of it free pages`}`

const FOR_DATABASES = `-- autovacuum makes the space of deleted rows free for later rows, and cuts free pages at the end of a table off
VACUUM (VERBOSE) document_frames;
-- to give all of it back, in a pause of the service: each table is locked while it is written again, and needs its size on the disk
VACUUM (FULL, VERBOSE) document_frames;
VACUUM (FULL, VERBOSE) cache_bodies;
-- pg_repack does the same without a pause`
