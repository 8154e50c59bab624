import { SaxesParser } from 'saxes'
import { MAX_DEPTH } from '../../domain/run/scan.ts'
import type { Losses } from '../document/losses.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { decodeUtf8 } from './decode.ts'

/** A part of an XML file. Comments and processing instructions are not returned. `cut`: the file ends too early. */
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'cut' }

/** Maximum length of one text, tag or comment, in UTF-16 code units. */
const MAX_TEXT_UNITS = 16 * 1024 * 1024

/** Characters that XML does not allow. Tools write them all the same, such as the colours of a terminal. */
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/** What saxes says of a reference such as `&#27;`, to a character that XML does not allow. */
const BAD_REFERENCE = /malformed character entity/

/**
 * Reads an XML file as a stream of parts, in batches. Throws `SourceRefused` for text that is not well-formed, a document
 * type declaration, an undefined entity, elements nested deeper than 512, and a text or a tag of more than 16 MiB.
 */
export const xmlEvents = async function* (
  chunks: AsyncIterable<Uint8Array>,
  losses: Losses,
  maxTextUnits = MAX_TEXT_UNITS,
): AsyncGenerator<readonly XmlEvent[]> {
  let events: XmlEvent[] = []
  let depth = 0
  let hasRoot = false
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
    hasRoot = true
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

  const write = (text: string) => {
    const clean = text.replace(NOT_XML, '\ufffd')
    if (clean !== text) losses.add('changed', '(text)', '', 'characters that XML does not allow: U+FFFD in their place')
    try {
      parser.write(clean)
    } catch (error) {
      throw asRefusal(error)
    }
    // Between two writes, the position of the parser is not exact.
    written += clean.length
    if (written - lastEvent > maxTextUnits)
      throw new SourceRefused(`a text or a tag is longer than ${maxTextUnits} characters`)
  }

  for await (const text of decodeUtf8(chunks)) {
    write(text)
    yield events
    events = []
  }
  if (depth > 0 || !hasRoot) {
    yield [{ kind: 'cut' }]
    return
  }
  try {
    parser.close()
  } catch (error) {
    throw asRefusal(error)
  }
  yield events
}

const MAX_MESSAGE = 200

/** The parser names the line and the column, and repeats names of the file at most. */
const asRefusal = (error: unknown): unknown =>
  error instanceof SourceRefused || !(error instanceof Error)
    ? error
    : new SourceRefused(`not well-formed XML, at line ${error.message.slice(0, MAX_MESSAGE)}`, { cause: error })
