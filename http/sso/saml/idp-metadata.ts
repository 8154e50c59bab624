import { DOMParser } from '@xmldom/xmldom'
import type { IdpMetadata } from '../config.ts'
import { isWebUrl } from '../web-url.ts'
import { readCertificate, UnusableCertificate } from './certificates.ts'

/** Metadata that cannot be used. The message gives the reason, to follow a name such as "the metadata". */
export class UnusableMetadata extends Error {
  override readonly name = 'UnusableMetadata'
}

/** Maximum size of metadata in bytes. That of one identity provider has a few kilobytes. */
export const MAX_METADATA_BYTES = 262_144

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/**
 * Maximum number of comments, processing instructions, sections of CDATA and namespace declarations. The time of the
 * parser grows with the square of each: with a megabyte of them it takes minutes.
 */
const MAX_COSTLY = 500
const COSTLY = /<!|<\?|xmlns/g

/** Maximum number of certificates. A signature is checked with each, and providers have one or two. */
const MAX_CERTIFICATES = 16

/** Maximum length of an entity id in characters (SAML 2.0 Core, 8.3.6). */
export const MAX_ENTITY_ID = 1024

/**
 * Reads the metadata of a SAML identity provider (SAML 2.0 Metadata, 2.3 and 2.4.3). `xml` is an EntityDescriptor, or an
 * EntitiesDescriptor with exactly one identity provider. Certificates for encryption alone, and those that cannot verify
 * signatures, are left out. Throws `UnusableMetadata` if something that a sign-in needs is missing. A signature of the
 * metadata is not verified: the file or the URL is trusted because it is configured.
 */
export const readIdpMetadata = (xml: string): IdpMetadata => {
  const { entity, idp } = onlyIdpOf(metadataRoot(xml))
  const entityId = entity.getAttribute('entityID') ?? ''
  if (entityId === '' || entityId.length > MAX_ENTITY_ID)
    throw new UnusableMetadata(`must have an entityID of 1 to ${MAX_ENTITY_ID} characters`)
  return { entityId, ssoUrl: ssoUrlOf(idp), certificates: certificatesOf(idp) }
}

/** Parses XML and returns its root. Declarations (DOCTYPE, ENTITY) are refused before the parser sees them. */
const metadataRoot = (xml: string): Element => {
  if (Buffer.byteLength(xml) > MAX_METADATA_BYTES)
    throw new UnusableMetadata(`has more than ${MAX_METADATA_BYTES} bytes`)
  if (/<!(?!--|\[CDATA\[)/.test(xml)) throw new UnusableMetadata('must not have a DOCTYPE')
  if ((xml.match(COSTLY)?.length ?? 0) > MAX_COSTLY)
    throw new UnusableMetadata(`has more than ${MAX_COSTLY} comments, processing instructions, sections and namespaces`)
  const refuse = (): never => {
    throw new UnusableMetadata('is not well-formed XML')
  }
  // The parser passes over text before the first tag. A mark of the byte order may be there, and counts as white space.
  if (!/^\s*</.test(xml)) refuse()
  const parser = new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } })
  let document: Document | undefined
  try {
    document = parser.parseFromString(xml, 'text/xml')
  } catch (error) {
    // The parser's own message quotes the text, which may be a page with secrets that was fetched by mistake.
    if (error instanceof UnusableMetadata) throw error
    throw new UnusableMetadata('is not well-formed XML')
  }
  // The parser returns nothing for an empty text, and accepts text after the root.
  const nodes = document ? Array.from(document.childNodes) : []
  const isOutside = (node: ChildNode): boolean => node.nodeType === TEXT && node.nodeValue?.trim() !== ''
  const root = nodes.find(isElement)
  if (!root || nodes.some(isOutside)) return refuse()
  return root
}

// The constants of `Node`, which is not a global here.
const ELEMENT = 1
const TEXT = 3

const isElement = (node: ChildNode): node is Element => node.nodeType === ELEMENT

const isNamed = (element: Element, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name

const childrenOf = (parent: Element, namespace: string, name: string): Element[] =>
  Array.from(parent.childNodes)
    .filter(isElement)
    .filter((child) => isNamed(child, namespace, name))

/** The one identity provider for SAML 2.0 in a document, with the entity that has the role. */
const onlyIdpOf = (root: Element): { readonly entity: Element; readonly idp: Element } => {
  const found: { readonly entity: Element; readonly idp: Element }[] = []
  // Groups may be nested.
  const open = [root]
  for (let element = open.pop(); element; element = open.pop()) {
    if (isNamed(element, METADATA, 'EntitiesDescriptor')) {
      open.push(
        ...childrenOf(element, METADATA, 'EntitiesDescriptor'),
        ...childrenOf(element, METADATA, 'EntityDescriptor'),
      )
    } else if (isNamed(element, METADATA, 'EntityDescriptor')) {
      const entity = element
      const idps = childrenOf(entity, METADATA, 'IDPSSODescriptor').filter((idp) =>
        (idp.getAttribute('protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL),
      )
      found.push(...idps.map((idp) => ({ entity, idp })))
    } else throw new UnusableMetadata('must be an EntityDescriptor or EntitiesDescriptor of SAML 2.0')
  }
  const [only, ...others] = found
  if (!only) throw new UnusableMetadata('has no identity provider for SAML 2.0 (IDPSSODescriptor)')
  if (others.length > 0) throw new UnusableMetadata('has several identity providers; it must have exactly one')
  return only
}

/** The URL for requests with the redirect binding. The first one counts, as in the order of the provider's preference. */
const ssoUrlOf = (idp: Element): string => {
  const service = childrenOf(idp, METADATA, 'SingleSignOnService').find(
    (candidate) => candidate.getAttribute('Binding') === REDIRECT,
  )
  if (!service) throw new UnusableMetadata('has no SingleSignOnService with the HTTP-Redirect binding')
  const location = service.getAttribute('Location')?.trim() ?? ''
  if (!isWebUrl(location))
    throw new UnusableMetadata('has a SingleSignOnService whose Location is not an http or https URL')
  return location
}

/** The certificates in PEM for signatures, each once, in their order: during a change of keys there are two. */
const certificatesOf = (idp: Element): string[] => {
  const texts = childrenOf(idp, METADATA, 'KeyDescriptor')
    // A key without a use has both uses.
    .filter((key) => ['', 'signing'].includes(key.getAttribute('use') ?? ''))
    .flatMap((key) => childrenOf(key, SIGNATURE, 'KeyInfo'))
    .flatMap((info) => childrenOf(info, SIGNATURE, 'X509Data'))
    .flatMap((data) => childrenOf(data, SIGNATURE, 'X509Certificate'))
    .map((certificate) => certificate.textContent ?? '')
  if (texts.length > MAX_CERTIFICATES) throw new UnusableMetadata(`has more than ${MAX_CERTIFICATES} certificates`)
  const reasons: string[] = []
  const usable = texts.flatMap((text) => {
    try {
      return [readCertificate(text)]
    } catch (error) {
      if (!(error instanceof UnusableCertificate)) throw error
      reasons.push(error.message)
      return []
    }
  })
  if (usable.length > 0) return [...new Set(usable)]
  const [reason] = reasons
  throw new UnusableMetadata(
    reason === undefined ? 'has no signing certificate' : `has no signing certificate that can be used: it ${reason}`,
  )
}
