import { plainNumbers } from '../numbers.ts'
import { cacheKey } from '../../domain/cache/key.ts'
import type { Verdict } from '../assertions/assertion.ts'
import { CacheMiss } from '../cache/cached-calls.ts'
import type { StoredGrading } from '../cache/call-cache.ts'
import type { Json, JsonObject } from '../json.ts'
import { readProgramJson } from '../processes/program-json.ts'
import { programEnvironment } from '../processes/run-program.ts'
import { asNumber, asObject, asString } from '../providers/read-json.ts'
import type { AssertionSpec } from '../suite/suite.ts'
import { CheckerFault } from './fault.ts'
import { DEFAULT_TIMEOUT_MS, gradingMode, type GraderOptions } from './grader-options.ts'
import type { GradedCase } from './grader.ts'
import { clampScore, typeOf } from './verdict.ts'

type Checked = {
  readonly pass: boolean
  readonly score: number
  readonly reason: string
  readonly details?: Json | undefined
}

/**
 * Grades `exec` assertions: runs a program, which gets the case as JSON and answers with a verdict (specification, exec
 * protocol version 1). Throws where it gives none.
 */
export const checkerGrader = (
  options: GraderOptions,
): ((assertion: AssertionSpec, subject: GradedCase, signal: AbortSignal) => Promise<Verdict>) => {
  const { calls, directory, env, grader, programs, redactor } = options
  const childEnv = programEnvironment({}, env)
  const timeoutMs = grader?.timeout_ms ?? DEFAULT_TIMEOUT_MS

  return async (assertion, subject, signal) => {
    const mode = gradingMode(options)
    if (mode === null) throw new CacheMiss('only the cache may answer, but grading may not use it')
    const command = checkerCommand(assertion)
    const { keyed, sent } = requestsOf(assertion, subject)
    const [program = '', ...args] = command
    // Vars may hold secrets.
    const request = plainNumbers(redactor.json<JsonObject>({ transport: 'exec', command: program, args, stdin: keyed }))
    const salt = assertion.fields['cache_salt']

    const { result, cached, key } = await calls.grade<Checked>(
      {
        key: cacheKey({
          request,
          repeat: subject.repeat,
          ...(typeof salt === 'string' ? { case_salt: salt } : {}),
        }),
        request,
        mode,
        read: (stored) => storedCheck(stored) ?? readCheck(stored.raw),
        send: async (callSignal) => {
          const stdin = JSON.stringify(sent)
          const ended = await programs.run({ command, directory, env: childEnv, stdin, timeoutMs }, callSignal)
          const raw = redactor.json(readProgramJson(ended))
          const check = readCheck(raw)
          return { result: check, stored: { kind: 'exec_assert', output: check.reason, raw } }
        },
      },
      signal,
    )
    const { pass, score, reason, details } = result
    return {
      status: pass ? 'pass' : 'fail',
      score,
      reason,
      ...(details === undefined || details === null ? {} : { details }),
      cached,
      ...(key === null ? {} : { keys: [key] }),
    }
  }
}

const checkerCommand = ({ fields: { command } }: AssertionSpec): readonly string[] => {
  const words = Array.isArray(command) ? (command as readonly Json[]) : []
  if (words.length === 0 || !words.every((word) => typeof word === 'string'))
    throw new CheckerFault('`command` must be a list of texts: a program and its arguments')
  return words
}

/**
 * The request as it is sent, and as it is keyed: without the test, which never changes a verdict, and without
 * `vars.env`, which differs from machine to machine.
 */
const requestsOf = (
  { fields: { config } }: AssertionSpec,
  { output, tool_calls, vars, env, test, provider_id }: GradedCase,
): { readonly keyed: JsonObject; readonly sent: JsonObject } => {
  const keyed = {
    service: { protocol: 1, kind: 'assert' },
    output: output ?? null,
    provider: { id: provider_id },
    config: config ?? {},
    vars: Object.fromEntries(Object.entries(vars).filter(([name]) => name !== 'env')),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  }
  return { keyed, sent: { ...keyed, vars: { ...vars, env }, test: { id: test.id, tags: test.tags } } }
}

const readCheck = (response: Json): Checked => {
  const members = asObject(response)
  if (members === undefined) throw new CheckerFault(`the verdict of the program is ${typeOf(response)}, not an object`)
  const { pass, score, reason, details } = members
  if (typeof pass !== 'boolean') throw new CheckerFault(`\`pass\` is ${typeOf(pass)}, not a boolean`)
  const number = asNumber(score ?? (pass ? 1 : 0))
  if (number === undefined) throw new CheckerFault(`\`score\` is ${typeOf(score)}, not a number`)
  const text = asString(reason ?? '')
  if (text === undefined) throw new CheckerFault(`\`reason\` is ${typeOf(reason)}, not a string`)
  return { pass, score: clampScore(number), reason: text, details }
}

/** The verdict of an old entry. */
const storedCheck = ({ verdict }: Omit<StoredGrading, 'kind'>): Checked | null =>
  verdict?.kind === 'exec' ? { ...verdict, score: clampScore(verdict.score), reason: verdict.reason ?? '' } : null
