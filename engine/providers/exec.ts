import { blake3Digest } from '../cache/canonical.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Ports } from '../ports.ts'
import { programDigest } from '../processes/program-digest.ts'
import { readProgramJson } from '../processes/program-json.ts'
import { ProgramFailure, type Programs } from '../processes/program.ts'
import { programEnvironment } from '../processes/run-program.ts'
import type { ExecProvider, Tool } from '../suite/suite.ts'
import type { PartsFolder } from '../evidence/parts-folder.ts'
import { readExecFiles } from './exec-files.ts'
import { readExecResponse } from './exec-response.ts'
import { ProviderFailure, type CallInput, type PreparedCall, type Provider } from './provider.ts'
import { redactor, type Redactor } from './redactor.ts'
import { secretPassed } from './secret-names.ts'

export type ExecOptions = {
  /** The folder of the suite: programs run in it. */
  readonly directory: string
  readonly env: Ports['env']
  readonly programs: Programs
  /** Gets the files that programs name in their answers. */
  readonly parts: PartsFolder
  /** Of all secrets of the suite: a file may have any that its program was sent. */
  readonly redactor: Redactor
}

/** Replaces what either replaces. */
const bothRedactors = (first: Redactor, second: Redactor): Redactor => ({
  text: (text) => second.text(first.text(text)),
  json: (value) => second.json(first.json(value)),
  bytes: (bytes) => second.bytes(first.bytes(bytes)),
})

/** The envelope of requests to programs (specification, exec protocol 1). */
const envelope = { protocol: 1, kind: 'provider' } as const

/** A provider that is a program: one JSON request on its stdin, one JSON response on its stdout. */
export const createExecProvider = (spec: ExecProvider, options: ExecOptions): Provider => {
  const { directory, env, parts } = options
  const [command = '', ...args] = spec.command
  const environment = programEnvironment({ declared: spec.env, passed: spec.pass_env }, env)
  const envDigest = Object.keys(spec.env).length === 0 ? null : blake3Digest(spec.env)
  const redact = redactor(passedSecrets(spec, env))
  let digest: Promise<string | null> | undefined
  const canonicalOf = (stdin: JsonObject): JsonObject => ({
    transport: 'exec',
    command,
    args,
    stdin,
    ...(envDigest === null ? {} : { env_digest: envDigest }),
  })

  return {
    spec,
    fingerprint: {
      type: 'exec',
      command: spec.command,
      env: envDigest,
      cache_salt: spec.cache_salt ?? null,
    },
    address: null,
    programDigest: () => (digest ??= programDigest(command, directory, environment['PATH'] ?? '')),
    prepare: (input): PreparedCall => {
      const { test } = input
      const stdin = execRequest(input)
      return {
        preview: canonicalOf({ ...stdin, test }),
        canonical: command === '' ? null : canonicalOf(stdin),
        send: async (signal) => {
          try {
            const result = await options.programs.run(
              {
                command: spec.command,
                directory,
                env: environment,
                stdin: JSON.stringify({ ...stdin, test }),
                timeoutMs: spec.timeout_ms,
              },
              signal,
            )
            return readExecResponse(redact.json(readProgramJson(result)), (response) =>
              readExecFiles(response, { directory, parts, redact: bothRedactors(redact, options.redactor) }),
            )
          } catch (error) {
            if (error instanceof ProgramFailure) throw execFailure(error, redact, signal)
            throw error
          }
        },
      }
    },
  }
}

/** The request of a call but for `test`, which is in no cache key. */
const execRequest = ({ prompt, vars, tools }: CallInput): JsonObject => ({
  service: envelope,
  ...(prompt === null ? {} : { prompt }),
  vars,
  // Exec providers have no parameters in a suite.
  params: {},
  ...(tools.length === 0 ? {} : { tools: tools.map(execTool) }),
})

const execTool = ({ name, description, input_schema }: Tool): Json => ({
  name,
  ...(description === undefined ? {} : { description }),
  input_schema: input_schema ?? null,
})

const passedSecrets = ({ pass_env = [] }: ExecProvider, env: Ports['env']): ReadonlyMap<string, string> =>
  new Map(
    secretPassed(pass_env).flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

/** The failure of a call whose program did not do its part: a start or a time that is exceeded may go better again. */
const execFailure = (error: ProgramFailure, redact: Redactor, signal: AbortSignal): unknown => {
  if (error.reason === 'stopped' && signal.aborted) return signal.reason
  return new ProviderFailure(redact.text(error.message), {
    errorClass: 'exec_failed',
    retriable: error.reason === 'spawn' || error.reason === 'timeout',
    cause: error,
  })
}
