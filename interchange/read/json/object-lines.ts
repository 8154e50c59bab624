import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { parseWhole } from './inner-json.ts'
import { MAX_ELEMENT_BYTES } from './json-elements.ts'
import { splitLines } from '../lines.ts'
import { isObject } from '../row.ts'

export type ObjectLine = { readonly line: number; readonly value: Record<string, Json> }

/**
 * Reads lines of JSON objects one by one. A last line that is not whole is left out and recorded as a cut, `what` names
 * what was read before it. Throws `SourceRefused` for any other line that is no object. `path` is that of a line in losses.
 */
export const objectLines = async function* (
  chunks: AsyncIterable<Uint8Array>,
  losses: Losses,
  what: string,
  path?: string,
): AsyncGenerator<ObjectLine> {
  let count = 0
  let failed: { readonly error: SourceRefused; readonly bytes: number } | null = null
  for await (const { line, bytes } of splitLines(chunks, MAX_ELEMENT_BYTES)) {
    // A line follows the one that failed: that one was not the last.
    if (failed !== null) throw failed.error
    if (bytes === null) throw new SourceRefused(`line ${line} is larger than ${MAX_ELEMENT_BYTES} bytes`)
    const value = parsedLine(bytes, line, losses, path ?? '*')
    if (value instanceof SourceRefused) failed = { error: value, bytes: bytes.length }
    else {
      count += 1
      yield { line, value }
    }
  }
  if (failed === null) return
  if (count === 0) throw failed.error
  losses.addBytes('cut', path ?? '(last line)', failed.bytes, `cut off after ${count} ${what}`)
}

const parsedLine = (
  bytes: Uint8Array,
  line: number,
  losses: Losses,
  path: string,
): Record<string, Json> | SourceRefused => {
  try {
    const value = parseWhole(bytes, losses, path)
    return isObject(value) ? value : new SourceRefused(`line ${line} is no object`)
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    return new SourceRefused(`line ${line}: ${error.message}`, { cause: error })
  }
}
