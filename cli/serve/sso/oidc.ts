import { z } from 'zod'
import type { OidcProviderConfig } from '../../../http/sso/config.ts'
import type { PROVIDER_VARIABLES } from '../variables.ts'
import { Rules, Text, WebUrl } from './fields.ts'
import { errorsOf, defaultLabel, providerValues, type Listed, type Read, type Variables } from './listed.ts'

// Kept as it is written: tokens must contain exactly this text (OpenID Connect Core, 3.1.3.7).
const Issuer = WebUrl.refine((text) => !text.includes('?'), 'must not have a query')

/** Scopes have printable ASCII characters except `"` and `\` (RFC 6749, 3.3). */
const Scopes = z.string().transform((text, context): string[] => {
  const scopes = text.split(/[\s,]+/).filter((scope) => scope !== '')
  for (const [i, scope] of scopes.entries()) {
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      context.addIssue({ code: 'custom', message: `scope ${i + 1} contains a character that scopes cannot have` })
  }
  return [...new Set(['openid', ...scopes])]
})

const Oidc = z.object({
  ...Rules,
  ISSUER: Issuer,
  CLIENT_ID: Text,
  CLIENT_SECRET: Text,
  SCOPES: Scopes.default(['openid', 'email', 'profile']),
  GROUPS_CLAIM: Text.default('groups'),
} satisfies Record<(typeof PROVIDER_VARIABLES.OIDC)[number], z.ZodType>)

/** Reads the variables of an OpenID provider. */
export const readOidc = (env: Variables, listed: Listed): Read<OidcProviderConfig> => {
  const { success, data, error } = Oidc.safeParse(providerValues(env, listed))
  if (!success) return { provider: null, errors: errorsOf(listed, error.issues) }
  return {
    provider: {
      kind: 'oidc',
      name: listed.name,
      label: data.LABEL ?? defaultLabel(listed.name),
      issuer: data.ISSUER,
      clientId: data.CLIENT_ID,
      clientSecret: data.CLIENT_SECRET,
      scopes: data.SCOPES,
      groupsClaim: data.GROUPS_CLAIM,
      adminGroups: data.ADMIN_GROUPS,
      adminEmails: data.ADMIN_EMAILS,
      groupRoles: data.GROUP_ROLES,
      groupGrants: data.GROUP_GRANTS,
      allowedDomains: data.ALLOWED_EMAIL_DOMAINS,
    },
    errors: [],
  }
}
