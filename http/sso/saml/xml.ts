import { DOMParser } from '@xmldom/xmldom'
import { SsoRefused } from '../provider.ts'

/** The constant of `Node`, which is not a global here. */
const ELEMENT_NODE = 1

/** Parses XML and returns its root. Throws `SsoRefused` at the first thing of which the parser complains. */
export const parseXml = (xml: string): Element => {
  const refuse = (): never => {
    // The parser's own message quotes the text, which has personal data.
    throw new SsoRefused('provider_error', 'the response is not XML')
  }
  const handler = { warning: refuse, error: refuse, fatalError: refuse }
  return new DOMParser({ errorHandler: handler }).parseFromString(xml, 'text/xml').documentElement
}

/** The children of an element that are elements. */
export const elementsIn = (parent: Element): Element[] => {
  const elements: Element[] = []
  // A walk from sibling to sibling: the list of children counts again at each access.
  for (let node = parent.firstChild; node; node = node.nextSibling)
    if (node.nodeType === ELEMENT_NODE) elements.push(node as Element)
  return elements
}

export const isNamed = (element: Element, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name

/** The children of an element with a name. */
export const childElements = (parent: Element, namespace: string, name: string): Element[] =>
  elementsIn(parent).filter((child) => isNamed(child, namespace, name))

/** The only child with a name. Throws `SsoRefused` if there is none, or more than one. */
export const onlyChildOf = (parent: Element, namespace: string, name: string): Element => {
  const [only, ...others] = childElements(parent, namespace, name)
  if (!only || others.length > 0)
    throw new SsoRefused('provider_error', `the ${parent.localName} must have exactly one ${name}`)
  return only
}

/** The value of an attribute without namespace; null if there is none. */
export const attributeOf = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

/** The text of an element that has no elements. Throws `SsoRefused` if it has. */
export const elementText = (element: Element): string => {
  if (elementsIn(element).length > 0)
    throw new SsoRefused('provider_error', `the ${element.localName} must have text alone`)
  return element.textContent ?? ''
}
