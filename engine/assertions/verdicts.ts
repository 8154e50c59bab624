import type { Json } from '../json.ts'
import type { Verdict } from './assertion.ts'
import type { SchemaError } from './schema.ts'

export const passed = (reason: string): Verdict => ({ status: 'pass', score: 1, reason })

export const failed = (reason: string, details?: Json): Verdict => ({
  status: 'fail',
  score: 0,
  reason,
  ...(details !== undefined && { details }),
})

/** A local assertion that could not be evaluated. */
export const unevaluable = (reason: string): Verdict => ({ status: 'error', reason, error_class: 'assert_failed' })

/** A message with the place of a violation, unless that is the whole value. */
export const withPlace = (what: string, { path, message }: SchemaError): string =>
  `${what}${path === '' ? '' : ` at \`${path}\``}: ${message}`
