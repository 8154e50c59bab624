import { counted } from '../../../domain/plain/counted.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { parseWhole } from './inner-json.ts'
import { MAX_ELEMENT_BYTES } from './json-elements.ts'
import { splitLines } from '../lines.ts'
import { isObject } from '../row.ts'

export type ObjectLine = { readonly line: number; readonly value: Record<string, Json> }

/**
 * Reads lines of JSON objects one by one. A last line that is not whole is left out and recorded as a cut, `what` is
 * the noun for one line. Throws `SourceRefused` for any other line that is no object. `path` is that of a line in losses.
 */
export const objectLines = async function* (
  chunks: AsyncIterable<Uint8Array>,
  losses: Losses,
  what: string,
  path?: string,
): AsyncGenerator<ObjectLine> {
  const read = (bytes: Uint8Array, line: number) => parsedLine(bytes, line, losses, path ?? '*')
  const onCut = (bytes: number, count: number) =>
    losses.addBytes('cut', path ?? '(last line)', bytes, `cut off after ${counted(count, what)}`)
  yield* readLines(chunks, read, onCut)
}

/**
 * Reads lines one by one. `read` returns the value of a line, or why it has none: a last line without a value is passed to
 * `onCut` with the number of the others, and any other is thrown, also the only one.
 */
export const readLines = async function* <T>(
  chunks: AsyncIterable<Uint8Array>,
  read: (bytes: Uint8Array, line: number) => T | SourceRefused,
  onCut: (bytes: number, count: number) => void,
): AsyncGenerator<{ readonly line: number; readonly value: T }> {
  let count = 0
  let failed: { readonly error: SourceRefused; readonly bytes: number } | null = null
  for await (const { line, bytes } of splitLines(chunks, MAX_ELEMENT_BYTES)) {
    // A line follows the one that failed: that one was not the last.
    if (failed !== null) throw failed.error
    if (bytes === null) throw new SourceRefused(`line ${line} is larger than ${MAX_ELEMENT_BYTES} bytes`)
    const value = read(bytes, line)
    if (value instanceof SourceRefused) failed = { error: value, bytes: bytes.length }
    else {
      count += 1
      yield { line, value }
    }
  }
  if (failed === null) return
  if (count === 0) throw failed.error
  onCut(failed.bytes, count)
}

const parsedLine = (
  bytes: Uint8Array,
  line: number,
  losses: Losses,
  path: string,
): Record<string, Json> | SourceRefused => {
  const value = orRefusal(line, () => parseWhole(bytes, losses, path))
  return isObject(value) || value instanceof SourceRefused ? value : new SourceRefused(`line ${line} is no object`)
}

/** What was read of a line, or the refusal with the number of the line. */
export const orRefusal = (line: number, read: () => Json): Json | SourceRefused => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    return new SourceRefused(`line ${line}: ${error.message}`, { cause: error })
  }
}
