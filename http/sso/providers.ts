import type { Services } from '../services.ts'
import type { OidcProviderConfig, SamlProviderConfig } from './config.ts'
import type { OidcProvider, SamlProvider } from './provider.ts'
import { UnusableMetadata } from './saml/idp-metadata.ts'
import type { openSamlProvider as SamlOpener } from './saml/open-provider.ts'

/** A provider cannot be used as it is configured. The message names the variable. */
class MisconfiguredProvider extends Error {
  override readonly name = 'MisconfiguredProvider'
}

/** Identity providers by name. */
export type SsoProviders = {
  readonly oidc: ReadonlyMap<string, { readonly config: OidcProviderConfig; readonly provider: OidcProvider }>
  readonly saml: ReadonlyMap<string, { readonly config: SamlProviderConfig; readonly provider: SamlProvider }>
}

/** Opens a SAML provider. Returns `MisconfiguredProvider` if its URL returns metadata that cannot be used. */
const openSaml = async (
  config: SamlProviderConfig,
  options: Parameters<typeof SamlOpener>[1],
): Promise<SamlProvider | MisconfiguredProvider> => {
  const { openSamlProvider } = await import('./saml/open-provider.ts')
  try {
    return await openSamlProvider(config, options)
  } catch (error) {
    if (!(error instanceof UnusableMetadata)) throw error
    const variable = `SERVICE_SAML_${config.name.toUpperCase().replaceAll('-', '_')}_IDP_METADATA_URL`
    return new MisconfiguredProvider(`${variable}: the metadata ${error.message} (provider ${config.name})`, {
      cause: error,
    })
  }
}

/**
 * Opens the configured identity providers. Throws `MisconfiguredProvider` if metadata is fetched and cannot be used. A
 * provider that does not answer is no error: people of the others can sign in.
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
      return { kind: config.kind, config, provider: await openSaml(config, options) } as const
    }),
  )
  // All of them are reported at once.
  const reasons = opened.flatMap(({ provider }) =>
    provider instanceof MisconfiguredProvider ? [provider.message] : [],
  )
  if (reasons.length > 0) throw new MisconfiguredProvider(reasons.join('\n'))
  return {
    oidc: new Map(opened.flatMap((one) => (one.kind === 'oidc' ? [[one.config.name, one]] : []))),
    saml: new Map(
      opened.flatMap((one) =>
        one.kind === 'saml' && !(one.provider instanceof MisconfiguredProvider)
          ? [[one.config.name, { config: one.config, provider: one.provider }]]
          : [],
      ),
    ),
  }
}
