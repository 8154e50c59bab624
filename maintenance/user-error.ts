import type { Command } from 'commander'
import { printableLines } from '../domain/text/printable.ts'

/** An error that the user can fix. Printed as one sentence without a stack; the exit code is 2. */
export class UserError extends Error {
  override readonly name = 'UserError'
}

/** Makes usage errors of a command exit with 2, so that 1 always means "some documents failed". */
export const withUsageExit = (command: Command): Command =>
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

/**
 * Sets the exit code that `work` returns. A `UserError` becomes a line on stderr and exit code 2. Its message may quote what
 * a server answered, so control characters are escaped.
 */
export const exitWith = async (work: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    process.stderr.write(`${printableLines(error.message)}\n`)
    process.exitCode = 2
  }
}
