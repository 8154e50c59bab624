import { SsoRefused } from '../../sso/provider.ts'
import type { SsoProviders } from '../../sso/providers.ts'
import { samlForms } from '../../sso/saml-form.ts'
import {
  AnyParameters,
  LIMITED_ANSWERS,
  namedProvider,
  ProviderPath,
  type SignInSteps,
} from '../../sso/sign-in-steps.ts'
import type { Route } from '../route.ts'

export const finishSamlSignInRoute =
  ({ saml }: SsoProviders, { transactions, answer, limitResponses, finish }: SignInSteps): Route =>
  (app) => {
    const receiveSamlForm = samlForms()
    app.post(
      '/auth/saml/:provider/acs',
      {
        config: { scope: null, crossOrigin: 'allowed' },
        schema: {
          tags: ['auth'],
          operationId: 'finishSamlSignIn',
          summary: 'Where the page of a SAML provider posts its response, as a form',
          params: ProviderPath,
          querystring: AnyParameters,
          response: LIMITED_ANSWERS,
        },
      },
      async (request, reply) => {
        const { config, provider } = namedProvider(saml, request.params.provider)
        // Everyone may post, and a form is long.
        limitResponses(request)
        return answer(request, reply, config, async () => {
          const { response, relayState } = await receiveSamlForm(request)
          if (relayState === null && !config.allowIdpInitiated)
            throw new SsoRefused('invalid_state', 'the response was not asked for')
          const transaction =
            relayState === null
              ? null
              : await transactions.take(request.viewer, config, { id: relayState, cookies: request.headers.cookie })
          const { assertion, ...identity } = await provider.finish({
            response,
            requestId: transaction?.request_id ?? null,
          })
          return finish(request, config, { identity, assertion, to: transaction?.return_to ?? '/' })
        })
      },
    )
  }
