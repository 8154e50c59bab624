/** What an identity provider asserts about a person. `email` is null unless it can be trusted. */
export type AssertedIdentity = {
  readonly subject: string
  readonly email: string | null
  readonly groups: readonly string[]
}

export type GroupRole = { readonly group: string; readonly role: 'admin' | 'member' | 'viewer' | 'reviewer' }

/** Whom a provider lets in, and which roles it gives. E-mail addresses and domains are in lower case. */
export type RoleRules = {
  readonly adminGroups: readonly string[]
  readonly adminEmails: readonly string[]
  /** Which role the members of a group have; of several, the highest. */
  readonly groupRoles: readonly GroupRole[]
  /** Null accepts every domain, and people without an e-mail address. */
  readonly allowedDomains: readonly string[] | null
}

/** Why an account has its role: a group of admins, an e-mail address, the role of a group, or none of these. */
export type RoleRule = 'admin_group' | 'admin_email' | 'group_role' | 'default_role'

/**
 * The text with the letters A to Z in lower case. Others stay as they are: `toLowerCase` would make a `k` of the Kelvin
 * sign, and so one address of another.
 */
export const asciiLowerCase = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The role of a person, and the rule that gave it. Groups are compared exactly, e-mail addresses in any case of A to Z. */
export const mappedRole = <Default extends string>(
  { email, groups }: Pick<AssertedIdentity, 'email' | 'groups'>,
  { adminGroups, adminEmails, groupRoles }: Pick<RoleRules, 'adminGroups' | 'adminEmails' | 'groupRoles'>,
  defaultRole: Default,
): { readonly role: Default | GroupRole['role']; readonly rule: RoleRule } => {
  if (groups.some((group) => adminGroups.includes(group))) return { role: 'admin', rule: 'admin_group' }
  if (email !== null && adminEmails.includes(asciiLowerCase(email))) return { role: 'admin', rule: 'admin_email' }
  const given = new Set(groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role))
  const role = (['admin', 'member', 'viewer', 'reviewer'] as const).find((each) => given.has(each))
  return role === undefined ? { role: defaultRole, rule: 'default_role' } : { role, rule: 'group_role' }
}

/** Whether a person with this trusted e-mail address may sign in. What follows the last `@` is the domain. */
export const isEmailAllowed = (email: string | null, { allowedDomains }: Pick<RoleRules, 'allowedDomains'>): boolean =>
  allowedDomains === null ||
  (email !== null &&
    email.includes('@') &&
    allowedDomains.includes(asciiLowerCase(email.slice(email.lastIndexOf('@') + 1))))
