import { isDeeperThan } from '../../../domain/cache/json-bounds.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { parseJson } from './parse-json.ts'

/** Maximum nesting of a JSON text that is read as a whole. A run document may nest 512 deep, and adds a few levels. */
export const MAX_NESTING = 480
/** Maximum nesting of a JSON text inside of a JSON text, whose own levels are added to it. */
const MAX_INNER_NESTING = 64

/** Parses a whole JSON text as `parseJson` does. Throws `SourceRefused` also if it is nested deeper than 480. */
export const parseWhole = (text: string | Uint8Array, losses: Losses, path: string): Json => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text
  if (isDeeperThan(bytes, MAX_NESTING)) throw new SourceRefused(`nested deeper than ${MAX_NESTING} at ${path}`)
  return parseJson(bytes, losses, path)
}

/** The value of a text if it is JSON, else the text. */
export const jsonOrText = (text: string): Json => {
  const found = innerJson(text)
  return found === undefined ? text : found
}

/** The value of a text that may be JSON, such as the arguments of a call; undefined if it is not, or is nested too deeply. */
export const innerJson = (text: string, maxNesting = MAX_INNER_NESTING): Json | undefined => {
  const bytes = Buffer.from(text, 'utf8')
  if (isDeeperThan(bytes, maxNesting)) return undefined
  try {
    const losses = newLosses()
    const value = parseJson(bytes, losses, '')
    // A text with NaN is better as the text that it is.
    return losses.all().length === 0 ? value : undefined
  } catch (error) {
    if (error instanceof SourceRefused) return undefined
    throw error
  }
}
