import { Command } from 'commander'
import { printable } from '../../domain/text/printable.ts'
import { runsDirectory, runStore } from '../../engine/store/run-store.ts'
import type { RunStore } from '../../engine/store/run-store.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { untilStopped } from '../terminal/stop-signals.ts'

/** A command on stored runs. A usage error ends it with exit code 2. */
export const runsCommandNamed = (name: string): Command => withUsageExit(new Command(name))

/** Runs a command, and sets the exit code that `work` returns. An interrupt aborts its requests. */
export const runCommand = (work: (signal: AbortSignal) => Promise<number>): Promise<void> =>
  exitWithEngine(() => untilStopped(({ signal }) => work(signal)))

/** Prints a line about the work of a command on stderr. */
export const note = (message: string): void => void process.stderr.write(`${printable(message)}\n`)

/** The local store of runs, in the folder of the shell or at SERVICE_RUNS_DIR. */
export const localStore = (): RunStore =>
  runStore({
    directory: runsDirectory(process.env, process.cwd()),
    writer: String(process.pid),
    warn: (message) => note(`warning: ${message}`),
  })

/** Collects the values of an option that may be repeated. */
export const repeated = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value]
