import type { SsoProviders } from '../../sso/providers.ts'
import {
  LIMITED_ANSWERS,
  namedProvider,
  ProviderPath,
  StartParameters,
  type SignInSteps,
} from '../../sso/sign-in-steps.ts'
import type { Route } from '../route.ts'

export const startSamlSignInRoute =
  ({ saml }: SsoProviders, { answerStart }: SignInSteps): Route =>
  (app) =>
    app.get(
      '/auth/saml/:provider/start',
      {
        // A HEAD request would use up a sign-in, so there is none.
        exposeHeadRoute: false,
        config: { scope: null },
        schema: {
          tags: ['auth'],
          operationId: 'startSamlSignIn',
          summary: 'Start a sign-in through an identity provider; a browser opens it',
          params: ProviderPath,
          querystring: StartParameters,
          response: LIMITED_ANSWERS,
        },
      },
      async (request, reply) => {
        const { config, provider } = namedProvider(saml, request.params.provider)
        return answerStart(request, reply, config, ({ id }) => provider.start({ relayState: id }))
      },
    )
