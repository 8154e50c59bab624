import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { findSignIn, SignedIn } from '../../../queries/access/sessions.ts'
import { asAnonymous } from '../../../queries/access/viewer.ts'
import { ErrorBody, TooManyAttempts } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { newSession } from '../../identity/secrets.ts'
import type { Route } from '../route.ts'
import { answerSession } from './answer-session.ts'
import type { SignInGuard } from './sign-in-guard.ts'

/** One response for every reason, so that the client learns nothing about an account, not even that it exists. */
const invalid = (): Refused => new Refused('unauthenticated', 'invalid credentials')

export const signInRoute =
  ({ throttle, refused }: SignInGuard): Route =>
  (app, services) => {
    const { reader, commit, passwords, now } = services
    const mint = newIds()
    app.post(
      '/auth/login',
      {
        config: { scope: null, body: 'fields' },
        schema: {
          tags: ['auth'],
          operationId: 'signIn',
          summary: 'Sign in with a password',
          // Any text is accepted: a name that no account can have simply matches none.
          body: z.strictObject({ username: z.string(), password: z.string() }),
          response: { 200: SignedIn, 401: ErrorBody, 403: ErrorBody, 422: ErrorBody, 429: ErrorBody },
        },
      },
      async ({ viewer: caller, body: { username, password } }, reply) => {
        const viewer = asAnonymous(caller)
        const { address } = viewer.actor
        const wait = throttle.check(username, address)
        if (wait > 0) {
          const { id: user_id = null } = (await reader.read(findSignIn(username))) ?? {}
          await refused.record(viewer, { reason: 'throttled', user_id })
          throw new TooManyAttempts('too many failed sign-ins; try again later', wait)
        }
        /** A failure of the service does not count as a failed attempt, and so does not slow down the next one. */
        const abandon = (error: unknown): never => {
          throttle.abandoned(username, address)
          throw error
        }
        const account = await reader.read(findSignIn(username)).catch(abandon)
        // Does the same work whether or not the account exists, and whatever its state.
        const isRight = await passwords.verify(account?.hash ?? null, password).catch(abandon)
        const refuse = async (reason: 'unknown_user' | 'wrong_password' | 'disabled'): Promise<Refused> => {
          throttle.failed(username, address)
          await refused.record(viewer, { reason, user_id: account?.id ?? null })
          return invalid()
        }
        if (!account) throw await refuse('unknown_user')
        if (!isRight || account.hash === null) throw await refuse('wrong_password')
        if (account.disabled) throw await refuse('disabled')
        const { token, session } = newSession({ mint, now })
        try {
          await commit.signIn(viewer, { user_id: account.id, password_hash: account.hash, ...session })
        } catch (error) {
          // The account was disabled, deleted or given another password while this one was checked.
          if (error instanceof Refused) throw await refuse('disabled')
          abandon(error)
        }
        throttle.succeeded(username, address)
        return answerSession(services, reply, token, account.id)
      },
    )
  }
