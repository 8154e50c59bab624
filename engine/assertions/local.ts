import { canonicalJson, isRawNumber } from '../../domain/run/canonical-json.ts'
import { outputText } from '../../domain/run/document.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Usage } from '../providers/provider.ts'
import type { AssertionSpec, ToolCall } from '../suite/suite.ts'
import { TemplateError, type Templates } from '../templates/templates.ts'
import { plainNumbers } from '../numbers.ts'
import { InvalidRegex, compileRegex } from '../text/regex.ts'
import type { AssertionKind, Verdict } from './assertion.ts'
import { findJson, parsedFloats, parsedJson } from './find-json.ts'
import { renderLeaves } from '../templates/render-leaves.ts'
import { InvalidSchema, schemaErrors } from './schema.ts'
import { checkToolCalls } from './tool-call.ts'
import { failed, passed, unevaluable, withPlace } from './verdicts.ts'

/** What a provider answered, as assertions see it. */
export type AssertedResponse = {
  /** Absent: no output at all. */
  readonly output?: Json
  readonly tool_calls: readonly ToolCall[]
  readonly usage?: Usage
  readonly cost_usd?: number
  readonly latency_ms: number
  readonly empty_reason?: string
}

/** What the local assertions of one case read. */
export type LocalSubject = {
  readonly response: AssertedResponse
  /** The text of the output; empty: there is none. */
  readonly text: string
  readonly vars: JsonObject
  readonly env: Readonly<Record<string, string>>
  /** The vars by name, and `env`. */
  readonly context: JsonObject
  readonly templates: Templates
}

export type LocalKind = Exclude<AssertionKind, 'exec' | 'llm-rubric' | 'similar'>

/** Prepares what the local assertions of one case have in common. */
export const localSubject = (subject: Omit<LocalSubject, 'text' | 'context'>): LocalSubject => ({
  ...subject,
  text: outputText(subject.response.output) ?? '',
  context: { ...subject.vars, env: subject.env },
})

/** Evaluates an assertion that needs no program and no model, without negation. */
export const evaluateLocal = (kind: LocalKind, { fields }: AssertionSpec, subject: LocalSubject): Verdict => {
  try {
    return CHECKS[kind](fields, subject)
  } catch (error) {
    if (error instanceof Unevaluable || error instanceof InvalidSchema) return unevaluable(error.message)
    throw error
  }
}

class Unevaluable extends Error {
  override readonly name = 'Unevaluable'
}

type Check = (fields: JsonObject, subject: LocalSubject) => Verdict

const text = (fields: JsonObject, name: string): string => {
  const value = fields[name]
  if (typeof value !== 'string') throw new Unevaluable(`\`${name}\` must be a string`)
  return value
}

const optionalNumber = (fields: JsonObject, name: string): number | undefined => {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  const number = isRawNumber(value) ? Number(value.rawJSON) : value
  if (typeof number !== 'number') throw new Unevaluable(`\`${name}\` must be a number`)
  return number
}

const number = (fields: JsonObject, name: string): number => {
  const value = optionalNumber(fields, name)
  if (value === undefined) throw new Unevaluable(`\`${name}\` must be a number`)
  return value
}

const contains: Check = (fields, subject) => {
  const value = text(fields, 'value')
  return subject.text.includes(value)
    ? passed(`output contains "${value}"`)
    : failed(`output does not contain "${value}"`)
}

const containsIgnoringCase: Check = (fields, subject) => {
  const value = text(fields, 'value')
  return subject.text.toLowerCase().includes(value.toLowerCase())
    ? passed(`output contains "${value}" (case-insensitive)`)
    : failed(`output does not contain "${value}" (case-insensitive)`)
}

const containsAny: Check = ({ values }, subject) => {
  if (!Array.isArray(values) || !values.every((value): value is string => typeof value === 'string'))
    throw new Unevaluable('`values` must be a list of strings')
  const lowered = subject.text.toLowerCase()
  const hit = values.find((value) => lowered.includes(value.toLowerCase()))
  if (hit !== undefined) return passed(`output contains "${hit}"`)
  return failed(`output contains none of [${values.map((value) => `"${value}"`).join(', ')}]`)
}

const startsWith: Check = (fields, subject) => {
  const value = text(fields, 'value')
  return subject.text.startsWith(value)
    ? passed(`output starts with "${value}"`)
    : failed(`output does not start with "${value}"`)
}

const regex: Check = (fields, subject) => {
  const value = text(fields, 'value')
  try {
    return compileRegex(value).test(subject.text)
      ? passed(`output matches /${value}/`)
      : failed(`output does not match /${value}/`)
  } catch (error) {
    if (error instanceof InvalidRegex)
      throw new Unevaluable(`invalid regex /${value}/: ${error.message}`, { cause: error })
    throw error
  }
}

/** A value that fails to render is compared as it is written. */
const renderedOrAsWritten = (value: Json, { templates, context }: LocalSubject): Json => {
  try {
    return renderLeaves(value, templates, context)
  } catch (error) {
    if (error instanceof TemplateError) return value
    throw error
  }
}

const equals: Check = (fields, subject) => {
  const expected = renderedOrAsWritten(fields['value'] ?? null, subject)
  return isEqual(expected, subject) ? passed('output equals expected') : failed('output does not equal expected')
}

const isEqual = (expected: Json, subject: LocalSubject): boolean => {
  if (typeof expected === 'string') return subject.text === expected
  const actual = outputAsJson(subject)
  return actual !== undefined && canonicalJson(actual) === canonicalJson(plainNumbers(expected))
}

/** A structured output as it is; a text parsed; `undefined` if it is not JSON. */
const outputAsJson = (
  { response: { output }, text: view }: LocalSubject,
  parse: (text: string) => Json | undefined = parsedJson,
): Json | undefined => (typeof output === 'string' || output === undefined || output === null ? parse(view) : output)

const isJson: Check = (_fields, subject) =>
  outputAsJson(subject) === undefined ? failed('output is not valid JSON') : passed('output is valid JSON')

const MAX_LISTED_ERRORS = 10

const containsJson: Check = ({ schema }, subject) => {
  const found = findJson(subject.text)
  if (found === undefined) {
    // A schema that cannot be applied is an error whatever the output is.
    if (schema !== undefined) schemaErrors(schema, null)
    return failed('output contains no JSON value')
  }
  if (schema === undefined) return passed('output contains JSON')
  const errors = schemaErrors(schema, found)
  const [first] = errors
  if (first === undefined) return passed('output contains JSON matching the schema')
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return failed(withPlace('JSON does not match schema', first) + more, {
    errors: errors.slice(0, MAX_LISTED_ERRORS),
    total: errors.length,
  })
}

const codePoints = (value: string): number => {
  let count = 0
  for (const _character of value) count++
  return count
}

const length: Check = (fields, subject) => {
  const [min, max] = [optionalNumber(fields, 'min'), optionalNumber(fields, 'max')]
  const count = codePoints(subject.text)
  if (min !== undefined && count < min) return failed(`length ${count} < min ${min}`)
  if (max !== undefined && count > max) return failed(`length ${count} > max ${max}`)
  return passed(`length ${count} within bounds`)
}

/** Truth of a result as templates see it. */
const isTrue = (value: Json | undefined): boolean => {
  if (value === undefined || value === null) return false
  if (typeof value === 'object' && !isRawNumber(value)) return Object.keys(value).length > 0
  return Boolean(value)
}

const jinja: Check = (fields, subject) => {
  const expression = text(fields, 'value')
  const outputJson = expression.includes('output_json') ? outputAsJson(subject, parsedFloats) : undefined
  const context: JsonObject = {
    ...subject.vars,
    vars: subject.vars,
    env: subject.env,
    output: subject.text,
    ...(outputJson !== undefined && { output_json: outputJson }),
  }
  try {
    return isTrue(subject.templates.evaluate(expression, context))
      ? passed(`expression \`${expression}\` is true`)
      : failed(`expression \`${expression}\` is false`)
  } catch (error) {
    if (error instanceof TemplateError)
      throw new Unevaluable(`expression \`${expression}\`: ${error.message}`, { cause: error })
    throw error
  }
}

const toolCall: Check = (fields, { response, templates, context }) => {
  const { args, schema } = fields
  return checkToolCalls(response.tool_calls, {
    name: text(fields, 'name'),
    ...(args !== undefined && { args: renderedArguments(args, templates, context) }),
    ...(schema !== undefined && { schema }),
  })
}

const renderedArguments = (args: Json, templates: Templates, context: JsonObject): JsonObject => {
  if (typeof args !== 'object' || args === null || Array.isArray(args) || isRawNumber(args))
    throw new Unevaluable('`args` must be a mapping')
  try {
    return renderLeaves(args, templates, context) as JsonObject
  } catch (error) {
    if (error instanceof TemplateError) throw new Unevaluable(`rendering args: ${error.message}`, { cause: error })
    throw error
  }
}

const COST_DECIMALS = 6

const cost: Check = (fields, { response: { cost_usd: spent } }) => {
  const max = number(fields, 'max')
  if (spent === undefined) return passed('cost not reported; budget not enforced')
  const [actual, limit] = [`$${spent.toFixed(COST_DECIMALS)}`, `$${max.toFixed(COST_DECIMALS)}`]
  return spent <= max ? passed(`cost ${actual} <= ${limit}`) : failed(`cost ${actual} > ${limit}`)
}

const latency: Check = (fields, { response: { latency_ms: taken } }) => {
  const max = number(fields, 'max')
  return taken <= max ? passed(`latency ${taken}ms <= ${max}ms`) : failed(`latency ${taken}ms > ${max}ms`)
}

const tokens: Check = (fields, { response: { usage } }) => {
  const max = number(fields, 'max')
  if (usage === undefined) return passed('tokens not reported; budget not enforced')
  const isBillable = fields['count'] === 'billable'
  const total = usage.input_tokens + usage.output_tokens + (usage.cache_read_tokens ?? 0)
  const counted = isBillable ? total + (usage.cache_write_tokens ?? 0) : total
  const what = isBillable ? 'billable tokens' : 'tokens'
  return counted <= max ? passed(`${what} ${counted} <= ${max}`) : failed(`${what} ${counted} > ${max}`)
}

const CHECKS: Readonly<Record<LocalKind, Check>> = {
  contains,
  icontains: containsIgnoringCase,
  'icontains-any': containsAny,
  'starts-with': startsWith,
  regex,
  equals,
  'is-json': isJson,
  'contains-json': containsJson,
  length,
  jinja,
  'tool-call': toolCall,
  cost,
  latency,
  tokens,
}
