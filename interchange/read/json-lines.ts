import type { Json } from '../../domain/run/readers.ts'
import type { Losses } from '../document/losses.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { MAX_ELEMENT_BYTES } from './json-elements.ts'
import { splitLines } from './lines.ts'
import { parseJson } from './parse-json.ts'

/** A value on a line of its own. `line` counts from 1. */
export type JsonLine = { readonly line: number; readonly value: Json }

/**
 * Reads the values of JSON lines one by one. If the last line is torn, as after a crash, those before it count, and the
 * cut is recorded. Throws `SourceRefused` for another line that is not JSON or is larger than 64 MiB.
 */
export const jsonLines = async function* (
  chunks: AsyncIterable<Uint8Array>,
  losses: Losses,
  path: string,
): AsyncGenerator<JsonLine> {
  let count = 0
  let torn: { readonly reason: unknown; readonly bytes: number } | null = null
  for await (const { line, bytes } of splitLines(chunks, MAX_ELEMENT_BYTES)) {
    if (torn !== null) throw torn.reason
    if (bytes === null) throw new SourceRefused(`line ${line} is larger than ${MAX_ELEMENT_BYTES} bytes`)
    try {
      const value = parseJson(bytes, losses, path)
      count += 1
      yield { line, value }
    } catch (error) {
      if (!(error instanceof SourceRefused)) throw error
      torn = { reason: new SourceRefused(`line ${line}: ${error.message}`, { cause: error }), bytes: bytes.length }
    }
  }
  if (torn === null) return
  if (count === 0) throw torn.reason
  losses.addBytes('cut', path, torn.bytes, `cut off after ${count} lines`)
}
