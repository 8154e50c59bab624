import { asciiLowerCase, type AssertedIdentity } from './roles.ts'

/** Maximum length of a name before its suffix. The local part of an e-mail address has at most 64 (RFC 5321, 4.5.3.1.1). */
const MAX_LENGTH = 64
/** How much of a subject a name contains, in code points. */
const SUBJECT_LENGTH = 8
/** The last number that is tried as a suffix. After it the suffix is random. */
const MAX_NUMBER = 20

/** The text in lower case, of the characters `a-z0-9._-` alone; empty if no letter or digit remains. */
const reduced = (text: string): string => {
  const name = asciiLowerCase(text)
    .replaceAll(/[^a-z0-9._-]/g, '')
    .slice(0, MAX_LENGTH)
  // A name such as `..` would change the path of a URL.
  return /[a-z0-9]/.test(name) ? name : ''
}

/**
 * The name that a new account gets: the local part of the trusted e-mail address, else the name of the provider with the
 * beginning of the subject, else the name of the provider.
 */
const baseUsername = (provider: string, { subject, email }: Pick<AssertedIdentity, 'subject' | 'email'>): string => {
  const local = email === null ? '' : reduced(email.slice(0, Math.max(0, email.lastIndexOf('@'))))
  if (local !== '') return local
  const beginning = reduced([...subject].slice(0, SUBJECT_LENGTH).join(''))
  return beginning === '' ? provider : `${provider}-${beginning}`
}

/**
 * The names to try for a new account, in this order: the name itself, with the suffixes `-2` to `-20`, and with a random
 * suffix. `provider` is the configured name.
 */
export const usernameCandidates = (
  provider: string,
  identity: Pick<AssertedIdentity, 'subject' | 'email'>,
  randomSuffix: string,
): readonly string[] => {
  const name = baseUsername(provider, identity)
  const numbers = Array.from({ length: MAX_NUMBER - 1 }, (_, n) => `${name}-${n + 2}`)
  return [name, ...numbers, `${name}-${randomSuffix}`]
}
