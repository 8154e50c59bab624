import { z } from 'zod'
import { Refused } from '../../commands/refused.ts'
import { IDENTITY_BYTES, isName } from '../../domain/run/readers.ts'
import { NO_NUL } from '../requests/shared-parameters.ts'

const MIN_PASSWORD_CHARACTERS = 8

/** A name of an account or a key. The log shows it for every action, and stores it for ever. */
export const Label = z
  .string()
  .refine(isName, `must be well-formed text of at most ${IDENTITY_BYTES} bytes of UTF-8, without NUL`)
  .meta({ maxLength: IDENTITY_BYTES, ...NO_NUL })

/** The label of an account. At least one of its characters is not white space. */
export const Username = Label.meta({
  minLength: 1,
  maxLength: IDENTITY_BYTES,
  pattern: String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$`,
})

export const NewPassword = z.string().meta({ minLength: MIN_PASSWORD_CHARACTERS })

/** Characters without a mark that is seen. The last two, the blank of Braille and the null notehead, have no property that says so. */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}`
const SEEN = new RegExp(String.raw`[^\s${UNSEEN}]`, 'u')
const NOT_PLAIN = new RegExp(String.raw`[${UNSEEN}]|[^\S ]`, 'u')

/** Returns the name of a new account. Refuses: bad_request (empty, or of characters that are not seen alone). */
export const usernameOf = (text: string): string => {
  const username = text.trim()
  if (!SEEN.test(username)) throw new Refused('bad_request', 'username must not be empty')
  return username
}

/**
 * Returns the name that an invited person chose. An admin did not see it, so it may not look like another one by characters that are not
 * seen, that break lines, that turn the direction of text, or that are another form of usual letters. Refuses: bad_request.
 */
export const plainUsernameOf = (text: string): string => {
  const username = usernameOf(text)
  if (NOT_PLAIN.test(username))
    throw new Refused(
      'bad_request',
      'username must not contain control characters, other spaces than the usual one, or characters that are not seen',
    )
  // Wide letters, ligatures and letters in circles look like usual ones.
  const usual = username.normalize('NFKC')
  if (usual !== username)
    throw new Refused('bad_request', `username must be written in usual characters (Unicode NFKC): ${usual}`)
  return username
}

/** Returns a new password. Its length counts characters, not bytes or UTF-16 units. Refuses: bad_request (too short). */
export const passwordOf = (password: string): string => {
  if ([...password].length < MIN_PASSWORD_CHARACTERS)
    throw new Refused('bad_request', `password must have at least ${MIN_PASSWORD_CHARACTERS} characters`)
  return password
}
