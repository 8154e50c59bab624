import { z } from 'zod'
import { Refused } from '../commands/refused.ts'
import { isName } from '../engine/shape.ts'

const LEAST_CHARACTERS = 8

/** Names are shown wherever somebody acted, and kept for good. */
export const Label = z.string().refine(isName, 'must be well-formed text of at most 400 bytes of UTF-8, without NUL')

/** The name of a new account. Refuses: bad_request (empty). */
export const usernameOf = (text: string): string => {
  const username = text.trim()
  if (username === '') throw new Refused('bad_request', 'username must not be empty')
  return username
}

/** A new password, counted in characters and not in bytes or UTF-16 units. Refuses: bad_request (too short). */
export const passwordOf = (password: string): string => {
  if ([...password].length < LEAST_CHARACTERS) throw new Refused('bad_request', `password must have at least ${LEAST_CHARACTERS} characters`)
  return password
}
