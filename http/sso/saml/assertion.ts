import type { SamlProviderConfig } from '../config.ts'
import { SsoRefused, type SamlAssertion } from '../provider.ts'
import { parseSamlInstant } from './instants.ts'
import { ASSERTION, PROTOCOL } from './namespaces.ts'
import { attributeOf, childElements, elementsIn, isNamed, onlyChildOf, elementText } from './xml.ts'

/** What a response is compared with. */
export type Expected = Pick<SamlProviderConfig, 'spEntityId' | 'emailAttr' | 'groupsAttr'> & {
  /** The entity id of the identity provider. */
  readonly issuer: string
  /** The URL to which the response was posted. */
  readonly acsUrl: string
  /** The id of the request; null if there was none. */
  readonly requestId: string | null
  readonly clockSkewMs: number
  /** The time of the checks, in epoch milliseconds. */
  readonly at: number
}

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const ENTITY_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity'
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const TRANSIENT_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/** The conditions that have a meaning here. One that is not understood makes an assertion unusable (Core, 2.5.1). */
const CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

/** Maximum length in characters of a subject and of an e-mail address. */
const MAX_NAME_LENGTH = 1_024

const refused = (reason: string): SsoRefused => new SsoRefused('provider_error', reason)

/**
 * Checks the status of a response. It is called before everything else, because a response that reports a failure has no
 * assertion, and often no signature. Throws `SsoRefused` with the code of the status, if it is one of the standard.
 */
export const checkStatus = (response: Element): void => {
  if (!isNamed(response, PROTOCOL, 'Response')) throw refused('the response is not a Response of SAML 2.0')
  const status = onlyChildOf(response, PROTOCOL, 'Status')
  const code = onlyChildOf(status, PROTOCOL, 'StatusCode')
  if (attributeOf(code, 'Value') === SUCCESS) return
  const [second] = childElements(code, PROTOCOL, 'StatusCode')
  const values = [code, ...(second ? [second] : [])].map((element) => attributeOf(element, 'Value'))
  const names = values.flatMap(
    (value) => /^urn:oasis:names:tc:SAML:2\.0:status:([A-Za-z]{1,40})$/.exec(value ?? '')?.[1] ?? [],
  )
  throw refused(`the provider reports a failure: ${names.join(', ') || 'with a status that is not of the standard'}`)
}

/**
 * Checks the parts of a response around its assertion (SAML 2.0 Profiles, 4.1.4.3; Bindings, 3.5.5.2). A response that is
 * not signed may lack them, but what it has must be right.
 */
export const checkResponse = (response: Element, isSigned: boolean, expected: Expected): void => {
  checkVersion(response)
  if (childElements(response, ASSERTION, 'Issuer').length > 0) checkIssuer(response, expected)
  checkIssueInstant(response, expected)
  const destination = attributeOf(response, 'Destination')
  if (destination === null ? isSigned : destination !== expected.acsUrl)
    throw refused('the response is for another destination')
  checkInResponseTo(response, expected)
}

/**
 * Checks an assertion whose signature was verified, and returns the asserted identity (SAML 2.0 Core, 2.3 to 2.7; Profiles,
 * 4.1.4.2). Throws `SsoRefused`: `expired` outside of its validity, `invalid_state` if it answers another request, else
 * `provider_error`.
 */
export const readAssertion = (assertion: Element, expected: Expected): SamlAssertion => {
  checkVersion(assertion)
  checkIssuer(assertion, expected)
  checkIssueInstant(assertion, expected)
  const id = attributeOf(assertion, 'ID')
  if (id === null || id === '') throw refused('the assertion has no ID')
  const subject = onlyChildOf(assertion, ASSERTION, 'Subject')
  const until = checkConfirmation(subject, expected)
  checkConditions(onlyChildOf(assertion, ASSERTION, 'Conditions'), expected)
  checkSession(assertion, expected)
  const nameId = onlyChildOf(subject, ASSERTION, 'NameID')
  const format = attributeOf(nameId, 'Format')
  // A transient name would make a new account at each sign-in.
  if (format === TRANSIENT_FORMAT) throw refused('the NameID is transient; the provider must send one that stays')
  const name = usableName(elementText(nameId), 'NameID')
  if (name.trim() === '') throw refused('the NameID is empty')
  const attributes = attributesOf(assertion)
  return {
    subject: name,
    email: emailOf(attributes, format === EMAIL_FORMAT ? name : null, expected.emailAttr),
    groups: attributeValues(attributes, expected.groupsAttr),
    // Until then a second use must be found. The skew is part of the validity.
    assertion: { id, until: until + expected.clockSkewMs },
  }
}

const checkVersion = (element: Element): void => {
  if (attributeOf(element, 'Version') !== '2.0') throw refused(`the ${element.localName} is not of version 2.0`)
}

const checkIssuer = (element: Element, { issuer }: Expected): void => {
  const named = onlyChildOf(element, ASSERTION, 'Issuer')
  const isEntity = [null, ENTITY_FORMAT].includes(attributeOf(named, 'Format'))
  if (!isEntity || elementText(named) !== issuer)
    throw refused(`the issuer of the ${element.localName} is not the entity id of the provider`)
}

/** An instant of an attribute in epoch milliseconds; null if there is none. */
const instantOf = (element: Element, name: string): number | null => {
  const text = attributeOf(element, name)
  if (text === null) return null
  const instant = parseSamlInstant(text)
  if (instant === null) throw refused(`the ${name} of the ${element.localName} is not an instant`)
  return instant
}

const tooEarly = (element: Element): SsoRefused =>
  new SsoRefused('expired', `the ${element.localName} is not valid yet`)
const tooLate = (element: Element): SsoRefused => new SsoRefused('expired', `the ${element.localName} is too old`)

const checkIssueInstant = (element: Element, { at, clockSkewMs }: Expected): void => {
  const issued = instantOf(element, 'IssueInstant')
  if (issued === null) throw refused(`the ${element.localName} has no IssueInstant`)
  if (issued > at + clockSkewMs) throw tooEarly(element)
}

/** Checks NotBefore and NotOnOrAfter where they are given, and returns the second. */
const checkWindow = (element: Element, { at, clockSkewMs }: Expected): number | null => {
  const start = instantOf(element, 'NotBefore')
  const end = instantOf(element, 'NotOnOrAfter')
  if (start !== null && start > at + clockSkewMs) throw tooEarly(element)
  if (end !== null && end <= at - clockSkewMs) throw tooLate(element)
  return end
}

const checkInResponseTo = (element: Element, { requestId }: Expected): void => {
  if (attributeOf(element, 'InResponseTo') !== requestId)
    throw new SsoRefused('invalid_state', `the ${element.localName} answers another request`)
}

/** Checks the one confirmation for bearers, and returns the end of its validity. Confirmations of other kinds are ignored. */
const checkConfirmation = (subject: Element, expected: Expected): number => {
  const bearers = childElements(subject, ASSERTION, 'SubjectConfirmation').filter(
    (confirmation) => attributeOf(confirmation, 'Method') === BEARER,
  )
  const [bearer, ...others] = bearers
  if (!bearer || others.length > 0) throw refused('the Subject must have exactly one SubjectConfirmation for bearers')
  const data = onlyChildOf(bearer, ASSERTION, 'SubjectConfirmationData')
  if (attributeOf(data, 'Recipient') !== expected.acsUrl) throw refused('the assertion is for another recipient')
  const end = checkWindow(data, expected)
  if (end === null) throw refused('the SubjectConfirmationData has no NotOnOrAfter')
  checkInResponseTo(data, expected)
  return end
}

const checkConditions = (conditions: Element, expected: Expected): void => {
  checkWindow(conditions, expected)
  const isKnown = (condition: Element): boolean =>
    condition.namespaceURI === ASSERTION && CONDITIONS.includes(condition.localName)
  if (!elementsIn(conditions).every(isKnown)) throw refused('the assertion has a condition that is not known here')
  const restrictions = childElements(conditions, ASSERTION, 'AudienceRestriction')
  const includesUs = (restriction: Element): boolean =>
    childElements(restriction, ASSERTION, 'Audience').some((audience) => elementText(audience) === expected.spEntityId)
  if (restrictions.length === 0 || !restrictions.every(includesUs))
    throw refused('the assertion is for another audience')
}

/** Requires a statement that the person signed in, and that the session at the provider did not end (Profiles, 4.1.4.2). */
const checkSession = (assertion: Element, { at, clockSkewMs }: Expected): void => {
  const statements = childElements(assertion, ASSERTION, 'AuthnStatement')
  if (statements.length === 0) throw refused('the assertion has no AuthnStatement')
  for (const statement of statements) {
    const signedIn = instantOf(statement, 'AuthnInstant')
    const end = instantOf(statement, 'SessionNotOnOrAfter')
    if (signedIn !== null && signedIn > at + clockSkewMs) throw tooEarly(statement)
    if (end !== null && end <= at - clockSkewMs) throw tooLate(statement)
  }
}

type SamlAttribute = { readonly name: string; readonly friendlyName: string | null; readonly values: readonly string[] }

/** The attributes with their values in text. A value with elements in it has no text that two readers would agree on. */
const attributesOf = (assertion: Element): SamlAttribute[] =>
  childElements(assertion, ASSERTION, 'AttributeStatement')
    .flatMap((statement) => childElements(statement, ASSERTION, 'Attribute'))
    .map((attribute) => ({
      name: attributeOf(attribute, 'Name') ?? '',
      friendlyName: attributeOf(attribute, 'FriendlyName'),
      values: childElements(attribute, ASSERTION, 'AttributeValue')
        .filter((value) => elementsIn(value).length === 0)
        .map(elementText)
        .filter((value) => value !== ''),
    }))

/** All values of the attributes with a name. Those with the name itself come before those with the friendly name. */
const attributeValues = (attributes: readonly SamlAttribute[], name: string): string[] => [
  ...attributes.filter((attribute) => attribute.name === name).flatMap(({ values }) => values),
  ...attributes
    .filter((attribute) => attribute.name !== name && attribute.friendlyName === name)
    .flatMap(({ values }) => values),
]

const emailOf = (
  attributes: readonly SamlAttribute[],
  nameId: string | null,
  emailAttr: string | null,
): string | null => {
  const first = (name: string): string | null => attributeValues(attributes, name)[0] ?? null
  const email = emailAttr === null ? (nameId ?? first('email') ?? first('mail')) : first(emailAttr)
  return email === null ? null : usableName(email, 'e-mail address')
}

/**
 * Refuses names with control characters, and very long ones. Parsers turn some line ends into others, so that two names
 * could become one.
 */
const usableName = (text: string, what: string): string => {
  if (text.length > MAX_NAME_LENGTH) throw refused(`the ${what} has more than ${MAX_NAME_LENGTH} characters`)
  if (/\p{Cc}/u.test(text)) throw refused(`the ${what} has control characters`)
  return text
}
