import type { RawNumber } from '../domain/run/canonical-json.ts'

/**
 * A JSON value. A number token that no double represents is a `RawNumber` (`parseExact` in `domain/run/` makes them):
 * JSON.stringify writes its text unchanged.
 */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** A problem in what a person wrote or named: the command ends with exit code 2 and this message. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A fault outside of the suite, such as a program that does not start: exit code 3. */
export class HarnessError extends Error {
  override readonly name = 'HarnessError'
}
