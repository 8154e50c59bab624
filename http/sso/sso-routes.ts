import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { networkOf } from '../../domain/network.ts'
import { asAnonymous } from '../../queries/access/viewer.ts'
import { tokenBuckets } from '../../runtime/token-buckets.ts'
import type { TokenBuckets } from '../../runtime/token-buckets.ts'
import { Unavailable } from '../../storage/errors.ts'
import { closeIfUnread, ErrorBody, logUnavailable, notFound, TooManyAttempts } from '../errors.ts'
import { sessionCookie } from '../identity/cookies.ts'
import type { RefusedSignIns } from '../identity/refused-sign-ins.ts'
import { NoParameters } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'
import type { ProviderConfig } from './config.ts'
import { SsoRefused } from './provider.ts'
import type { SsoCode } from './provider.ts'
import { openProviders } from './providers.ts'
import { samlForms } from './saml-form.ts'
import { signInWithProvider } from './sign-in.ts'
import { providerKey, ssoTransactions } from './transactions.ts'

/**
 * How many sign-ins one address may start, and how many SAML responses it may post: at once, and then one each interval.
 * Many people can share an address.
 */
const BURST = 200
const INTERVAL_MS = 200

const Provider = z.object({ provider: z.string().meta({ description: 'Name of the identity provider.' }) })
/** Providers add parameters of their own to the address that they send a browser to. Those are ignored. */
const AnyParameters = z.looseObject({})

const StartParameters = z.strictObject({
  return_to: z.string().optional().meta({ description: 'The path of this service to open after the sign-in.' }),
})

const Redirect = z.undefined().meta({ description: 'A redirect: `Location` is where the browser continues.' })

/** The addresses contain what is worth a sign-in: no cache may store them, and no other site may learn them. */
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Where a step of a sign-in ends, and the Set-Cookie values that it leaves in the browser. */
type End = { readonly to: string; readonly cookies: readonly string[] }

/**
 * Signing in through an identity provider: where it starts, and where the provider sends the browser back to. Every
 * failure leads to the sign-in page with a code; the log has the reason. The function is long because it lists every
 * route.
 */
export const ssoRoutes =
  (services: Services, { refused }: { readonly refused: RefusedSignIns }): FastifyPluginAsyncZod =>
  async (app) => {
    const { now, config, logger } = services
    const { oidc, saml } = await openProviders(services)
    const transactions = ssoTransactions(services)
    const signIn = signInWithProvider(services, { defaultRole: config.sso?.defaultRole ?? 'member' })
    const starts = tokenBuckets({ burst: BURST, intervalMs: INTERVAL_MS, now })
    const responses = tokenBuckets({ burst: BURST, intervalMs: INTERVAL_MS, now })
    const receiveSamlForm = samlForms()
    const tags = ['auth']
    // A HEAD request would use up a sign-in, so there is none.
    const route = { exposeHeadRoute: false, config: { scope: null, stored: true } } as const
    const response = { 303: Redirect, 404: ErrorBody, 503: ErrorBody }
    const limited = { ...response, 429: ErrorBody }

    const limit = (buckets: TokenBuckets, { viewer }: FastifyRequest): void => {
      const wait = buckets.take(networkOf(viewer.actor.address ?? ''))
      if (wait > 0) throw new TooManyAttempts('too many sign-ins from this address; try again later', wait)
    }

    /** Records why a sign-in failed, and returns the code for the sign-in page. */
    const codeOf = async (request: FastifyRequest, provider: ProviderConfig, error: unknown): Promise<SsoCode> => {
      if (!(error instanceof SsoRefused)) {
        if (error instanceof Unavailable) logUnavailable(error, request)
        else logger.error({ err: error, request_id: request.id }, 'unexpected failure')
        return 'internal'
      }
      const { code, message, user_id } = error
      const key = providerKey(provider)
      logger.info({ provider: key, code, reason: message, request_id: request.id }, 'a sign-in was refused')
      await refused.record(asAnonymous(request.viewer), { reason: code, provider: key, user_id })
      return code
    }

    /** Runs one step of a sign-in, and sends the browser to where it ends. */
    const answer = async (
      request: FastifyRequest,
      reply: FastifyReply,
      provider: ProviderConfig,
      step: () => Promise<End>,
    ): Promise<FastifyReply> => {
      const end = await step().catch(async (error: unknown): Promise<End> => {
        const code = await codeOf(request, provider, error).catch((failed: unknown): SsoCode => {
          logger.error({ err: failed, request_id: request.id }, 'a refused sign-in could not be recorded')
          return 'internal'
        })
        return {
          to: `/login?${new URLSearchParams({ sso_error: code, provider: provider.name }).toString()}`,
          cookies: [],
        }
      })
      closeIfUnread(reply)
      void reply.code(303).headers({ ...PRIVATE, location: end.to })
      if (end.cookies.length > 0) void reply.header('set-cookie', [...end.cookies])
      return reply.send()
    }

    const signedIn = (provider: ProviderConfig, token: string, to: string): End => ({
      to,
      cookies: [sessionCookie(token, { secure: config.cookieSecure }), transactions.clearedCookie(provider)],
    })

    const startSchema = {
      tags,
      summary: 'Start a sign-in through an identity provider; a browser opens it',
      params: Provider,
      querystring: StartParameters,
      response: { ...limited, 400: ErrorBody },
    }
    const endSchema = { tags, params: Provider, querystring: AnyParameters }

    /** Sends the browser to a provider, unless its address starts too many sign-ins. */
    const answerStart = (
      request: FastifyRequest<{ Querystring: z.infer<typeof StartParameters> }>,
      reply: FastifyReply,
      provider: ProviderConfig,
      ask: Parameters<typeof transactions.begin>[3],
    ): Promise<FastifyReply> => {
      limit(starts, request)
      return answer(request, reply, provider, async () => {
        const requestedPath = request.query.return_to ?? null
        const { url, cookie } = await transactions.begin(request.viewer, provider, requestedPath, ask)
        return { to: url, cookies: [cookie] }
      })
    }

    app.get(
      '/auth/oidc/:provider/start',
      { ...route, schema: { ...startSchema, operationId: 'startOidcSignIn' } },
      async (request, reply) => {
        const { config: provider, provider: oidcProvider } = named(oidc, request.params.provider)
        return answerStart(request, reply, provider, async ({ id, nonce, codeVerifier }) => ({
          url: await oidcProvider.start({ state: id, nonce, codeVerifier }),
          requestId: null,
        }))
      },
    )

    const callback = {
      ...endSchema,
      operationId: 'finishOidcSignIn',
      summary: 'Where an OpenID provider sends the browser back to, with a code or an error',
      response,
    }
    app.get('/auth/oidc/:provider/callback', { ...route, schema: callback }, async (request, reply) => {
      const { config: provider, provider: oidcProvider } = named(oidc, request.params.provider)
      return answer(request, reply, provider, async () => {
        const query = new URLSearchParams(queryOf(request))
        const [state = null, ...otherStates] = query.getAll('state')
        const cookies = request.headers.cookie
        // An error ends the sign-in that it belongs to, if it belongs to one.
        if (query.has('error')) {
          await transactions.take(request.viewer, provider, { id: state, cookies }).catch(refusedAlready)
          throw new SsoRefused('access_denied', `the provider answered with ${errorIn(query)}`)
        }
        const [code = '', ...otherCodes] = query.getAll('code')
        if (code === '' || otherCodes.length > 0 || otherStates.length > 0)
          throw new SsoRefused('invalid_state', 'the callback has no code, or has a parameter twice')
        const { nonce, code_verifier, return_to } = await transactions.take(request.viewer, provider, {
          id: state,
          cookies,
        })
        if (state === null || nonce === null || code_verifier === null)
          throw new SsoRefused('invalid_state', 'the sign-in was not started for OpenID')
        const identity = await oidcProvider.finish({
          query: onlyUsed(query),
          state,
          nonce,
          codeVerifier: code_verifier,
        })
        const { token } = await signIn(request.viewer, provider, identity, null)
        return signedIn(provider, token, return_to)
      })
    })

    app.get(
      '/auth/saml/:provider/start',
      { ...route, schema: { ...startSchema, operationId: 'startSamlSignIn' } },
      async (request, reply) => {
        const { config: provider, provider: samlProvider } = named(saml, request.params.provider)
        return answerStart(request, reply, provider, ({ id }) => samlProvider.start({ relayState: id }))
      },
    )

    const consume = {
      ...endSchema,
      operationId: 'finishSamlSignIn',
      summary: 'Where the page of a SAML provider posts its response, as a form',
      response: limited,
    }
    const consumeConfig = { ...route.config, crossOrigin: 'allowed' } as const
    app.post(
      '/auth/saml/:provider/acs',
      { ...route, config: consumeConfig, schema: consume },
      async (request, reply) => {
        const { config: provider, provider: samlProvider } = named(saml, request.params.provider)
        // Everyone may post, and a form is long.
        limit(responses, request)
        return answer(request, reply, provider, async () => {
          const { response, relayState } = await receiveSamlForm(request)
          if (relayState === null && !provider.allowIdpInitiated)
            throw new SsoRefused('invalid_state', 'the response was not asked for')
          const transaction =
            relayState === null
              ? null
              : await transactions.take(request.viewer, provider, { id: relayState, cookies: request.headers.cookie })
          const { assertion, ...identity } = await samlProvider.finish({
            response,
            requestId: transaction?.request_id ?? null,
          })
          const { token } = await signIn(request.viewer, provider, identity, assertion)
          return signedIn(provider, token, transaction?.return_to ?? '/')
        })
      },
    )

    const metadata = {
      tags,
      operationId: 'getSamlMetadata',
      summary: 'The SAML metadata of this service for an identity provider, in XML',
      params: Provider,
      querystring: NoParameters,
      response: { 200: z.string(), 400: ErrorBody, 404: ErrorBody },
    }
    app.get('/auth/saml/:provider/metadata', { config: { scope: null }, schema: metadata }, async (request, reply) =>
      reply.type('application/samlmetadata+xml').send(named(saml, request.params.provider).provider.metadata()),
    )
  }

/** Returns a provider by its name. Refuses: not_found. */
const named = <T>(providers: ReadonlyMap<string, T>, name: string): T => {
  const provider = providers.get(name)
  if (provider === undefined) throw notFound('sso provider')
  return provider
}

/** The parameters of a callback that are read: others are ignored (RFC 6749, 4.1.2; `iss` is of RFC 9207). */
const onlyUsed = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => ['code', 'state', 'iss'].includes(name)))

/** The query of a request as it was sent. */
const queryOf = ({ url }: FastifyRequest): string => {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** The errors of OAuth 2.0 (RFC 6749, 4.1.2.1) and OpenID Connect Core 1.0 (3.1.2.6). */
const ERRORS: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
])

/** The error of a callback for the log. Other texts than the known ones could hold anything. */
const errorIn = (query: URLSearchParams): string => {
  const error = query.get('error') ?? ''
  return ERRORS.has(error) ? `the error ${error}` : 'an error'
}

/** The sign-in is refused in any case, so it does not matter that its transaction is. */
const refusedAlready = (error: unknown): null => {
  if (error instanceof SsoRefused) return null
  throw error
}
