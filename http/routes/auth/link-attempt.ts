import { z } from 'zod'
import { unusableLink } from '../../../commands/link/accept-invite.ts'
import { Refused } from '../../../commands/refused.ts'
import { findLink, isUsable } from '../../../queries/access/account-links.ts'
import { asAnonymous, type Viewer } from '../../../queries/access/viewer.ts'
import { TooManyAttempts } from '../../errors.ts'
import { hashOfToken } from '../../identity/secrets.ts'
import type { Services } from '../../services.ts'
import type { SignInGuard } from './sign-in-guard.ts'

/** The secret of a link. Any text is accepted: one that no link has matches none. It is never part of an address. */
export const Secret = z.string().meta({ description: 'What follows `#` in the link.' })

type Kind = Parameters<typeof findLink>[0]
type Attempt<Found, Result> = {
  readonly viewer: Viewer
  readonly secret: string
  /** What is done with a link that can be used. `secret_sha256` is the digest of its secret, `at` the present time. */
  readonly use: (found: {
    readonly link: Found
    readonly viewer: Viewer
    readonly secret_sha256: string
  }) => Promise<Result>
}

/**
 * Looks a link up by its secret and uses it, if it can be used. An address that guesses has to wait as for a sign-in: all refusals
 * are one, after the same work. A link that was used meanwhile is refused like one that never was. Refuses: not_found.
 */
export const linkAttempts =
  <K extends Kind>(kind: K, { throttle, refused }: SignInGuard, { reader, now }: Pick<Services, 'reader' | 'now'>) =>
  async <Result>({
    viewer: caller,
    secret,
    use,
  }: Attempt<NonNullable<ReturnType<ReturnType<typeof findLink<K>>['shape']>>, Result>): Promise<Result> => {
    const viewer = asAnonymous(caller)
    const { address } = viewer.actor
    const wait = throttle.check(null, address)
    if (wait > 0) {
      await refused.record(viewer, { reason: 'throttled', user_id: null })
      throw new TooManyAttempts('too many failed sign-ins; try again later', wait)
    }
    const refuse = async (): Promise<Refused> => {
      throttle.failed(null, address)
      await refused.record(viewer, { reason: 'unusable_link', user_id: null })
      return unusableLink()
    }
    /** What else goes wrong is no guess. */
    const abandon = (error: unknown): never => {
      throttle.abandoned(null, address)
      throw error
    }
    const secret_sha256 = hashOfToken(secret)
    const link = await reader.read(findLink(kind, secret_sha256)).catch(abandon)
    if (!link || !isUsable(link, now())) throw await refuse()
    try {
      const result = await use({ link, viewer, secret_sha256 })
      throttle.abandoned(null, address)
      return result
    } catch (error) {
      // An address that tries names of accounts with a link is slowed down, too.
      if (error instanceof Refused && error.reason === 'conflict') {
        throttle.failed(null, address)
        throw error
      }
      if (error instanceof Refused && error.reason === 'not_found') throw await refuse()
      return abandon(error)
    }
  }
