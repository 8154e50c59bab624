import { z } from 'zod'
import { asciiLowerCase } from '../../../domain/sso/roles.ts'
import { isWebUrl } from '../../../http/sso/web-url.ts'
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

/** The variables that both kinds of providers have. */
export const Rules = {
  LABEL: Text.optional(),
  ADMIN_GROUPS: Names.default([]),
  ADMIN_EMAILS: Emails.default([]),
  ALLOWED_EMAIL_DOMAINS: Domains.nullable().default(null),
}
