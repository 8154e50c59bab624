import type { RefusedSignIns } from '../../identity/refused-sign-ins.ts'
import type { Services } from '../../services.ts'
import { openProviders } from '../../sso/providers.ts'
import { signInSteps } from '../../sso/sign-in-steps.ts'
import type { Route } from '../route.ts'
import { finishOidcSignInRoute } from './finish-oidc-sign-in.ts'
import { finishSamlSignInRoute } from './finish-saml-sign-in.ts'
import { getSamlMetadataRoute } from './get-saml-metadata.ts'
import { startOidcSignInRoute } from './start-oidc-sign-in.ts'
import { startSamlSignInRoute } from './start-saml-sign-in.ts'

/** Signing in through an identity provider: where it starts, and where the provider sends the browser back to. */
export const ssoRoutes = async (services: Services, refused: RefusedSignIns): Promise<readonly Route[]> => {
  const providers = await openProviders(services)
  const steps = signInSteps(services, refused)
  return [
    startOidcSignInRoute(providers, steps),
    finishOidcSignInRoute(providers, steps),
    startSamlSignInRoute(providers, steps),
    finishSamlSignInRoute(providers, steps),
    getSamlMetadataRoute(providers),
  ]
}
