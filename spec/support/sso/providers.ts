import type { OidcProviderConfig, SamlProviderConfig } from '../../../http/sso/config.ts'

const RULES = {
  adminGroups: ['admins'],
  adminEmails: ['boss@corp.example'],
  groupRoles: [],
  groupGrants: [],
  allowedDomains: null,
} as const

/** The configuration of an OpenID provider; members of `admins` and `boss@corp.example` are admins. */
export const oidcConfig = (changes: Partial<OidcProviderConfig> = {}): OidcProviderConfig => ({
  kind: 'oidc',
  name: 'corp',
  label: 'Corp',
  issuer: 'http://idp.invalid',
  clientId: 'client',
  clientSecret: 'client-secret',
  scopes: ['openid', 'email', 'profile'],
  groupsClaim: 'groups',
  ...RULES,
  ...changes,
})

/** The configuration of a SAML provider with the same rules and the same name. */
export const samlConfig = (changes: Partial<SamlProviderConfig> = {}): SamlProviderConfig => ({
  kind: 'saml',
  name: 'corp',
  label: 'Corp',
  idp: {
    from: 'configuration',
    metadata: { entityId: 'http://idp.invalid', ssoUrl: 'http://idp.invalid/sso', certificates: ['certificate'] },
  },
  spEntityId: 'http://service.invalid',
  emailAttr: null,
  groupsAttr: 'groups',
  allowIdpInitiated: false,
  ...RULES,
  ...changes,
})
