import { z } from 'zod'
import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../../json.ts'
import { child, type Path } from '../issues.ts'
import { quotedNames } from '../../../domain/text/nearest.ts'
import { typeName } from '../values.ts'
import type { JsonSchema, Report, Shape } from './shape.ts'

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  record: 'a mapping',
  object: 'a mapping',
}

/** Says in the words of a suite what a check of zod found. */
const issueText = (issue: z.core.$ZodIssue, value: Json | undefined): string => {
  if (issue.code === 'invalid_type')
    return `expected ${EXPECTED[issue.expected] ?? issue.expected}, got ${valueName(value)}`
  if (issue.code === 'invalid_value')
    return `${JSON.stringify(value)} is not accepted; accepted: ${quotedNames(issue.values.map(String))}`
  if (issue.code === 'too_small' && issue.origin === 'array')
    return `expected a list of at least ${String(issue.minimum)} ${issue.minimum === 1 ? 'entry' : 'entries'}`
  if (issue.code === 'too_small')
    return `expected a number ${issue.inclusive === false ? 'above' : 'of at least'} ${String(issue.minimum)}, got ${JSON.stringify(value)}`
  if (issue.code === 'too_big')
    return `expected a number of at most ${String(issue.maximum)}, got ${JSON.stringify(value)}`
  return issue.message
}

const valueName = (value: Json | undefined): string => {
  if (value === undefined) return 'nothing'
  return isRawNumber(value) ? `${value.rawJSON}, which no double holds` : typeName(value)
}

/** The alternatives of a union in words; undefined if one of them has no word. */
const alternatives = (schema: z.ZodType): string | undefined => {
  if (!(schema instanceof z.ZodUnion)) return undefined
  const words = schema.options.map((option) => EXPECTED[(option as z.ZodType).type])
  return words.every((word) => word !== undefined) ? words.join(' or ') : undefined
}

const within = (value: Json, keys: readonly PropertyKey[]): Json | undefined =>
  keys.reduce<Json | undefined>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as JsonObject)[typeof key === 'symbol' ? '' : key] : undefined,
    value,
  )

/** The shape of a schema of zod. `expected` is said where none of several alternatives fits. */
export const zodShape = (schema: z.ZodType, expected: string): Shape<Json> => ({
  check: (value: Json, at: Path, report: Report) => {
    const result = schema.safeParse(value)
    if (result.success) return true
    for (const issue of result.error.issues) {
      const place = issue.path.reduce<Path>((path, key) => child(path, typeof key === 'number' ? key : String(key)), at)
      const found = within(value, issue.path)
      const message =
        issue.code === 'invalid_union'
          ? `expected ${alternatives(schema) ?? expected}, got ${valueName(found)}`
          : issueText(issue, found)
      report(place, message, { kind: 'value', onKey: false })
    }
    return false
  },
  schema: () => {
    const { $schema: _, ...json } = z.toJSONSchema(schema, { unrepresentable: 'any' })
    return json as JsonSchema
  },
})
