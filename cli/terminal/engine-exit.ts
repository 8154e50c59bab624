import { HarnessError, UsageError } from '../../engine/json.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Exit code: the suite, the arguments or the selection are wrong. */
const EXIT_USAGE = 2
/** Exit code: a fault outside the suite, such as a program that does not start or a file that cannot be written. */
const EXIT_HARNESS = 3

/**
 * Sets the exit code that `work` returns. A `UsageError` or `UserError` becomes a line on stderr and exit code 2, a
 * `HarnessError` a line and exit code 3. Any other error is a bug, and is thrown.
 */
export const exitWithEngine = async (work: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await work()
  } catch (error) {
    const code =
      error instanceof HarnessError
        ? EXIT_HARNESS
        : error instanceof UsageError || error instanceof UserError
          ? EXIT_USAGE
          : null
    if (code === null) throw error
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = code
  }
}
