/** How e-mails are sent. */
export type MailConfig = {
  /** The SMTP server: `smtp://` (with STARTTLS) or `smtps://`. It may have a user name and a password: never log it. */
  readonly url: string
  readonly from: string
  /** Domains of the addresses to which e-mails may be sent, in lower case. */
  readonly domains: readonly string[]
}

/**
 * One plain address, which no header and no list can be made of. RFC 5321 limits its length. Without `%` and `!`: some servers would
 * pass mail for `a%other.example@own.example` on to the other domain.
 */
const ADDRESS = /^(?=.{3,254}$)[A-Za-z0-9.#$&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)$/

/** The domain of an e-mail address in lower case; null if the text is no plain address. */
export const mailDomain = (address: string): string | null => ADDRESS.exec(address)?.[1]?.toLowerCase() ?? null

/** What is wrong with the URL of a webhook that sends e-mails (`mailto:ADDRESS`), or null. */
export const mailProblem = (url: string, mail: MailConfig | null): string | null => {
  if (!mail) return 'e-mails need SERVICE_SMTP_URL: the operator of this server has not set it'
  const domain = url.startsWith('mailto:') ? mailDomain(url.slice('mailto:'.length)) : null
  if (domain === null) return 'must be mailto: and one e-mail address'
  return mail.domains.includes(domain) ? null : `must be an address of ${mail.domains.join(', ')}`
}
