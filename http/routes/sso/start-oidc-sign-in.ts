import type { SsoProviders } from '../../sso/providers.ts'
import {
  LIMITED_ANSWERS,
  namedProvider,
  ProviderPath,
  StartParameters,
  type SignInSteps,
} from '../../sso/sign-in-steps.ts'
import type { Route } from '../route.ts'

export const startOidcSignInRoute =
  ({ oidc }: SsoProviders, { answerStart }: SignInSteps): Route =>
  (app) =>
    app.get(
      '/auth/oidc/:provider/start',
      {
        // A HEAD request would use up a sign-in, so there is none.
        exposeHeadRoute: false,
        config: { scope: null },
        schema: {
          tags: ['auth'],
          operationId: 'startOidcSignIn',
          summary: 'Start a sign-in through an identity provider; a browser opens it',
          params: ProviderPath,
          querystring: StartParameters,
          response: LIMITED_ANSWERS,
        },
      },
      async (request, reply) => {
        const { config, provider } = namedProvider(oidc, request.params.provider)
        return answerStart(request, reply, config, async ({ id, nonce, codeVerifier }) => ({
          url: await provider.start({ state: id, nonce, codeVerifier }),
          requestId: null,
        }))
      },
    )
