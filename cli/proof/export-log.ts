import { counted } from '../../domain/plain/counted.ts'
import { Command } from 'commander'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { namedStore, onStore, withStore, type StoreSelection, type NamedStore } from '../store/store-options.ts'
import { openStoreReader } from '../store/store-reader.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { exportLog } from './static-log.ts'

type Options = StoreSelection & { readonly bodies?: boolean }

/** `ers log export`. */
export const exportLogCommand = (): Command =>
  withStore(
    withUsageExit(new Command('export'))
      .description(
        'write the newest checkpoint with its tiles and entries as files, for auditors; servers may keep using the store',
      )
      .argument('<folder>', 'a folder; if it has an earlier export, only what is missing is written')
      .option('--bodies', 'also write the bodies of all records: they name people, runs and addresses'),
  )
    .addHelpText(
      'after',
      '\nThe files have the layout of c2sp.org/tlog-tiles, and any file server can serve them. Types and times of all records are in the entries.',
    )
    .action((folder: string, { bodies = false, ...given }: Options) =>
      exitWith(() => {
        const store = namedStore(given, process.env)
        return onStore(store, () => untilStopped(({ signal }) => write(store, folder, bodies, signal)))
      }),
    )

const write = async (store: NamedStore, folder: string, bodies: boolean, signal: AbortSignal): Promise<number> => {
  const reader = await openStoreReader(store)
  try {
    const { size, root, files } = await exportLog(reader, folder, { bodies, signal })
    await writeStdout(
      `exported ${counted(size, 'record')}, ${counted(files, 'file')} written, checkpoint ${size}:${root}\n`,
    )
    return 0
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error
    throw new UserError(`${folder} cannot be written: ${(error as Error).message}`, { cause: error })
  } finally {
    await reader.close()
  }
}
