import { Command } from 'commander'
import { printable } from '../../domain/text/printable.ts'
import { runsDirectory, runStore, type RunStore } from '../../engine/store/run-store.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { serverUrlOptions } from '../client/engine-server.ts'
import { globalOptions, logOf, type GlobalOptions } from '../suite/global-options.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import type { Log } from '../terminal/log.ts'
import { untilStopped } from '../terminal/stop-signals.ts'

/** A command on runs. A usage error ends it with exit code 2. */
export const runsCommandNamed = (name: string): Command => withUsageExit(new Command(name))

/** Adds the options that all commands on runs share, after their own. */
export const withGlobalOptions = (command: Command): Command => {
  for (const option of globalOptions()) command.addOption(option)
  return command
}

/** Like `withGlobalOptions`, with those that name a service. */
export const withServerOptions = (command: Command): Command => {
  for (const option of serverUrlOptions()) command.addOption(option)
  return withGlobalOptions(command)
}

type CommandContext = {
  readonly signal: AbortSignal
  readonly log: Log
  readonly store: RunStore
}

/** Runs a command, and sets the exit code that `work` returns. An interrupt aborts its requests. */
export const runCommand = (options: GlobalOptions, work: (context: CommandContext) => Promise<number>): Promise<void> =>
  exitWithEngine(() =>
    untilStopped(({ signal }) => {
      const log = logOf(options, { stderr: process.stderr, env: process.env, now: Date.now })
      return work({ signal, log, store: localStore(log.warn) })
    }),
  )

/** Prints a line about the work of a command on stderr. */
export const note = (message: string): void => void process.stderr.write(`${printable(message)}\n`)

/** The local store of runs, in the folder of the shell or at SERVICE_RUNS_DIR. */
export const localStore = (warn: (message: string) => void = (message) => note(`warning: ${message}`)): RunStore =>
  runStore({
    directory: runsDirectory(process.env, process.cwd()),
    writer: String(process.pid),
    warn,
  })
