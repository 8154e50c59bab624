import { messageOf } from '../../domain/plain/message-of.ts'
import type { ProviderConfig, SsoConfig } from '../../http/sso/config.ts'
import { openPublishedCache } from '../../http/sso/oidc/published.ts'
import { openIdpSource } from '../../http/sso/saml/idp-source.ts'
import { failure, ok, type Finding } from './finding.ts'

const TIMEOUT_MS = 5_000

/** Reads what each identity provider publishes, as a sign-in does. */
export const checkSingleSignOn = (sso: SsoConfig | null, now: () => number): Promise<readonly Finding[]> =>
  Promise.all((sso?.providers ?? []).map((provider) => providerFinding(provider, now)))

const providerFinding = async (provider: ProviderConfig, now: () => number): Promise<Finding> => {
  const check = `single sign-on ${provider.name}`
  const reason = await (provider.kind === 'oidc' ? whyNoOidc(provider, now) : whyNoSaml(provider, now))
  return reason === null
    ? ok(check, 'the metadata can be read')
    : failure(
        check,
        reason,
        'check the address of the provider, and that this machine may reach it (docs/single-sign-on.md)',
      )
}

const whyNoOidc = async (
  { issuer, clientId }: Extract<ProviderConfig, { kind: 'oidc' }>,
  now: () => number,
): Promise<string | null> => {
  const deadline = (): AbortSignal => AbortSignal.timeout(TIMEOUT_MS)
  try {
    await openPublishedCache({ issuer, clientId, fetch, now, deadline }).current()
    return null
  } catch (error) {
    return messageOf(error)
  }
}

const whyNoSaml = async (
  { name, idp }: Extract<ProviderConfig, { kind: 'saml' }>,
  now: () => number,
): Promise<string | null> => {
  let reason: string | null = null
  const warn = (fields: unknown): void => {
    reason = String((fields as { readonly reason?: unknown }).reason)
  }
  try {
    await openIdpSource(idp, { provider: `saml:${name}`, now, logger: { warn } })
    return reason
  } catch (error) {
    return messageOf(error)
  }
}
