import type { Command } from 'commander'

/** Something the user can mend: told in one plain sentence, without a stack, and exit code 2. */
export class UserError extends Error {
  override readonly name = 'Unusable'
}

/** A command whose usage errors exit with 2, so that 1 keeps meaning "some documents did not make it". */
export const withUsageExit = (command: Command): Command =>
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

/** Sets the exit code that `work` answers; what the user can mend becomes a line on stderr and 2. */
export const exitWith = async (work: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}
