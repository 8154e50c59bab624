import { SsoRefused } from '../provider.ts'
import { ASSERTION, SIGNATURE } from './namespaces.ts'
import { attributeOf, childElements, elementsIn, isNamed, onlyChildOf } from './xml.ts'

/** The algorithms of transforms, and of canonicalization. */
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** Maximum length of the list of prefixes of a transform. Each prefix is compared with each attribute. */
const MAX_PREFIX_LIST = 256
/** Maximum number of ids in a document. Real ones have two, and some have one in each part of a signature. */
const MAX_IDS = 32

const ID = /^[A-Za-z_][\w.-]{0,255}$/
/** All spellings that the library of signatures takes for ids, in any namespace. */
const isIdName = (localName: string): boolean => localName.toLowerCase() === 'id'

/** A response with exactly one assertion, and which of the two has a signature. At least one has. */
export type SignedResponse = {
  readonly response: Element
  readonly assertion: Element
  readonly responseSigned: boolean
  readonly assertionSigned: boolean
}

const refused = (reason: string): SsoRefused => new SsoRefused('provider_error', `the response ${reason}`)

/**
 * Checks the structure of a Response so that a signature can only cover the assertion that is read (Somorovsky et al.
 * 2012: On Breaking SAML). The rules hold for local names, whatever the namespace. No cryptography happens here.
 * Throws `SsoRefused`.
 */
export const checkStructure = (response: Element): SignedResponse => {
  const elements = [response, ...descendantsOf(response)]
  elements.forEach(checkNamespaces)
  checkIds(elements)
  const named = (localName: string): Element[] => elements.filter((element) => element.localName === localName)
  if (named('Response').length > 1) throw refused('has a Response in it')
  if (elements.some(({ localName }) => /^Encrypted/.test(localName))) throw refused('is encrypted')
  const [assertion, ...others] = named('Assertion')
  if (!assertion) throw refused('has no Assertion')
  if (others.length > 0) throw refused('has more than one Assertion')
  if (!isNamed(assertion, ASSERTION, 'Assertion') || assertion.parentNode !== response)
    throw refused('has its Assertion in another place')
  const signatures = named('Signature')
  if (signatures.some(({ parentNode }) => parentNode !== response && parentNode !== assertion))
    throw refused('has a Signature in another place')
  if (signatures.length === 0) throw refused('is not signed')
  const signedElements = signatures.map(checkSignature)
  if (new Set(signedElements).size < signedElements.length) throw refused('has two Signatures of one element')
  return {
    response,
    assertion,
    responseSigned: signedElements.includes(response),
    assertionSigned: signedElements.includes(assertion),
  }
}

/** All elements in an element, in the order of the document. */
const descendantsOf = (root: Element): Element[] =>
  elementsIn(root).flatMap((child) => [child, ...descendantsOf(child)])

/** Refuses names that the parser and the canonicalization could read in two ways. */
const checkNamespaces = (element: Element): void => {
  const isUnbound = ({ prefix, namespaceURI }: Attr | Element): boolean =>
    Boolean(prefix) && (typeof namespaceURI !== 'string' || namespaceURI === '')
  if (isUnbound(element)) throw refused('has a prefix without a namespace')
  const names = new Set<string>()
  for (let index = 0; index < element.attributes.length; index += 1) {
    const attribute = element.attributes[index]
    if (!attribute) continue
    const { name, localName, namespaceURI, value } = attribute
    if (isUnbound(attribute)) throw refused('has a prefix without a namespace')
    // The canonicalization leaves out every attribute whose name starts like this.
    if (name.startsWith('xmlns') && name !== 'xmlns' && !name.startsWith('xmlns:'))
      throw refused('has an attribute that is almost a namespace')
    // The canonicalization does not escape what a namespace is called.
    if ((name === 'xmlns' || name.startsWith('xmlns:')) && /["'<>&]/.test(value))
      throw refused('declares a namespace with a character that must be escaped')
    if (name.startsWith('xmlns:') && (localName === 'xml' || localName === 'xmlns' || value === ''))
      throw refused('declares a namespace that must not be declared')
    const expanded = `${localName} ${namespaceURI ?? ''}`
    if (names.has(expanded)) throw refused('has an attribute twice')
    names.add(expanded)
  }
}

/** Every id is there once in the whole document, and an element has one at most. */
const checkIds = (elements: readonly Element[]): void => {
  const ids = new Set<string>()
  for (const element of elements) {
    let found = 0
    for (let index = 0; index < element.attributes.length; index += 1) {
      const attribute = element.attributes[index]
      if (!attribute || !isIdName(attribute.localName)) continue
      found += 1
      if (found > 1 || ids.has(attribute.value)) throw refused('has an id twice')
      ids.add(attribute.value)
      if (ids.size > MAX_IDS) throw refused('has too many ids')
    }
  }
}

/** Checks the parts of a Signature (SAML 2.0 Core, 5.4) and returns the element that it covers: its parent. */
const checkSignature = (signature: Element): Element => {
  if (signature.namespaceURI !== SIGNATURE) throw refused('has a Signature in another namespace')
  const parent = signature.parentNode as Element
  const id = attributeOf(parent, 'ID')
  if (id === null || !ID.test(id)) throw refused('has a signed element without a usable ID')
  checkParts(signature, ['SignedInfo', 'SignatureValue'], ['KeyInfo'])
  const info = onlyChildOf(signature, SIGNATURE, 'SignedInfo')
  checkParts(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference'])
  const method = onlyChildOf(info, SIGNATURE, 'CanonicalizationMethod')
  if (attributeOf(method, 'Algorithm') !== EXCLUSIVE) throw refused('has a Signature with another canonicalization')
  const reference = onlyChildOf(info, SIGNATURE, 'Reference')
  if (attributeOf(reference, 'URI') !== `#${id}`) throw refused('has a Signature of another element than its parent')
  checkParts(reference, ['Transforms', 'DigestMethod', 'DigestValue'])
  const transforms = onlyChildOf(reference, SIGNATURE, 'Transforms')
  checkParts(transforms, ['Transform', 'Transform'])
  const algorithms = childElements(transforms, SIGNATURE, 'Transform').map((transform) =>
    attributeOf(transform, 'Algorithm'),
  )
  if (algorithms[0] !== ENVELOPED || algorithms[1] !== EXCLUSIVE) throw refused('has a Signature with other transforms')
  const prefixLists = descendantsOf(info).map((element) => element.getAttribute('PrefixList') ?? '')
  if (prefixLists.some(({ length }) => length > MAX_PREFIX_LIST))
    throw refused('has a list of prefixes that is too long')
  // What is in KeyInfo is never read. The key is that of the metadata.
  return parent
}

/** Requires exactly these children, in this order, then those that may follow. */
const checkParts = (parent: Element, required: readonly string[], optional: readonly string[] = []): void => {
  const names = elementsIn(parent).map((child) => (child.namespaceURI === SIGNATURE ? child.localName : ''))
  const isRequired = required.every((name, index) => names[index] === name)
  const rest = names.slice(required.length)
  if (!isRequired || rest.length > optional.length || rest.some((name) => !optional.includes(name)))
    throw refused(`has a ${parent.localName} with other parts than it must have`)
}
