import { printableLines } from '../../domain/text/printable.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Exit code: the suite, the arguments or the selection are wrong. */
const EXIT_USAGE = 2
/** Exit code: a fault outside the suite, such as a program that does not start or a file that cannot be written. */
const EXIT_HARNESS = 3

type Host = {
  exitCode?: NodeJS.Process['exitCode']
  readonly argv: readonly string[]
  readonly stderr: { readonly write: (text: string) => unknown }
}

/**
 * Sets the exit code that `work` returns. A `UsageError` or `UserError` becomes a line on stderr and exit code 2, a
 * `HarnessError` a line and exit code 3. Any other error is a bug: exit code 3 too, because 1 says that a case failed. With
 * `-v` its stack is printed. A message may quote what a server answered, so control characters are escaped.
 */
export const exitWithEngine = async (work: () => Promise<number>, host: Host = process): Promise<void> => {
  try {
    host.exitCode = await work()
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof UserError
    const isBug = !isUsage && !(error instanceof HarnessError)
    host.stderr.write(`${printableLines(isBug ? bugText(error, host.argv) : (error as Error).message)}\n`)
    host.exitCode = isUsage ? EXIT_USAGE : EXIT_HARNESS
  }
}

const bugText = (error: unknown, argv: readonly string[]): string => {
  if (!(error instanceof Error)) return `internal error: ${String(error)}`
  // Commands without this option refuse it themselves.
  const isVerbose = argv.some((argument) => argument === '--verbose' || /^-v+$/.test(argument))
  return `internal error: ${isVerbose ? (error.stack ?? error.message) : error.message}`
}
