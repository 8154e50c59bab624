import { z } from 'zod'
import { isDotName } from '../../../domain/run/dot-names.ts'
import { isName } from '../../../domain/run/readers.ts'
import { parseGroupGrant, parseGroupRole } from '../../../domain/sso/group-grants.ts'
import { asciiLowerCase } from '../../../domain/sso/roles.ts'
import { isWebUrl } from '../../../http/sso/web-url.ts'
import { LEVELS } from '../../../queries/access/levels.ts'
import { ROLES } from '../../../queries/access/viewer.ts'
import { listEntries, Names } from '../fields.ts'

// The errors of all variables here never quote a value: an entry of a list is named by its position.

const missing = { error: 'must be set' }

/** A text on one line. */
export const Text = z.string(missing).refine((text) => /^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u.test(text), {
  error: 'must not begin or end with white space, and must not contain control characters',
})

export const WebUrl = z
  .string(missing)
  .refine(isWebUrl, 'must be an http or https URL without user, password, fragment and white space')

const Emails = z.string().transform((text, context): string[] => {
  const emails = listEntries(text)
  for (const [i, email] of emails.entries()) {
    if (!/^[^\s@]+@[^\s@]+$/.test(email))
      context.addIssue({ code: 'custom', message: `entry ${i + 1} is not an e-mail address` })
  }
  return emails.map(asciiLowerCase)
})

const Domains = z.string().transform((text, context): string[] => {
  const domains = listEntries(text)
  for (const [i, domain] of domains.entries()) {
    if (domain.startsWith('@'))
      context.addIssue({ code: 'custom', message: `entry ${i + 1} begins with @: write the domain alone, example.com` })
    else if (!/^[^\s@*/:.]+(?:\.[^\s@*/:.]+)*$/.test(domain))
      context.addIssue({ code: 'custom', message: `entry ${i + 1} is not a domain such as example.com` })
  }
  // A list without entries could be read as every domain or as none.
  if (domains.length === 0) context.addIssue({ code: 'custom', message: 'must name at least one domain' })
  return domains.map(asciiLowerCase)
})

/** The parsed entries of a list; `shape` is how an entry must be written. */
const parsedEntries = <Entry>(parse: (entry: string) => Entry | null, shape: string) =>
  z.string().transform((text, context): Entry[] =>
    listEntries(text).flatMap((entry, i) => {
      const parsed = parse(entry)
      if (parsed === null) context.addIssue({ code: 'custom', message: `entry ${i + 1} is not ${shape}` })
      return parsed ?? []
    }),
  )

const GroupRoles = parsedEntries(
  (entry) => parseGroupRole(entry, ROLES),
  'group:role with the role viewer, member or admin; write : and , in names as %3A and %2C',
)

/** Names that no run can have are refused, as for other grants. */
const GroupGrants = parsedEntries((entry) => {
  const grant = parseGroupGrant(entry, LEVELS)
  const names = grant ? [grant.project, ...(grant.suite === null ? [] : [grant.suite])] : []
  return names.every((name) => isName(name) && !isDotName(name)) ? grant : null
}, 'group:project:level or group:project/suite:level with the level view, upload or manage; write : / and , in names as %3A, %2F and %2C')

/** The variables that both kinds of providers have. */
export const Rules = {
  LABEL: Text.optional(),
  ADMIN_GROUPS: Names.default([]),
  ADMIN_EMAILS: Emails.default([]),
  GROUP_ROLES: GroupRoles.default([]),
  GROUP_GRANTS: GroupGrants.default([]),
  ALLOWED_EMAIL_DOMAINS: Domains.nullable().default(null),
}
