import { computed } from 'vue'
import type { Meta } from '../../queries/meta.ts'
import { useSession } from '../composables/use-session.ts'
import { visibleLine } from '../text/visible-text.ts'

/** An identity provider that the server is configured with. */
export type Provider = Meta['sso_providers'][number]

/**
 * The label of a provider that accounts and events name as `oidc:<name>` or `saml:<name>`; null if the server is not
 * configured with it any more.
 */
export const providerLabel = (provider: string, providers: readonly Provider[]): string | null => {
  const label = providers.find(({ kind, name }) => `${kind}:${name}` === provider)?.label
  return label === undefined ? null : visibleLine(label)
}

/** The identity providers of the server, in the order of its configuration, and the label of each. */
export const useProviders = () => {
  const { meta } = useSession()
  const providers = computed(() => meta.value?.sso_providers ?? [])
  return { providers, labelOf: (provider: string) => providerLabel(provider, providers.value) }
}
