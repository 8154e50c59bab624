import type { FastifyRequest } from 'fastify'
import { SsoRefused } from '../../sso/provider.ts'
import type { SsoProviders } from '../../sso/providers.ts'
import { AnyParameters, namedProvider, ProviderPath, STEP_ANSWERS, type SignInSteps } from '../../sso/sign-in-steps.ts'
import type { Route } from '../route.ts'

export const finishOidcSignInRoute =
  ({ oidc }: SsoProviders, { transactions, answer, finish }: SignInSteps): Route =>
  (app) =>
    app.get(
      '/auth/oidc/:provider/callback',
      {
        // A HEAD request would use up a sign-in, so there is none.
        exposeHeadRoute: false,
        config: { scope: null },
        schema: {
          tags: ['auth'],
          operationId: 'finishOidcSignIn',
          summary: 'Where an OpenID provider sends the browser back to, with a code or an error',
          params: ProviderPath,
          querystring: AnyParameters,
          response: STEP_ANSWERS,
        },
      },
      async (request, reply) => {
        const { config, provider } = namedProvider(oidc, request.params.provider)
        return answer(request, reply, config, async () => {
          const query = new URLSearchParams(rawQuery(request))
          const [state = null, ...otherStates] = query.getAll('state')
          const cookies = request.headers.cookie
          // An error ends the sign-in that it belongs to, if it belongs to one.
          if (query.has('error')) {
            await transactions.take(request.viewer, config, { id: state, cookies }).catch(refusedAlready)
            throw new SsoRefused('access_denied', `the provider answered with ${errorIn(query)}`)
          }
          const [code = '', ...otherCodes] = query.getAll('code')
          if (code === '' || otherCodes.length > 0 || otherStates.length > 0)
            throw new SsoRefused('invalid_state', 'the callback has no code, or has a parameter twice')
          const transaction = await transactions.take(request.viewer, config, { id: state, cookies })
          const { nonce, code_verifier: codeVerifier, return_to: to } = transaction
          if (state === null || nonce === null || codeVerifier === null)
            throw new SsoRefused('invalid_state', 'the sign-in was not started for OpenID')
          const identity = await provider.finish({ query: onlyUsed(query), state, nonce, codeVerifier })
          return finish(request, config, { identity, assertion: null, to })
        })
      },
    )

/** The parameters of a callback that are read: others are ignored (RFC 6749, 4.1.2; `iss` is of RFC 9207). */
const onlyUsed = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => ['code', 'state', 'iss'].includes(name)))

/** The query of a request as it was sent. */
const rawQuery = ({ url }: FastifyRequest): string => {
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
