import type { Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json/json-elements.ts'
import type { XmlEvent } from '../../read/xml.ts'

/** An element: its attributes and, by their names, its child elements. `#text` is its text. It has no prototype. */
export type Element = { [name: string]: string | Element[] }

/**
 * A test case with the names of the suites it is in, the outermost first, and the host that they name. `isSuite`: it is
 * the case for a suite that failed as a whole, such as in its setup, and has the errors and failures directly in the suite.
 */
export type FoundCase = {
  readonly element: Element
  readonly suites: readonly string[]
  readonly host: string
  /** The depth of the suite it is in. */
  readonly depth: number
  readonly isSuite?: true
}

/** A suite without the suites and test cases in it. `depth` is 1 for the root. */
export type FoundSuite = { readonly element: Element; readonly suites: readonly string[]; readonly depth: number }

/** `failed`: the case for the suite itself, if it failed as a whole. */
type OnSuite = (suite: FoundSuite, failed: FoundCase | null) => void

/** The name of an element without the prefix of a namespace. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * Puts the elements of a JUnit file together, event by event. Only one test case, and what the open suites have said so
 * far, is in memory.
 */
export const elementBuilder = (losses: Losses, onSuite: OnSuite) => {
  const suites: Element[] = []
  const names: string[] = []
  /** The elements that are open in a test case, or in another part of a suite. */
  const open: Array<{ readonly name: string; readonly element: Element; readonly texts: string[] }> = []
  let [hasRoot, characters] = [false, 0]

  /** A part of the file that is larger than an element of JSON may be is refused. */
  const addCharacters = (count: number) => {
    characters += count
    if (characters > MAX_ELEMENT_BYTES)
      throw new SourceRefused(`a test case or a suite is longer than ${MAX_ELEMENT_BYTES} characters`)
  }

  const newElement = (attributes: Readonly<Record<string, string>>): Element => {
    const element = Object.create(null) as Element
    for (const [name, value] of Object.entries(attributes)) {
      element[localName(name)] = value
      addCharacters(name.length + value.length)
    }
    return element
  }

  const attach = (parent: Element, name: string, child: Element) => {
    const known = parent[name]
    if (Array.isArray(known)) known.push(child)
    else {
      // An attribute of the same name as a child keeps its value under another name.
      if (known !== undefined) parent[`@${name}`] = known
      parent[name] = [child]
    }
  }

  const onOpen = (name: string, attributes: Readonly<Record<string, string>>) => {
    if (open.length === 0 && (name === 'testsuite' || name === 'testsuites')) {
      characters = 0
      const element = newElement(attributes)
      suites.push(element)
      const own = element['name']
      names.push(typeof own === 'string' && name === 'testsuite' ? own : '')
      hasRoot = true
      return
    }
    if (!hasRoot) throw new SourceRefused(`the root element is <${name.slice(0, 100)}>, not <testsuites>`)
    if (open.length === 0) characters = 0
    open.push({ name, element: newElement(attributes), texts: [] })
  }

  /** Returns the test case that ends here, if one does. */
  const onClose = (): FoundCase | null => {
    const top = open.pop()
    if (top === undefined) {
      const host = hostOf()
      const element = suites.pop()!
      const path = pathOf()
      names.pop()
      const depth = suites.length + 1
      const failed = takeFailed(element)
      const found = failed === null ? null : { element: failed, suites: path, host, depth, isSuite: true as const }
      onSuite({ element, suites: path, depth }, found)
      return found
    }
    const text = top.texts.join('')
    // What a test wrote may be white space alone.
    if (text.trim() !== '' || (text !== '' && top.name === 'system-out')) top.element['#text'] = text
    const parent = open.at(-1)
    if (parent) attach(parent.element, top.name, top.element)
    else if (top.name === 'testcase')
      return { element: top.element, suites: pathOf(), host: hostOf(), depth: suites.length }
    else attach(suites.at(-1)!, top.name, top.element)
    return null
  }

  const onText = (text: string) => {
    const top = open.at(-1)
    if (top) {
      addCharacters(text.length)
      top.texts.push(text)
    } else if (text.trim() !== '') losses.add('left_out', 'testsuite.#text', text, 'text between elements')
  }

  const pathOf = (): readonly string[] => names.filter((name) => name !== '')
  const hostOf = (): string => {
    const host = suites.findLast(({ hostname }) => typeof hostname === 'string')?.['hostname']
    return typeof host === 'string' ? host : ''
  }

  return {
    /** Returns the test case that ends with this event, else null. */
    add: (event: XmlEvent): FoundCase | null => {
      if (event.kind === 'open') onOpen(localName(event.name), event.attributes)
      else if (event.kind === 'text') onText(event.text)
      else return onClose()
      return null
    },
  }
}

/** Takes the errors and failures of a suite itself out of it; null if it has none. */
const takeFailed = (suite: Element): Element | null => {
  const failed = Object.create(null) as Element
  for (const name of ['error', 'failure']) {
    const found = suite[name]
    if (!Array.isArray(found)) continue
    failed[name] = found
    delete suite[name]
  }
  return Object.keys(failed).length > 0 ? failed : null
}
