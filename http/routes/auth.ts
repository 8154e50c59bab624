import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { alreadySetUp } from '../../commands/account/set-up.ts'
import { Refused } from '../../commands/refused.ts'
import { findSignIn, Me, SignedIn } from '../../queries/access/sessions.ts'
import { findAnyUser, findUserView, ownUser } from '../../queries/access/users.ts'
import { asAnonymous } from '../../queries/access/viewer.ts'
import { ErrorBody, notFound, TooManyAttempts } from '../errors.ts'
import { clearedCookie, sessionCookie } from '../identity/cookies.ts'
import { NewPassword, passwordOf, Username, usernameOf } from '../identity/fields.ts'
import { newIds } from '../identity/ids.ts'
import { refusedSignIns } from '../identity/refused-sign-ins.ts'
import { newSession } from '../identity/secrets.ts'
import { signInThrottle } from '../identity/sign-in-throttle.ts'
import { NoParameters } from '../requests/shared-parameters.ts'
import { passwordRoute } from './auth/change-password.ts'
import type { Services } from '../services.ts'
import { ssoRoutes } from '../sso/sso-routes.ts'

/** How often refused sign-ins are summed up, for the event log and the service log. */
const SUMMARY_MS = 60_000

const NewAccount = z.strictObject({ username: Username, password: NewPassword })
// Any text is accepted: a name that no account can have simply matches none.
const Credentials = z.strictObject({ username: z.string(), password: z.string() })

const Done = z.object({ ok: z.literal(true) }).meta({ id: 'Done' })

/** One response for every reason, so that the client learns nothing about an account, not even that it exists. */
const invalid = (): Refused => new Refused('unauthenticated', 'invalid credentials')

/**
 * The routes that create the first account, sign in and out, and return the caller's account. The function is long
 * because it lists every route.
 */
export const authRoutes =
  (services: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const { reader, commit, passwords, now, config, logger } = services
    const mint = newIds()
    const throttle = signInThrottle({ now })
    const refused = refusedSignIns({ commit, mint })
    // Anyone can make sign-ins through a provider fail. They must not use up what is recorded of passwords.
    const refusedThroughProviders = refusedSignIns({ commit, mint })
    const secure = { secure: config.cookieSecure }
    const tags = ['auth']
    const openConfig = { scope: null, stored: true } as const
    const signInConfig = { ...openConfig, body: 'fields' } as const

    const summary = async (): Promise<void> => {
      const counted = throttle.refusals()
      if (counted) logger.info(counted, 'sign-ins were refused')
      for (const { sumUp } of [refused, refusedThroughProviders])
        await sumUp().catch((error: unknown) => logger.error({ err: error }, 'refused sign-ins could not be summed up'))
    }
    const timer = setInterval(() => void summary(), SUMMARY_MS).unref()
    app.addHook('onClose', async () => {
      clearInterval(timer)
      await summary()
    })

    const answerSession = async (
      reply: FastifyReply,
      token: string,
      user_id: string,
    ): Promise<z.infer<typeof SignedIn>> => {
      const user = await reader.read(findUserView(user_id))
      if (!user) throw notFound('user')
      void reply.header('set-cookie', sessionCookie(token, secure)).header('cache-control', 'no-store')
      return { token, user }
    }

    const setup = {
      tags,
      operationId: 'createFirstAccount',
      summary: 'Create the first account, an admin',
      querystring: NoParameters,
      body: NewAccount,
      response: { 201: SignedIn, 403: ErrorBody, 409: ErrorBody, 422: ErrorBody },
    }
    app.post('/auth/setup', { config: signInConfig, schema: setup }, async ({ viewer, body }, reply) => {
      // This check only avoids needless hashing: the command checks again and decides.
      if (await reader.read(findAnyUser)) throw alreadySetUp()
      const username = usernameOf(body.username)
      const password_hash = await passwords.hash(passwordOf(body.password))
      const user_id = mint()
      const { token, session } = newSession({ mint, now })
      await commit.setUp(asAnonymous(viewer), { user_id, username, password_hash, ...session })
      return answerSession(reply.code(201), token, user_id)
    })

    const login = {
      tags,
      operationId: 'signIn',
      summary: 'Sign in with a password',
      querystring: NoParameters,
      body: Credentials,
      response: { 200: SignedIn, 401: ErrorBody, 403: ErrorBody, 422: ErrorBody, 429: ErrorBody },
    }
    app.post(
      '/auth/login',
      { config: signInConfig, schema: login },
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
        return answerSession(reply, token, account.id)
      },
    )

    await app.register(passwordRoute(services, { throttle, refused }))
    await app.register(ssoRoutes(services, { refused: refusedThroughProviders }))

    const logout = {
      tags,
      operationId: 'signOut',
      summary: 'End the session of this request',
      querystring: NoParameters,
      response: { 200: Done, 401: ErrorBody, 403: ErrorBody },
    }
    app.post(
      '/auth/logout',
      { config: { ...openConfig, authenticated: true }, schema: logout },
      async ({ viewer }, reply) => {
        if (viewer.actor.kind === 'session') await commit.signOut(viewer, {})
        void reply.header('set-cookie', clearedCookie(secure))
        return { ok: true } as const
      },
    )

    app.get(
      '/auth/me',
      {
        config: openConfig,
        schema: {
          tags,
          operationId: 'getMe',
          summary: 'The account and the scope of this request',
          querystring: NoParameters,
          response: { 200: Me },
        },
      },
      async ({ viewer: { actor } }): Promise<Me> => {
        const { kind, scope, user_id } = actor
        if (kind !== 'static' && kind !== 'apikey' && kind !== 'session') return ANONYMOUS
        const user = user_id === null ? null : await reader.read(findUserView(user_id))
        // The account was deleted after the credential was resolved.
        if (user_id !== null && !user) return ANONYMOUS
        return { authenticated: true, user: user && ownUser(user), source: kind, scope }
      },
    )
  }

const ANONYMOUS: Me = { authenticated: false, user: null, source: 'anonymous', scope: null }
