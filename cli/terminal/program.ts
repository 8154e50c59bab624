import { Command } from 'commander'
import { UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { VERSION } from '../version.ts'

/** The command `ers`, without its commands. */
export const ersProgram = (): Command =>
  withUsageExit(new Command('ers'))
    .description('Evaluation Results: the service and its command line')
    .version(VERSION)
    .showHelpAfterError('ers --help lists the commands')

/** Runs what the arguments of the process say. An error becomes a line on stderr, and the exit code 2 if the user can fix it. */
export const runArguments = async (program: Command): Promise<void> => {
  try {
    await program.parseAsync()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = error instanceof UserError ? 2 : 1
  }
}
