import { z } from 'zod'
import { Refused } from '../commands/refused.ts'

/** The body of every error. */
export const ErrorBody = z.object({ error: z.string() }).meta({ id: 'Error' })

/** Further errors of a read that may be long: too many reads of this caller are queued, or the service is busy. */
export const LONG_READ = { 429: ErrorBody, 503: ErrorBody }

/** What was asked for does not exist yet, but will: the caller may try again. */
export class NotYet extends Error {
  override readonly name = 'NotYet'
}

/** Too many attempts: the caller may try again after some time. */
export class TooManyAttempts extends Error {
  override readonly name = 'TooManyAttempts'
  readonly seconds: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.seconds = Math.ceil(waitMs / 1000)
  }
}

/** The name of a cache entry in a 404. */
export const NO_CACHE_ENTRY = 'cache entry'

export const notFound = (thing: string): Refused => new Refused('not_found', `${thing} not found`)

/** Returns a value that was looked for. Refuses: not_found, if there is none. */
export const mustExist = <T>(value: T | null | undefined, thing: string): T => {
  if (value === null || value === undefined) throw notFound(thing)
  return value
}
