import { computed } from 'vue'
import type { Meta } from '../../queries/meta.ts'
import { useSession } from '../composables/use-session.ts'
import { visibleLine } from '../text/visible-text.ts'

/** An identity provider that the server is configured with. */
export type Provider = Meta['sso_providers'][number]

/** The provider that an account or an event names as `oidc:<name>` or `saml:<name>`; null if it is not configured. */
const configured = (provider: string, providers: readonly Provider[]): Provider | null =>
  providers.find(({ kind, name }) => `${kind}:${name}` === provider) ?? null

/** The label of a provider for people. One that is not configured any more keeps its recorded name. */
export const providerLabel = (provider: string, providers: readonly Provider[]): string =>
  visibleLine(configured(provider, providers)?.label ?? provider)

/** The identity providers of the server, in the order of its configuration. */
export const useProviders = () => {
  const { meta } = useSession()
  const providers = computed(() => meta.value?.sso_providers ?? [])
  return {
    providers,
    labelOf: (provider: string): string => providerLabel(provider, providers.value),
    isConfigured: (provider: string): boolean => configured(provider, providers.value) !== null,
  }
}
