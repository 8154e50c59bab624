import type { Services } from '../services.ts'
import type { OidcProviderConfig, SamlProviderConfig } from './config.ts'
import type { OidcProvider, SamlProvider } from './provider.ts'

/** Identity providers by name. */
export type SsoProviders = {
  readonly oidc: ReadonlyMap<string, { readonly config: OidcProviderConfig; readonly provider: OidcProvider }>
  readonly saml: ReadonlyMap<string, { readonly config: SamlProviderConfig; readonly provider: SamlProvider }>
}

/**
 * Opens the configured identity providers. Throws an Error that names the variable if the metadata of a SAML provider is
 * fetched and cannot be used. A provider that does not answer is no error: the people of the others can sign in.
 */
export const openProviders = async ({
  config: { sso },
  now,
  logger,
}: Pick<Services, 'config' | 'now' | 'logger'>): Promise<SsoProviders> => {
  if (!sso) return { oidc: new Map(), saml: new Map() }
  const { publicUrl, clockSkewSecs, providers } = sso
  const options = { publicUrl, clockSkewSecs, now, logger }
  const opened = await Promise.all(
    // The libraries of each kind are loaded only if there is a provider of that kind.
    providers.map(async (config) => {
      if (config.kind === 'oidc') {
        const { openOidcProvider } = await import('./oidc/open-provider.ts')
        return { kind: config.kind, config, provider: openOidcProvider(config, options) } as const
      }
      const { openSamlProvider } = await import('./saml/open-provider.ts')
      return { kind: config.kind, config, provider: await openSamlProvider(config, options) } as const
    }),
  )
  return {
    oidc: new Map(opened.flatMap((one) => (one.kind === 'oidc' ? [[one.config.name, one]] : []))),
    saml: new Map(opened.flatMap((one) => (one.kind === 'saml' ? [[one.config.name, one]] : []))),
  }
}
