import { CLASSES_OF_THE_SUITE } from '../error-classes.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ToolCall } from '../suite/suite.ts'
import { classifyEmpty, reasonOfStop } from './empty-reason.ts'
import { ProviderFailure, type ProviderResponse, type Usage } from './provider.ts'
import type { CasePart } from '../evidence/case-parts.ts'
import { asArray, asCount, asNumber, asObject, asString, present } from './read-json.ts'

/**
 * Reads the response of an exec provider. Throws `ProviderFailure`: with what the program says in `error`, or of class
 * `exec_failed` for a response that breaks the protocol. `readFiles` reads the files that it names.
 */
export const readExecResponse = (
  value: Json,
  readFiles: (response: JsonObject) => readonly CasePart[] = () => [],
): ProviderResponse => {
  const response = asObject(value)
  if (response === undefined) throw violation('the response must be a JSON object')
  if (!('output' in response))
    throw violation('the response has no `output` (a program that failed sends `"output": null` and `error`)')
  const member = <T>(name: string, read: (value: Json | undefined) => T | undefined, wanted: string) =>
    readMember(response, name, read, wanted)
  const error = member('error', asObject, 'an object')
  if (error !== undefined) throw reportedFailure(error, response['metadata'], () => readFiles(response))
  const parts = readFiles(response)

  const output = response['output'] ?? null
  const stopReason = member('stop_reason', asString, 'a string')
  const claimed = member('empty_reason', asString, 'a string')
  const calls = member('tool_calls', (calls) => (Array.isArray(calls) ? asArray(calls) : undefined), 'an array') ?? []
  const usage = member('usage', asObject, 'an object')
  return present<ProviderResponse>({
    output,
    usage: usage && readUsage(usage),
    cost_usd: member('cost_usd', asNumber, 'a number'),
    model: member('model', asString, 'a string'),
    stop_reason: stopReason,
    reasoning: member('reasoning', asString, 'a string'),
    tool_calls: calls.flatMap(readCall),
    // A claim of the program is kept, even if there is real output.
    empty_reason: claimed !== undefined && claimed !== '' ? claimed : classifyEmpty(output, [reasonOfStop(stopReason)]),
    raw: response['metadata'] ?? undefined,
    parts: parts.length === 0 ? undefined : parts,
  })
}

/** A member of the wanted type; undefined: it is absent or null. */
const readMember = <T>(
  object: JsonObject,
  name: string,
  read: (value: Json | undefined) => T | undefined,
  wanted: string,
): T | undefined => {
  const value = object[name] ?? undefined
  const result = value === undefined ? undefined : read(value)
  if (value !== undefined && result === undefined) throw violation(`\`${name}\` of the response must be ${wanted}`)
  return result
}

const violation = (what: string): ProviderFailure =>
  new ProviderFailure(`the program broke the protocol: ${what}`, { errorClass: 'exec_failed' })

const reportedFailure = (
  error: JsonObject,
  metadata: Json | undefined,
  readFiles: () => readonly CasePart[],
): ProviderFailure => {
  const reported = readMember(error, 'message', asString, 'a string')
  if (reported === undefined) throw violation('`error.message` is required')
  const { parts, problem } = filesOfFailure(readFiles)
  const message = problem === null ? reported : `${reported}; ${problem}`
  const errorClass = asString(error['class']) ?? ''
  const retriable = error['retriable'] === true
  const wait = asNumber(error['retry_after_ms'])
  const details = error['details'] ?? metadata ?? undefined
  return new ProviderFailure(message, {
    // A program cannot blame the suite.
    errorClass: errorClass === '' || CLASSES_OF_THE_SUITE.includes(errorClass) ? 'exec_failed' : errorClass,
    retriable,
    retryAfterMs: retriable && wait !== undefined ? Math.max(0, wait) : null,
    ...(details === undefined ? {} : { details }),
    parts,
  })
}

/** The files of a call that failed. One that cannot be read is a further problem, and not the reason. */
const filesOfFailure = (
  read: () => readonly CasePart[],
): { readonly parts: readonly CasePart[]; readonly problem: string | null } => {
  try {
    return { parts: read(), problem: null }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return { parts: [], problem: error.message }
  }
}

const readUsage = (usage: JsonObject): Usage => {
  const count = (name: string) => readMember(usage, name, asCount, 'a count of tokens')
  return present<Usage>({
    input_tokens: count('input_tokens') ?? 0,
    output_tokens: count('output_tokens') ?? 0,
    cache_read_tokens: count('cache_read_tokens'),
    cache_write_tokens: count('cache_write_tokens'),
    cache_write_1h_tokens: count('cache_write_1h_tokens'),
  })
}

/** A call without a name is dropped. */
const readCall = (value: Json): ToolCall[] => {
  const call = asObject(value)
  const name = asString(call?.['name'])
  const id = asString(call?.['id'])
  if (call === undefined || name === undefined) return []
  return [{ ...(id === undefined ? {} : { id }), name, arguments: call['arguments'] ?? null }]
}
