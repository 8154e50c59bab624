import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { SsoProviders } from '../../sso/providers.ts'
import { namedProvider, ProviderPath } from '../../sso/sign-in-steps.ts'
import type { Route } from '../route.ts'

export const getSamlMetadataRoute =
  ({ saml }: SsoProviders): Route =>
  (app) =>
    app.get(
      '/auth/saml/:provider/metadata',
      {
        config: { scope: null },
        schema: {
          tags: ['auth'],
          operationId: 'getSamlMetadata',
          summary: 'The SAML metadata of this service for an identity provider, in XML',
          params: ProviderPath,
          response: { 200: z.string(), 404: ErrorBody },
        },
      },
      async ({ params }, reply) =>
        reply.type('application/samlmetadata+xml').send(namedProvider(saml, params.provider).provider.metadata()),
    )
