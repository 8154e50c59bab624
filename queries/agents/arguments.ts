import { z } from 'zod'
import { clip } from '../../domain/run/invalid-document.ts'
import { parseInstant } from '../../domain/instants.ts'
import { parseColumn } from '../../domain/lists/column.ts'

// Arguments of tools. Unlike parameters of the HTTP API they have types: a number is no text. But models often send null for
// an argument that they leave out, and a number as text, so these are accepted.

const isNumeric = (given: unknown): given is string => typeof given === 'string' && /^-?\d+(?:\.\d+)?$/.test(given)

/**
 * The arguments of a tool without those that are null, and with a number given as text as a number. Arguments that
 * the tool does not take are not changed, so that the error names them.
 */
export const plainArguments = (given: object, shape: Readonly<Record<string, z.core.$ZodType>>): object =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
      if (!schema) return [[name, value]]
      if (value === null) return []
      return [[name, isNumeric(value) && z.globalRegistry.get(schema)?.['type'] === 'integer' ? Number(value) : value]]
    }),
  )

/** The message for a value of a wrong type, or for one that is missing. */
const expecting = (type: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is required' : `must be ${type}`),
})

export const text = (description: string) => z.string(expecting('a string')).describe(description)

/** Maximum length of a searched text, as for the HTTP API. */
const MAX_FREE_TEXT = 2_000

export const freeText = (description: string) =>
  text(description).refine((given) => [...given].length <= MAX_FREE_TEXT, `must be at most ${MAX_FREE_TEXT} characters`)

/** An integer from 1 to `max`. Values out of range are clamped, although the schema that clients get has the range. */
export const limit = (fallback: number, max: number, description = 'Maximum number of rows.') =>
  z
    // Not z.int(), which refuses integers beyond 2^53: these are clamped too.
    .number({ error: 'must be an integer' })
    .refine(Number.isInteger, { error: 'must be an integer' })
    .overwrite((given) => Math.min(max, Math.max(1, given)))
    .default(fallback)
    .meta({ description, type: 'integer', minimum: 1, maximum: max })

/** The position of a page that is a number. */
export const place = z
  .int({ error: 'must be an integer' })
  .min(0, 'must be 0 or more')
  .optional()
  .meta({ description: 'The next_cursor of the previous page, as an integer.', type: 'integer', minimum: 0 })

/** The number of something that is counted from 1. */
export const numbered = (description: string) =>
  z
    .int({ error: 'must be an integer' })
    .min(1, 'must be 1 or more')
    .optional()
    .meta({ description, type: 'integer', minimum: 1 })

const FORMS = 'must be epoch milliseconds or an RFC 3339 instant, such as 2026-05-04T09:00:00Z'

/** An inclusive bound in time. */
export const instant = (description: string) =>
  z
    .string({ error: FORMS })
    .transform((given, context) => {
      const ms = parseInstant(given)
      if (ms !== null) return ms
      context.addIssue({ code: 'custom', message: FORMS })
      return z.NEVER
    })
    .optional()
    .meta({ description: `${description} RFC 3339, or epoch milliseconds as a string. Inclusive.` })

export const choice = <const Value extends string>(values: readonly [Value, ...Value[]], description: string) =>
  z.enum(values, expecting(`one of ${values.join(', ')}`)).describe(description)

/** Several values of a fixed list, each once. */
export const choices = <const Value extends string>(values: readonly [Value, ...Value[]], description: string) =>
  z
    .array(z.enum(values, { error: `must be one of ${values.join(', ')}` }), {
      error: `must be an array of ${values.join(', ')}`,
    })
    .overwrite((given) => [...new Set(given)])
    .describe(description)

export const run_id = text('The id of a run, as find_runs returns it.')
export const case_key = text('The key of a case, as list_cases returns it.')

/** Maximum number of wrong arguments that a message names. */
const MAX_NAMED = 3

/** Says which arguments are wrong, and how. */
export const argumentsText = ({ issues }: z.ZodError, accepted: readonly string[]): string => {
  const named = issues
    .slice(0, MAX_NAMED)
    .map((issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownText(issue.keys, accepted)
        : `${issue.path.map(String).join('.')}: ${issue.message}`,
    )
  const more = issues.length - named.length
  return named.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

const unknownText = (names: readonly string[], accepted: readonly string[]): string => {
  const named = names.slice(0, MAX_NAMED).map((name) => JSON.stringify(clip(name)))
  const more = names.length - named.length
  return `unknown argument${names.length === 1 ? '' : 's'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}: this tool takes ${accepted.join(', ')}`
}

/** A column of a run. */
export const column = (description: string) =>
  z
    .string(expecting('a string'))
    .transform((given, context) => {
      const parsed = parseColumn(given)
      if (parsed !== null) return parsed
      context.addIssue({
        code: 'custom',
        message: 'must be PROVIDER or PROVIDER,PROMPT, with a comma within a name as %2C',
      })
      return z.NEVER
    })
    .optional()
    .meta({ description: `${description} PROVIDER, or PROVIDER,PROMPT; a comma within a name is %2C.`, type: 'string' })
