import { inflateRawSync } from 'node:zlib'
import type { IdpMetadata } from '../../../../http/sso/config.ts'
import type { SigningKey } from '../certificate.ts'
import { signXml, type Hash, type SigningOptions } from './saml-signing.ts'

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/** XPaths of the two elements that a provider signs. */
const RESPONSE = "/*[local-name(.)='Response']"
const ONLY_ASSERTION = `${RESPONSE}/*[local-name(.)='Assertion']`

export type SamlAttribute = {
  readonly name: string
  readonly friendlyName?: string
  readonly values: readonly string[]
}

/** What a response says. A null leaves the element or attribute out. */
export type ResponseFields = {
  /** The time in epoch milliseconds. */
  readonly at: number
  readonly acsUrl: string
  readonly audience: string | null
  readonly issuer: string
  readonly requestId: string | null
  readonly nameId: string
  readonly nameIdFormat: string | null
  readonly attributes: readonly SamlAttribute[]
  readonly assertionId: string
  readonly responseId: string
  readonly status: string
  readonly version: string
  readonly destination: string | null
  readonly recipient: string | null
  readonly responseIssuer: string | null
  readonly assertionIssuer: string | null
  readonly responseInResponseTo: string | null
  readonly subjectInResponseTo: string | null
  readonly method: string
  readonly issueInstant: string
  readonly notBefore: string | null
  readonly notOnOrAfter: string | null
  readonly subjectNotOnOrAfter: string | null
  readonly sessionNotOnOrAfter: string | null
  /** Elements that replace the AuthnStatement. */
  readonly statements: string | null
  /** More children of Conditions, and of Response after the assertion. */
  readonly moreConditions: string
  readonly moreInResponse: string
  /** The prefixes of the assertion's and the protocol's namespace. The empty ones make them default namespaces. */
  readonly prefixes: readonly [string, string]
  /** Whether each element has a line of its own. */
  readonly pretty: boolean
}

/** Who signs which parts, and how. */
export type Signed = Partial<Omit<SigningOptions, 'key'>> & {
  readonly key: SigningKey
  readonly sign: 'response' | 'assertion' | 'both' | 'none'
  readonly hash?: Hash
}

const instant = (ms: number): string => new Date(ms).toISOString()
export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The fields that must be given. All others follow from them. */
export type RequiredFields = Pick<ResponseFields, 'at' | 'acsUrl' | 'audience' | 'issuer' | 'requestId' | 'nameId'>

const withDefaults = (given: RequiredFields & Partial<ResponseFields>): ResponseFields => {
  const { at, acsUrl, issuer, requestId } = given
  return {
    nameIdFormat: EMAIL_FORMAT,
    attributes: [],
    assertionId: '_assertion-1',
    responseId: '_response-1',
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    version: '2.0',
    destination: acsUrl,
    recipient: acsUrl,
    responseIssuer: issuer,
    assertionIssuer: issuer,
    responseInResponseTo: requestId,
    subjectInResponseTo: requestId,
    method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
    issueInstant: instant(at),
    notBefore: instant(at - 30_000),
    notOnOrAfter: instant(at + 300_000),
    subjectNotOnOrAfter: instant(at + 300_000),
    sessionNotOnOrAfter: null,
    statements: null,
    moreConditions: '',
    moreInResponse: '',
    prefixes: ['saml', 'samlp'],
    pretty: false,
    ...given,
  }
}

/**
 * Returns the XML of a response without signatures. It is one long function, so that the document can be read from top
 * to bottom.
 */
export const unsignedResponse = (given: RequiredFields & Partial<ResponseFields>): string => {
  const f = withDefaults(given)
  const [a, p] = f.prefixes.map((prefix) => (prefix === '' ? '' : `${prefix}:`)) as [string, string]
  const declared = (prefix: string, namespace: string): string =>
    ` xmlns${prefix === '' ? '' : ':'}${prefix.replace(':', '')}="${namespace}"`
  const attribute = (name: string, value: string | null): string =>
    value === null ? '' : ` ${name}="${escapeXml(value)}"`
  const element = (name: string, attributes: string, content: string): string =>
    `<${name}${attributes}>${content}</${name}>`
  const issuer = (value: string | null): string =>
    value === null ? '' : element(`${a}Issuer`, a === '' ? declared(a, ASSERTION) : '', escapeXml(value))
  const attributes = f.attributes.map(({ name, friendlyName = null, values }) =>
    element(
      `${a}Attribute`,
      attribute('Name', name) + attribute('FriendlyName', friendlyName),
      values.map((value) => element(`${a}AttributeValue`, '', escapeXml(value))).join(''),
    ),
  )
  const confirmation = element(
    `${a}SubjectConfirmation`,
    attribute('Method', f.method),
    `<${a}SubjectConfirmationData${attribute('InResponseTo', f.subjectInResponseTo)}${attribute('NotOnOrAfter', f.subjectNotOnOrAfter)}${attribute('Recipient', f.recipient)}/>`,
  )
  const subject = element(
    `${a}Subject`,
    '',
    element(`${a}NameID`, attribute('Format', f.nameIdFormat), escapeXml(f.nameId)) + confirmation,
  )
  const audience =
    f.audience === null
      ? ''
      : element(`${a}AudienceRestriction`, '', element(`${a}Audience`, '', escapeXml(f.audience)))
  const conditions = element(
    `${a}Conditions`,
    attribute('NotBefore', f.notBefore) + attribute('NotOnOrAfter', f.notOnOrAfter),
    audience + f.moreConditions,
  )
  const statement =
    f.statements ??
    element(
      `${a}AuthnStatement`,
      attribute('AuthnInstant', f.issueInstant) + attribute('SessionNotOnOrAfter', f.sessionNotOnOrAfter),
      element(
        `${a}AuthnContext`,
        '',
        element(`${a}AuthnContextClassRef`, '', 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'),
      ),
    )
  const assertion = element(
    `${a}Assertion`,
    `${declared(a, ASSERTION)} ID="${f.assertionId}" IssueInstant="${f.issueInstant}" Version="${f.version}"`,
    issuer(f.assertionIssuer) +
      subject +
      conditions +
      statement +
      (attributes.length === 0 ? '' : element(`${a}AttributeStatement`, '', attributes.join(''))),
  )
  const xml = element(
    `${p}Response`,
    `${declared(p, PROTOCOL)}${a === '' ? '' : declared(a, ASSERTION)} ID="${f.responseId}" IssueInstant="${f.issueInstant}" Version="${f.version}"${attribute('Destination', f.destination)}${attribute('InResponseTo', f.responseInResponseTo)}`,
    `${issuer(f.responseIssuer)}<${p}Status><${p}StatusCode Value="${f.status}"/></${p}Status>${assertion}${f.moreInResponse}`,
  )
  return f.pretty ? xml.replaceAll('><', '>\n<') : xml
}

/** Signs the assertion first, as a signature of the response covers it with its signature. */
export const signResponse = (xml: string, { sign, ...options }: Signed): string => {
  const inner = sign === 'assertion' || sign === 'both' ? signXml(xml, ONLY_ASSERTION, options) : xml
  // A response without an Issuer has its signature before the status.
  return sign === 'response' || sign === 'both' ? signXml(inner, RESPONSE, options) : inner
}

/** The value of the form field. */
export const encodeResponse = (xml: string): string => Buffer.from(xml).toString('base64')

/** Returns the form field of a signed response. */
export const samlResponse = (fields: RequiredFields & Partial<ResponseFields>, signed: Signed): string =>
  encodeResponse(signResponse(unsignedResponse(fields), signed))

/** The metadata that a provider publishes, in XML. */
export const idpMetadataXml = ({ entityId, ssoUrl, certificates }: IdpMetadata): string => {
  const keys = certificates.map((certificate) => {
    const base64 = certificate.replaceAll(/-----[^-]+-----|\s/g, '')
    return `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${base64}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`
  })
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(entityId)}"><IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}">${keys.join('')}<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${escapeXml(ssoUrl)}"/></IDPSSODescriptor></EntityDescriptor>`
}

/** What a provider reads in the URL of a request. */
export type AuthnRequest = {
  readonly xml: string
  readonly id: string
  readonly issuer: string
  readonly acsUrl: string
  readonly relayState: string | null
}

/** Reads the request in a URL of the redirect binding. */
export const readAuthnRequest = (url: string): AuthnRequest => {
  const query = new URL(url).searchParams
  const xml = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString()
  const part = (pattern: RegExp): string => pattern.exec(xml)?.[1]?.replaceAll('&amp;', '&') ?? ''
  return {
    xml,
    id: part(/ ID="([^"]*)"/),
    issuer: part(/<saml:Issuer>([^<]*)</),
    acsUrl: part(/ AssertionConsumerServiceURL="([^"]*)"/),
    relayState: query.get('RelayState'),
  }
}
