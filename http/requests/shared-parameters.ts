import { z } from 'zod'
import { EPOCH_MS, parseInstant } from '../../domain/instants.ts'
import { IDENTITY_BYTES } from '../../domain/run/readers.ts'
import { ORDERS, type Direction } from '../../queries/sort-order.ts'

// Parameters that several routes have. Those of the query are text. Strict objects reject unknown and repeated ones.

/**
 * Standard form decoding: `+` and `%20` are spaces, bytes that are not UTF-8 become U+FFFD. A parameter given twice
 * becomes a list of its values, which only the schema of a parameter that may be repeated accepts.
 */
export const parseQuery = (query: string): Record<string, unknown> => {
  // No prototype, so that `__proto__` is an ordinary name.
  const parameters = Object.create(null) as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(query))
    parameters[name] = name in parameters ? [parameters[name], value].flat() : value
  return parameters
}

/** For the API's document: text that is stored in the log contains no NUL. */
export const NO_NUL = { pattern: String.raw`^[^\u0000]*$` } as const

/**
 * For the API's document: a name that a run can have. The document's limit is in characters, while the service counts
 * bytes of UTF-8. A path part of `.` or `..` never arrives, since clients resolve it.
 */
export const NAME = { minLength: 1, maxLength: IDENTITY_BYTES, pattern: String.raw`^(?!\.{1,2}$)[^\u0000]+$` } as const

/**
 * A path part that names an object. `NAME` is only documented, not checked: a text that does not match it was never
 * stored as a name, so it finds nothing.
 */
export const nameParameter = z.string().meta(NAME)

/** The path of what has an id, such as a run. */
export const IdPath = z.object({ id: nameParameter })
export type IdPath = z.infer<typeof IdPath>

/** The path of two runs that are compared. */
export const PairPath = IdPath.extend({ other: nameParameter })
export type PairPath = z.infer<typeof PairPath>

/** The path of what belongs to a suite. */
export const SuitePath = z.object({ project: nameParameter, suite: nameParameter })
export type SuitePath = z.infer<typeof SuitePath>

/**
 * For the API's document: the value of a parameter that is left out. The schema library drops `default` from a schema
 * that transforms its input, so it has another name until the document is complete.
 */
export const fallbackOf = (value: string | number) => ({ 'x-default': value })

/** An integer. Values out of range are clamped; only text that is no integer is rejected. */
export const limit = (fallback: number, max: number) =>
  z
    .string()
    .refine((text) => /^[+-]?\d+$/.test(text), 'must be an integer')
    .transform((text) => Math.min(max, Math.max(1, Number(text))))
    .optional()
    .transform((value) => value ?? fallback)
    // Parameters are text, but this one means a number: the API's document says so. It names no bounds, since every
    // integer is accepted.
    .meta({
      description: `Maximum number of rows, from 1 to ${max}. A value out of range is clamped.`,
      type: 'integer',
      'x-maximum': max,
      ...fallbackOf(fallback),
    })

/** Opaque; a cursor that does not decode returns the first page. */
const cursor = z
  .string()
  .optional()
  .meta({ description: 'Opaque position from `next_cursor`. With any other text, the response is the first page.' })

/** The parameters of a list with pages. */
export const paged = (fallback: number, max: number) => ({ limit: limit(fallback, max), cursor })

/** An order. Rows without the value are last in both directions, and rows with the same value keep the default order. */
export const sorted = <const Sort extends string>(sorts: readonly [Sort, ...Sort[]], first: Direction) => ({
  sort: z.enum(sorts).default(sorts[0]),
  order: z.enum(ORDERS).default(first),
})

export const optionalText = z.string().optional()

/** A text that may be given several times. */
export const repeated = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat())
    .optional()
    .meta({ description })

/** Maximum length of a free-text filter: matching costs its length times that of the text. */
export const MAX_FREE_TEXT = 2_000

export const freeText = z
  .string()
  .refine((q) => [...q].length <= MAX_FREE_TEXT, `must be at most ${MAX_FREE_TEXT} characters`)
  .optional()
  .meta({ maxLength: MAX_FREE_TEXT })

/** An integer. Text that is no integer is rejected; values beyond the safe range are clamped. */
export const whole = (more: { readonly minimum?: number } = {}) =>
  z
    .string()
    .refine((given) => /^[+-]?\d+$/.test(given), 'must be an integer')
    .transform((given) => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(given))))
    .optional()
    .meta({ type: 'integer', ...more })

export const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional()
  // Parameters are text, but this one means a truth value: the API's document says so.
  .meta({ type: 'boolean', enum: undefined })

/** An inclusive bound in time. */
export const instant = z
  .string()
  .transform((text, context) => {
    const ms = parseInstant(text)
    if (ms !== null) return ms
    context.addIssue({ code: 'custom', message: 'must be epoch milliseconds or an RFC 3339 instant' })
    return z.NEVER
  })
  .optional()
  .meta({
    description: 'Epoch milliseconds or RFC 3339, inclusive.',
    anyOf: [
      { type: 'string', pattern: EPOCH_MS.source },
      { type: 'string', format: 'date-time' },
    ],
  })

/** Selects runs by their use of the cache. */
export const cachedRuns = z.enum(['exclude', 'only', 'all']).optional()
