import { SaxesParser } from 'saxes'
import { MAX_DEPTH } from '../../domain/run/scan.ts'
import type { Losses } from '../document/losses.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { decodeUtf8 } from './decode.ts'

/** A part of an XML file. Comments and processing instructions are not returned. */
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'close'; readonly name: string }

/** Maximum length of one text, tag or comment, in UTF-16 code units. */
const MAX_TEXT_UNITS = 16 * 1024 * 1024

/** Characters that XML does not allow. Tools write them all the same, such as the colours of a terminal. */
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/** What saxes says of a reference such as `&#27;`, to a character that XML does not allow. */
const BAD_REFERENCE = /malformed character entity/

/**
 * Reads an XML file as a stream of parts, in batches. Throws `SourceRefused`, with line and column, for text that is not
 * well-formed, which a file that was cut off is not either. Also for a document type declaration, an undefined entity,
 * elements nested deeper than 512, and a text or a tag of more than 16 MiB.
 */
export const xmlEvents = async function* (
  chunks: AsyncIterable<Uint8Array>,
  losses: Losses,
  maxTextUnits = MAX_TEXT_UNITS,
): AsyncGenerator<readonly XmlEvent[]> {
  let events: XmlEvent[] = []
  let depth = 0
  let lastEvent = 0
  let written = 0
  const parser = new SaxesParser({ xmlns: false })
  const add = (event: XmlEvent) => {
    lastEvent = parser.position
    events.push(event)
  }
  parser.on('doctype', () => {
    throw new SourceRefused('has a document type declaration (DTD), which is not read: remove it')
  })
  parser.on('error', (error) => {
    if (!BAD_REFERENCE.test(error.message)) throw error
    losses.add('changed', '(text)', error.message, 'a reference to a character that XML does not allow: left as it is')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > MAX_DEPTH) throw new SourceRefused(`elements are nested deeper than ${MAX_DEPTH}`)
    add({ kind: 'open', name, attributes })
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    add({ kind: 'close', name })
  })
  parser.on('text', (text) => add({ kind: 'text', text }))
  parser.on('cdata', (text) => add({ kind: 'text', text }))
  parser.on('comment', () => void (lastEvent = parser.position))
  parser.on('processinginstruction', () => void (lastEvent = parser.position))

  const references = referenceScanner()
  let held = ''
  const parse = (text: string) => {
    try {
      parser.write(text)
    } catch (error) {
      throw asRefusal(error, NOT_WELL_FORMED)
    }
  }
  const write = (text: string) => {
    const clean = text.replace(NOT_XML, '\ufffd')
    if (clean !== text) losses.add('changed', '(text)', '', 'characters that XML does not allow: U+FFFD in their place')
    const waiting = held + clean
    const { end, isBad } = references.scan(waiting)
    held = waiting.slice(end)
    parse(waiting.slice(0, end))
    if (isBad)
      throw new SourceRefused(
        `${NOT_WELL_FORMED}, at line ${parser.line}, column ${parser.column + 1}: a & that begins no reference (write it as &amp;)`,
      )
    // Between two writes, the position of the parser is not exact.
    written += end
    if (written - lastEvent > maxTextUnits)
      throw new SourceRefused(`a text or a tag is longer than ${maxTextUnits} characters`)
  }

  for await (const text of decodeUtf8(chunks)) {
    write(text)
    yield events
    events = []
  }
  parse(held)
  try {
    parser.close()
  } catch (error) {
    throw asRefusal(error, 'the XML ends early')
  }
  yield events
}

const NOT_WELL_FORMED = 'not well-formed XML'
const MAX_MESSAGE = 200

/** The parser names the line and the column, and repeats names of the file at most. */
const asRefusal = (error: unknown, what: string): unknown => {
  if (error instanceof SourceRefused || !(error instanceof Error)) return error
  const message = error.message.slice(0, MAX_MESSAGE).replace(/^(\d+):(\d+):/, 'line $1, column $2:')
  return new SourceRefused(`${what}, at ${message}`, { cause: error })
}

/** What begins a part in which a `&` is a character, by what ends the part. */
const RAW_PARTS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' }

/** The beginning of such a part, or a `&` that is followed neither by a name and `;` nor by the end of the text. */
const PART_OR_BAD = /<!--|<!\[CDATA\[|<\?|&(?!#?[\w:.\x80-\uffff-]{1,200};|#?[\w:.\x80-\uffff-]{0,200}$)/g

/** Longer than the longest beginning above. */
const MAX_HELD_UNITS = 256

/**
 * Finds a `&` that begins no reference. The parser takes all that follows it for a name, up to the next `;`, even if that
 * is the rest of the file.
 */
const referenceScanner = () => {
  let partEnd: string | null = null
  return {
    /**
     * Returns how much of a text can be parsed: up to a bad `&`, or up to a part that the next text may continue, which has to
     * be passed again before that text.
     */
    scan: (text: string): { readonly end: number; readonly isBad: boolean } => {
      let at = 0
      for (;;) {
        if (partEnd !== null) {
          const end = text.indexOf(partEnd, at)
          if (end < 0) return { end: Math.max(at, text.length - partEnd.length + 1), isBad: false }
          at = end + partEnd.length
          partEnd = null
        }
        PART_OR_BAD.lastIndex = at
        const found = PART_OR_BAD.exec(text)
        if (found === null) break
        if (found[0] === '&') return { end: found.index, isBad: true }
        partEnd = RAW_PARTS[found[0]]!
        at = found.index + found[0].length
      }
      const start = Math.max(text.lastIndexOf('<'), text.lastIndexOf('&'))
      return { end: start >= at && text.length - start < MAX_HELD_UNITS ? start : text.length, isBad: false }
    },
  }
}
