import { hasKey, isMapping } from '../suite/values.ts'
import { plainNumbers } from '../numbers.ts'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ToolCall } from '../suite/suite.ts'
import type { Verdict } from './assertion.ts'
import { schemaErrors } from './schema.ts'
import { failed, passed, withPlace } from './verdicts.ts'

export type ToolCallCriteria = {
  readonly name: string
  /** Arguments that the call must have, rendered. */
  readonly args?: JsonObject
  readonly schema?: Json
}

/** Whether one of the calls has the name, the arguments and a match of the schema. Throws `InvalidSchema`. */
export const checkToolCalls = (calls: readonly ToolCall[], criteria: ToolCallCriteria): Verdict => {
  const { name } = criteria
  if (calls.length === 0) return failed(`tool \`${name}\` was not called (no tools were called)`)
  const candidates = calls.filter((call) => call.name === name)
  if (candidates.length === 0)
    return failed(`tool \`${name}\` was not called (called: ${calls.map((call) => call.name).join(', ')})`)
  let last = ''
  for (const call of candidates) {
    const problem = mismatch(call.arguments, criteria)
    if (problem === null) return passed(`tool \`${name}\` was called as expected`)
    last = problem
  }
  return failed(`tool \`${name}\` was called ${candidates.length} time(s), none matching: ${last}`)
}

const mismatch = (passedArguments: Json, { args, schema }: ToolCallCriteria): string | null => {
  for (const [key, expected] of Object.entries(args ?? {})) {
    const actual = member(passedArguments, key)
    if (actual === undefined) return `argument \`${key}\` was not passed`
    if (canonicalJson(actual) !== canonicalJson(plainNumbers(expected)))
      return `argument \`${key}\` was ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`
  }
  if (schema === undefined) return null
  const [first] = schemaErrors(schema, passedArguments)
  return first === undefined ? null : withPlace('arguments do not match schema', first)
}

const member = (value: Json, key: string): Json | undefined =>
  isMapping(value) && hasKey(value, key) ? (value as JsonObject)[key] : undefined
