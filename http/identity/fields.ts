import { z } from 'zod'
import { Refused } from '../../commands/refused.ts'
import { IDENTITY_BYTES, isName } from '../../domain/run/readers.ts'
import { NO_NUL } from '../requests/parameters.ts'

const LEAST_CHARACTERS = 8

/** Names are shown wherever somebody acted, and kept for good. */
export const Label = z
  .string()
  .refine(isName, `must be well-formed text of at most ${IDENTITY_BYTES} bytes of UTF-8, without NUL`)
  .meta({ maxLength: IDENTITY_BYTES, ...NO_NUL })

/** A label of an account, which says something. */
export const Username = Label.meta({
  minLength: 1,
  maxLength: IDENTITY_BYTES,
  pattern: String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$`,
})

export const NewPassword = z.string().meta({ minLength: LEAST_CHARACTERS })

/** The name of a new account. Refuses: bad_request (empty). */
export const usernameOf = (text: string): string => {
  const username = text.trim()
  if (username === '') throw new Refused('bad_request', 'username must not be empty')
  return username
}

/** A new password, counted in characters and not in bytes or UTF-16 units. Refuses: bad_request (too short). */
export const passwordOf = (password: string): string => {
  if ([...password].length < LEAST_CHARACTERS)
    throw new Refused('bad_request', `password must have at least ${LEAST_CHARACTERS} characters`)
  return password
}
