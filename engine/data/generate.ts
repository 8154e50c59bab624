import { HarnessError, UsageError } from '../json.ts'
import { ProgramFailure, type Programs } from '../processes/program.ts'
import { programEnvironment } from '../processes/run-program.ts'
import { redactor, type Redactor } from '../providers/redactor.ts'
import { secretPassed } from '../providers/secret-names.ts'
import type { TestSource } from '../suite/suite.ts'

export type GeneratorSource = Extract<TestSource, { kind: 'generator' }>

export type GeneratorWorld = {
  readonly directory: string
  readonly programs: Programs
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly redact: Redactor
}

/** What a fault of a program says about its output: the suite is at fault, not its surroundings. */
const OUTPUT_FAULTS: ReadonlySet<ProgramFailure['reason']> = new Set(['too_large', 'not_utf8'])

/** Names a generator in messages. */
export const generatorName = ({ command }: GeneratorSource): string => `generator ${command.join(' ')}`

/** Replaces the secrets that a generator gets. */
export const generatorRedactor = ({ pass_env }: GeneratorSource, env: GeneratorWorld['env']): Redactor =>
  redactor(
    new Map(
      secretPassed(pass_env ?? []).flatMap((name) => {
        const value = env[name]
        return value === undefined ? [] : [[name, value] as const]
      }),
    ),
  )

/**
 * Runs a generator of tests and returns what it printed, without secrets. Throws `HarnessError` if the program does not
 * start, fails or takes too long, `UsageError` if its output cannot be text of JSON, and the reason of the signal if the
 * command is interrupted.
 */
export const generate = async (
  source: GeneratorSource,
  { directory, programs, env, signal, redact }: GeneratorWorld,
): Promise<string> => {
  const request = { service: { protocol: 1, kind: 'generate_tests' }, config: source.config }
  try {
    const { stdout } = await programs.run(
      {
        command: source.command,
        directory,
        env: programEnvironment({ passed: source.pass_env }, env),
        stdin: JSON.stringify(request),
        timeoutMs: source.timeout_ms,
      },
      signal,
    )
    return redact.text(stdout)
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error
    signal.throwIfAborted()
    const message = `${generatorName(source)}: ${redact.text(error.message)}`
    throw OUTPUT_FAULTS.has(error.reason)
      ? new UsageError(message, { cause: error })
      : new HarnessError(message, { cause: error })
  }
}
