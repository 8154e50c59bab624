import type { SamlProviderConfig } from '../../../../http/sso/config.ts'
import { openSamlProvider } from '../../../../http/sso/saml/open-provider.ts'
import type { SamlProvider } from '../../../../http/sso/provider.ts'
import type { SigningKey } from '../certificate.ts'
import type { RequiredFields } from './saml-idp.ts'

/** The time at which the specs of SAML take place. */
export const AT = Date.UTC(2026, 10, 23, 12)
export const CLOCK_SKEW_SECS = 60
export const PUBLIC_URL = 'https://results.example.com'
export const ACS = `${PUBLIC_URL}/api/v1/auth/saml/corp/acs`
export const REQUEST_ID = '_request-1'

/** The fields of a response that the service of these specs accepts. */
export const FIELDS: RequiredFields = {
  at: AT,
  acsUrl: ACS,
  audience: `${PUBLIC_URL}/api/v1/auth/saml/corp/metadata`,
  issuer: 'https://idp.example.com/metadata',
  requestId: REQUEST_ID,
  nameId: 'ada@example.com',
}

/** The configuration of the provider `corp` with the certificates of these keys. */
export const configFor = (...keys: readonly SigningKey[]): SamlProviderConfig => ({
  kind: 'saml',
  name: 'corp',
  label: 'Corp',
  idp: {
    from: 'configuration',
    metadata: {
      entityId: FIELDS.issuer,
      ssoUrl: 'https://idp.example.com/sso',
      certificates: keys.map(({ certificate }) => certificate),
    },
  },
  spEntityId: FIELDS.audience ?? '',
  emailAttr: null,
  groupsAttr: 'groups',
  allowIdpInitiated: false,
  adminGroups: [],
  groupRoles: [],
  groupGrants: [],
  adminEmails: [],
  allowedDomains: null,
})

/** Opens a provider. By default it is always `AT` there. */
export const openAt = (config: SamlProviderConfig, now: () => number = () => AT): Promise<SamlProvider> =>
  openSamlProvider(config, {
    publicUrl: PUBLIC_URL,
    clockSkewSecs: CLOCK_SKEW_SECS,
    now,
    logger: { warn: () => {} },
  })
