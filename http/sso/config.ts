import type { GroupGrant } from '../../domain/sso/group-grants.ts'
import type { RoleRules } from '../../domain/sso/roles.ts'
import type { Level } from '../../queries/access/levels.ts'

/** What both kinds of providers have in common. `name` is unique among all providers, and `[a-z0-9-]+`. */
type Named = RoleRules & {
  readonly name: string
  readonly label: string
  readonly groupGrants: ReadonlyArray<GroupGrant<Level>>
}

export type OidcProviderConfig = Named & {
  readonly kind: 'oidc'
  /** An https or http URL, as the provider writes it in its tokens. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Contains `openid`. */
  readonly scopes: readonly string[]
  readonly groupsClaim: string
}

/** What a SAML identity provider publishes about itself. Certificates are PEM; there is at least one. */
export type IdpMetadata = {
  readonly entityId: string
  /** Where a request is sent with the redirect binding. */
  readonly ssoUrl: string
  readonly certificates: readonly string[]
}

/** Where the metadata is: at a URL, which is read again and again, or in the configuration. */
export type IdpSource =
  | { readonly from: 'url'; readonly url: string }
  | { readonly from: 'configuration'; readonly metadata: IdpMetadata }

export type SamlProviderConfig = Named & {
  readonly kind: 'saml'
  readonly idp: IdpSource
  /** The entity id of this service. */
  readonly spEntityId: string
  /** The attribute with the e-mail address; null looks at the NameID, `email` and `mail`. */
  readonly emailAttr: string | null
  readonly groupsAttr: string
  /** Whether a response may come without a request. */
  readonly allowIdpInitiated: boolean
}

export type ProviderConfig = OidcProviderConfig | SamlProviderConfig

/** The identity providers, in the order in which the sign-in page shows them: OIDC before SAML. There is at least one. */
export type SsoConfig = {
  /** The public URL of the service, without a slash at its end. */
  readonly publicUrl: string
  readonly clockSkewSecs: number
  /** The role of accounts that match no rule for admins. */
  readonly defaultRole: 'reviewer' | 'viewer' | 'member'
  readonly providers: readonly ProviderConfig[]
}
