import { ExclusiveCanonicalization, type NamespacePrefix } from 'xml-crypto'
import { samlDigest, isSignature } from './algorithms.ts'
import { SIGNATURE } from './namespaces.ts'
import type { SignedResponse } from './structure.ts'
import { attributeOf, childElements, elementsIn, onlyChildOf, elementText } from './xml.ts'

/**
 * Returns the certificates that made the signatures of a response; null if there is a signature that none of them made.
 *
 * The SAML library verifies all this again, and its result counts. But it searches the whole document about ten times
 * for each signature and certificate, so a forged response could keep the main thread busy for half a second. This pass
 * is much cheaper, and only what the provider signed reaches the library, with the certificate that fits.
 */
export const signersOf = (
  { response, assertion, responseSigned, assertionSigned }: SignedResponse,
  certificates: readonly string[],
): string[] | null => {
  const signed = [...(responseSigned ? [response] : []), ...(assertionSigned ? [assertion] : [])]
  const signers = signed.map((element) => signerOf(element, certificates))
  return signers.includes(null) ? null : [...new Set(signers)].filter((signer) => signer !== null)
}

/** The certificate that made the signature of an element whose structure was checked. */
const signerOf = (element: Element, certificates: readonly string[]): string | null => {
  const signature = onlyChildOf(element, SIGNATURE, 'Signature')
  const info = onlyChildOf(signature, SIGNATURE, 'SignedInfo')
  const algorithm = algorithmOf(onlyChildOf(info, SIGNATURE, 'SignatureMethod'))
  const canonicalInfo = canonical(info, [])
  const value = elementText(onlyChildOf(signature, SIGNATURE, 'SignatureValue'))
  const signer = certificates.find((certificate) => isSignature(algorithm, canonicalInfo, certificate, value))
  if (signer === undefined) return null
  const reference = onlyChildOf(info, SIGNATURE, 'Reference')
  const digest = samlDigest(
    algorithmOf(onlyChildOf(reference, SIGNATURE, 'DigestMethod')),
    signedText(element, reference),
  )
  const expected = elementText(onlyChildOf(reference, SIGNATURE, 'DigestValue')).replaceAll(/\s/g, '')
  return digest !== null && digest === expected ? signer : null
}

const algorithmOf = (element: Element): string => attributeOf(element, 'Algorithm') ?? ''

/** The text whose digest is in a reference: the element without its signature, in exclusive canonical form. */
const signedText = (element: Element, reference: Element): string => {
  const [, canonicalization] = childElements(onlyChildOf(reference, SIGNATURE, 'Transforms'), SIGNATURE, 'Transform')
  const prefixes = (canonicalization ? elementsIn(canonicalization) : [])
    .flatMap((list) => (attributeOf(list, 'PrefixList') ?? '').split(/\s+/))
    .filter((prefix) => prefix !== '')
  const ancestors = namespacesAround(element)
  const copy = element.cloneNode(true) as Element
  copy.removeChild(onlyChildOf(copy, SIGNATURE, 'Signature'))
  return canonical(copy, prefixes, ancestors)
}

/** Exclusive canonical XML (https://www.w3.org/TR/xml-exc-c14n/). It may add namespaces to the element. */
const canonical = (element: Element, prefixes: string[], ancestors = namespacesAround(element)): string =>
  new ExclusiveCanonicalization().process(element, {
    inclusiveNamespacesPrefixList: prefixes,
    ancestorNamespaces: ancestors,
  })

/** The namespaces with a prefix that an element inherits, each from its nearest ancestor. */
const namespacesAround = (element: Element): NamespacePrefix[] => {
  const found = new Map<string, string>()
  const own = declaredIn(element)
  for (
    let parent = element.parentNode as Element | null;
    parent?.attributes;
    parent = parent.parentNode as Element | null
  )
    for (const [prefix, namespace] of declaredIn(parent))
      if (!own.has(prefix) && !found.has(prefix)) found.set(prefix, namespace)
  return [...found].map(([prefix, namespaceURI]) => ({ prefix, namespaceURI }))
}

const declaredIn = (element: Element): Map<string, string> => {
  const declared = new Map<string, string>()
  for (let index = 0; index < element.attributes.length; index += 1) {
    const attribute = element.attributes[index]
    if (attribute?.prefix === 'xmlns') declared.set(attribute.localName, attribute.value)
  }
  return declared
}
