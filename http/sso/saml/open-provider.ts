import type { SamlProviderConfig } from '../config.ts'
import type { SamlProvider } from '../provider.ts'
import type { SamlParts } from './provider.ts'

/**
 * Opens one SAML provider. It waits for the first attempt to fetch metadata from a URL, for five seconds at most. Throws
 * `UnusableMetadata` if the URL returns something else. The libraries for XML are loaded here, because most services have
 * no SAML provider.
 */
export const openSamlProvider = async (config: SamlProviderConfig, parts: SamlParts): Promise<SamlProvider> => {
  const { createSamlProvider } = await import('./provider.ts')
  return createSamlProvider(config, parts)
}
