import { SsoRefused } from '../provider.ts'

/**
 * The maximum size of a response. All work happens on the main thread. Within these limits a forged response costs 30 ms
 * at most. A genuine one costs 20 ms, and for each group about 0.15 ms more, or 0.5 ms if the provider declares namespaces
 * in each of them.
 */
const LIMITS = {
  bytes: 262_144,
  elements: 2_000,
  attributes: 4_000,
  attributesOfOne: 50,
  prefixes: 16,
  depth: 24,
  nameLength: 128,
} as const

const NAME = String.raw`[A-Za-z_][\w.\-]*(?::[A-Za-z_][\w.\-]*)?`
const SPACE = String.raw`[ \t\r\n]`
const TAG_START = new RegExp(`<(/?)(${NAME})`, 'y')
const ATTRIBUTE = new RegExp(`${SPACE}+(${NAME})${SPACE}*=${SPACE}*(?:"[^"<]*"|'[^'<]*')`, 'y')
const TAG_END = new RegExp(`${SPACE}*(/?)>`, 'y')
const DECLARATION = /^<\?xml[ \t\r\n][^<>?]*\?>/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Everything that is no character of XML 1.0 (2.2). */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const REFERENCE = /&(?:(?:amp|lt|gt|quot|apos);|#(\d{1,7});|#x([\dA-Fa-f]{1,6});)?/g

const refused = (reason: string): SsoRefused => new SsoRefused('provider_error', `the response ${reason}`)

/**
 * Returns the XML of a `SAMLResponse` field, without its declaration. The field has base64 of XML in UTF-8 (SAML 2.0
 * Bindings, 3.5.4); it is never inflated. Throws `SsoRefused` unless the XML is within `LIMITS` and in a subset that all
 * parsers read in the same way: elements, attributes, text, and references to characters. So there is no DOCTYPE, no
 * entity, no comment, no processing instruction and no CDATA section.
 */
export const decodeResponse = (field: string): string => {
  // Four characters of base64 are three bytes. The field may have line ends.
  if (field.length > LIMITS.bytes * 1.5) throw refused('is too large')
  const base64 = field.replaceAll(/[ \t\r\n]/g, '')
  if (base64 === '' || base64.length % 4 !== 0 || !BASE64.test(base64)) throw refused('is not base64')
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > LIMITS.bytes) throw refused('is too large')
  const xml = utf8Of(bytes).replace(DECLARATION, '').trim()
  checkCharacters(xml)
  checkTags(xml)
  return xml
}

const utf8Of = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new SsoRefused('provider_error', 'the response is not UTF-8', { cause: error })
  }
}

const checkCharacters = (xml: string): void => {
  // The lower-case form gives the right reason. Every other `<!` is refused next.
  if (/<!doctype/i.test(xml)) throw refused('has a DOCTYPE')
  if (xml.includes('<!')) throw refused('has a comment, a CDATA section or a declaration')
  if (xml.includes('<?')) throw refused('has a processing instruction')
  if (NO_CHARACTER.test(xml) || xml.includes(']]>')) throw refused('is not XML')
  for (const [text, decimal, hexadecimal] of xml.matchAll(REFERENCE)) {
    if (text === '&') throw refused('refers to an entity')
    if (decimal === undefined && hexadecimal === undefined) continue
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
    if (code > 0x10_ff_ff || NO_CHARACTER.test(String.fromCodePoint(code)))
      throw refused('refers to a character that XML does not have')
  }
}

/** Reads all tags once, from left to right. The work is linear in the size. */
const checkTags = (xml: string): void => {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(xml)
    if (match) at = pattern.lastIndex
    return match
  }
  const open: string[] = []
  let elements = 0
  let attributes = 0
  const prefixes = new Set<string>()
  do {
    const tag = take(TAG_START)
    if (!tag) throw refused('is not XML')
    const [, slash, name = ''] = tag
    if (slash === '/') {
      if (open.pop() !== name || take(TAG_END)?.[1] !== '') throw refused('is not XML')
    } else {
      elements += 1
      const names = new Set<string>()
      for (let attribute = take(ATTRIBUTE); attribute; attribute = take(ATTRIBUTE)) {
        attributes += 1
        if (attributes > LIMITS.attributes) throw refused('has too many attributes')
        const [, attributeName = ''] = attribute
        if (attributeName.startsWith('xmlns:')) prefixes.add(attributeName)
        if (prefixes.size > LIMITS.prefixes) throw refused('has too many prefixes')
        if (names.has(attributeName)) throw refused('has an attribute twice')
        if (attributeName.length > LIMITS.nameLength) throw refused('has a name that is too long')
        names.add(attributeName)
        if (names.size > LIMITS.attributesOfOne) throw refused('has too many attributes')
      }
      const end = take(TAG_END)
      if (!end) throw refused('is not XML')
      if (elements > LIMITS.elements) throw refused('has too many elements')
      if (name.length > LIMITS.nameLength) throw refused('has a name that is too long')
      if (end[1] === '') open.push(name)
      if (open.length > LIMITS.depth) throw refused('is nested too deeply')
    }
    const next = xml.indexOf('<', at)
    if (open.length > 0) {
      if (next < 0) throw refused('is not XML')
      at = next
    }
  } while (open.length > 0)
  if (at !== xml.length) throw refused('has something after its root')
}
