import { hash, randomBytes } from 'node:crypto'
import { encodeHexLowerCase } from '@oslojs/encoding'
import { grantsOfGroups } from '../../domain/sso/group-grants.ts'
import { isEmailAllowed, mappedRole, type AssertedIdentity } from '../../domain/sso/roles.ts'
import { usernameCandidates } from '../../domain/sso/usernames.ts'
import { findIdentity } from '../../queries/access/identities.ts'
import { LEVELS } from '../../queries/access/levels.ts'
import { asAnonymous, type Viewer } from '../../queries/access/viewer.ts'
import { newIds } from '../identity/ids.ts'
import { newSession } from '../identity/secrets.ts'
import type { Services } from '../services.ts'
import type { ProviderConfig, SsoConfig } from './config.ts'
import { SsoRefused, type SamlAssertion } from './provider.ts'
import { providerKey } from './transactions.ts'

/**
 * Maximum length of a subject. OpenID allows 255 (Core, 2), SAML 256 for the identifiers that it defines itself (Core,
 * 8.3.7).
 */
const MAX_SUBJECT_LENGTH = 1024
/** Maximum length of an e-mail address (RFC 5321, 4.5.3.1), with room. */
const MAX_EMAIL_LENGTH = 320

/** How much longer than necessary an assertion is remembered, because the clocks of replicas differ. */
const CLOCK_MARGIN_MS = 10 * 60_000

/** A try fails only if the account changed at that moment, or by a collision of random names. */
const MAX_TRIES = 5
const SUFFIX_BYTES = 4
const SALT_BYTES = 16

const randomHex = (bytes: number): string => encodeHexLowerCase(randomBytes(bytes))

type Parts = Pick<Services, 'reader' | 'commit' | 'now'>
type Settings = Pick<SsoConfig, 'defaultRole'> & { readonly suffix?: () => string }

/** Signs in the asserted identity. The token is that of a new session. */
export type SignInWithProvider = (
  viewer: Viewer,
  provider: ProviderConfig,
  identity: AssertedIdentity,
  assertion: SamlAssertion['assertion'] | null,
) => Promise<{ readonly token: string; readonly user_id: string }>

/**
 * Returns the function that signs in the asserted identity; it creates the account at the first sign-in.
 * `assertion` is that of SAML, which is accepted once, else null. The function throws `SsoRefused`: email_not_allowed,
 * account_disabled, replayed, provider_error (no usable subject). `suffix` replaces the random part of names.
 */
export const signInWithProvider = (
  { reader, commit, now }: Parts,
  { defaultRole, suffix = () => randomHex(SUFFIX_BYTES) }: Settings,
): SignInWithProvider => {
  const mint = newIds()
  return async (viewer, config, { subject, email: asserted, groups }, assertion) => {
    if (!isSubject(subject)) throw new SsoRefused('provider_error', 'the subject is empty, too long, or not a text')
    const email = asserted !== null && isEmail(asserted) ? asserted : null
    const identity = { subject, email, groups }
    if (!isEmailAllowed(email, config))
      throw new SsoRefused('email_not_allowed', 'there is no trusted e-mail address of an allowed domain')
    const provider = providerKey(config)
    const replay = assertion && {
      id_hash: hash('sha256', `${provider}\n${assertion.id}`, 'hex'),
      expires_at: assertion.until + CLOCK_MARGIN_MS,
    }
    const { token, session } = newSession({ mint, now })
    let expected = await reader.read(findIdentity(provider, subject))
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const user_id = expected?.user_id ?? mint()
      const { outcome, linked } = await commit.signInWithIdentity(asAnonymous(viewer), {
        ...session,
        ...mappedRole(identity, config, defaultRole),
        grants: grantsOfGroups(groups, config.groupGrants, LEVELS),
        provider,
        subject,
        salt: randomHex(SALT_BYTES),
        email,
        usernames: usernameCandidates(config.name, identity, suffix()),
        expected,
        identity_id: mint(),
        user_id,
        replay,
      })
      if (outcome === 'signed_in') return { token, user_id }
      if (outcome === 'replayed') throw new SsoRefused('replayed', 'the assertion was accepted before')
      if (outcome === 'account_disabled')
        throw new SsoRefused('account_disabled', 'the account is disabled', { user_id })
      expected = linked
    }
    throw new Error(`the account of a sign-in changed ${MAX_TRIES} times while it was signed in`)
  }
}

/** Whether each storage stores the text as it is, and no two of such texts are the same in UTF-8. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const isSubject = (subject: string): boolean =>
  subject !== '' && subject.length <= MAX_SUBJECT_LENGTH && isStorable(subject)

/**
 * Whether a text is one e-mail address with a domain after its only `@`. Anything else is no address: a provider that
 * sends mail to the text as it is may reach another domain than the one that would be compared.
 */
const isEmail = (email: string): boolean =>
  email.length <= MAX_EMAIL_LENGTH &&
  isStorable(email) &&
  /^[^@\p{Cc}\s,;:<>()[\]"\\]+@[^@\p{Cc}\s,;:<>()[\]"\\]+$/u.test(email)
