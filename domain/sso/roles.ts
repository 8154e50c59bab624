/** What an identity provider asserts about a person. `email` is null unless it can be trusted. */
export type AssertedIdentity = {
  readonly subject: string
  readonly email: string | null
  readonly groups: readonly string[]
}

/** Whom a provider lets in, and whom it makes an admin. E-mail addresses and domains are in lower case. */
export type RoleRules = {
  readonly adminGroups: readonly string[]
  readonly adminEmails: readonly string[]
  /** Null accepts every domain, and people without an e-mail address. */
  readonly allowedDomains: readonly string[] | null
}

/** Why an account has its role: a group, an e-mail address, or neither. */
export type RoleRule = 'admin_group' | 'admin_email' | 'default_role'

/**
 * The text with the letters A to Z in lower case. Others stay as they are: `toLowerCase` would make a `k` of the Kelvin
 * sign, and so one address of another.
 */
export const asciiLowerCase = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The role of a person, and the rule that gave it. Groups are compared exactly, e-mail addresses in any case of A to Z. */
export const mappedRole = <Default extends string>(
  { email, groups }: Pick<AssertedIdentity, 'email' | 'groups'>,
  { adminGroups, adminEmails }: Pick<RoleRules, 'adminGroups' | 'adminEmails'>,
  defaultRole: Default,
): { readonly role: Default | 'admin'; readonly rule: RoleRule } => {
  if (groups.some((group) => adminGroups.includes(group))) return { role: 'admin', rule: 'admin_group' }
  if (email !== null && adminEmails.includes(asciiLowerCase(email))) return { role: 'admin', rule: 'admin_email' }
  return { role: defaultRole, rule: 'default_role' }
}

/** Whether a person with this trusted e-mail address may sign in. What follows the last `@` is the domain. */
export const isEmailAllowed = (email: string | null, { allowedDomains }: Pick<RoleRules, 'allowedDomains'>): boolean =>
  allowedDomains === null ||
  (email !== null &&
    email.includes('@') &&
    allowedDomains.includes(asciiLowerCase(email.slice(email.lastIndexOf('@') + 1))))
