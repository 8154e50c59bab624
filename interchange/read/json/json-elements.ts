import { MAX_DEPTH } from '../../../domain/run/scan.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { parseJson } from './parse-json.ts'
import { isObject, rowOf, type Row } from '../row.ts'

/** Where the parts of a JSON file are: paths of keys from the top; the empty path is the top itself. */
export type JsonShape = {
  /** Arrays whose elements are read one by one. A path that leads to something else is part of the skeleton. */
  readonly arrays: ReadonlyArray<readonly string[]>
  /** Values that are not read: they are null in the skeleton and recorded as left out. */
  readonly unread?: ReadonlyArray<readonly string[]>
}

export type JsonElement = {
  /** The path of the array, such as `results.results`. */
  readonly array: string
  readonly index: number
  readonly value: Json
}

/** Maximum bytes of one element, and of all that is in no element. */
export const MAX_ELEMENT_BYTES = 64 * 1024 * 1024

/**
 * Reads the elements of the arrays of a JSON file one by one, however large the file is. `onRest` receives everything else
 * at the end, as `jsonSkeleton` returns it. Throws `SourceRefused` for text that is not JSON or ends early, is nested
 * deeper than 512, or has an element of more than 64 MiB.
 */
export const jsonElements = async function* (
  chunks: AsyncIterable<Uint8Array>,
  shape: JsonShape,
  losses: Losses,
  onRest?: (skeleton: Json) => void,
): AsyncGenerator<JsonElement> {
  const scanner = scanJson(shape, losses, true)
  for await (const chunk of chunks) {
    scanner.push(chunk)
    yield* scanner.takeElements()
  }
  const skeleton = scanner.end()
  yield* scanner.takeElements()
  onRest?.(skeleton)
}

/** Reads the elements that are objects, as rows. Others are recorded as left out. Throws as `jsonElements`. */
export const jsonRows = async function* (
  chunks: AsyncIterable<Uint8Array>,
  shape: JsonShape,
  losses: Losses,
): AsyncGenerator<Row> {
  for await (const { array, value } of jsonElements(chunks, shape, losses)) {
    const path = elementPath(array)
    if (isObject(value)) yield rowOf(value, path)
    else losses.add('left_out', path, value, 'not an object')
  }
}

const elementPath = (array: string): string => (array === '' ? '*' : `${array}.*`)

/** Reads everything but the elements: the arrays are empty in it. Throws as `jsonElements`, but checks no element. */
export const jsonSkeleton = async (
  chunks: AsyncIterable<Uint8Array>,
  shape: JsonShape,
  losses: Losses,
): Promise<Json> => {
  const scanner = scanJson(shape, losses, false)
  for await (const chunk of chunks) scanner.push(chunk)
  return scanner.end()
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b

// What a byte outside of strings does; 0 for a byte of a number or a word.
const OPENS = 1
const CLOSES = 2
const QUOTES = 3
const SEPARATES = 4
const SKIPS = 5
const ACTION = new Uint8Array(256)
for (const [action, bytes] of [
  [OPENS, '[{'],
  [CLOSES, ']}'],
  [QUOTES, '"'],
  [SEPARATES, ','],
  [SKIPS, ': \t\r\n'],
] as const)
  for (const byte of Buffer.from(bytes)) ACTION[byte] = action

/** Where the bytes go: into the skeleton, into an element, or nowhere. */
type Mode = 'skeleton' | 'element' | 'unread'

/**
 * A state machine over bytes: it can stop after any byte and continue with the next chunk. It follows only brackets and
 * strings; `JSON.parse` of each part checks the rest of the grammar.
 */
const scanJson = (shape: JsonShape, losses: Losses, wantsElements: boolean) => {
  const arrays = new Set(shape.arrays.map(pathKey))
  const unread = new Set((shape.unread ?? []).map(pathKey))
  // Keys matter to this depth alone.
  const keyDepth = Math.max(...[...shape.arrays, ...(shape.unread ?? [])].map((path) => path.length), 0)

  const skeleton = growingBuffer()
  let elements: JsonElement[] = []
  let parts: Uint8Array[] = []
  let partBytes = 0

  let mode: Mode = 'skeleton'
  let depth = 0
  let inString = false
  let isEscaped = false
  /** For each open container of the skeleton: its path, or null if no wanted path leads through it. */
  const paths: Array<readonly string[] | null> = []
  const isArray: boolean[] = []
  let keyStart = 0
  let lastKey: string | null = null
  /** The depth at which the current element or unread value began, and the array it is in. */
  let baseDepth = 0
  let arrayPath = ''
  let index = 0
  let hasStarted = false
  let hasEnded = false
  let offset = 0

  /** The path of the value that begins here; null if it cannot matter. */
  const pathHere = (): readonly string[] | null => {
    if (depth === 0) return []
    const parent = paths[depth - 1]
    if (parent === null || parent === undefined || isArray[depth - 1] || lastKey === null) return null
    return parent.length < keyDepth ? [...parent, lastKey] : null
  }

  const finishPart = () => {
    if (mode === 'element') {
      if (wantsElements) {
        const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
        const value = parseJson(bytes, losses, elementPath(arrayPath))
        elements.push({ array: arrayPath, index, value })
      }
      index += 1
    } else losses.addBytes('left_out', lastUnread, partBytes)
    parts = []
    partBytes = 0
    mode = 'skeleton'
  }
  let lastUnread = ''

  const addPart = (chunk: Uint8Array, from: number, to: number) => {
    if (from >= to) return
    partBytes += to - from
    if (mode !== 'element') return
    if (partBytes > MAX_ELEMENT_BYTES)
      throw new SourceRefused(`${arrayPath || 'the list'}[${index}] is larger than ${MAX_ELEMENT_BYTES} bytes`)
    if (wantsElements) parts.push(chunk.subarray(from, to))
  }

  const push = (chunk: Uint8Array) => {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const end = chunk.length
    let at = 0
    // The first byte that is not yet in the skeleton or in a part.
    let from = 0
    if (!hasStarted && offset === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) at = from = 3
    const flush = (to: number) => {
      if (mode === 'skeleton') skeleton.add(chunk, from, to)
      else addPart(chunk, from, to)
      from = to
    }
    /** Begins an element or an unread value at this byte, if one is due here. */
    const begin = () => {
      if (mode !== 'skeleton') return
      hasStarted = true
      const parent = paths[depth - 1]
      if (depth > 0 && isArray[depth - 1] && parent && arrays.has(pathKey(parent))) {
        flush(at)
        mode = 'element'
        arrayPath = parent.join('.')
        baseDepth = depth
        return
      }
      if (unread.size === 0) return
      const path = pathHere()
      if (path !== null && path.length > 0 && unread.has(pathKey(path))) {
        flush(at)
        skeleton.add(NULL, 0, NULL.length)
        mode = 'unread'
        lastUnread = path.join('.')
        baseDepth = depth
      }
    }

    while (at < end) {
      if (inString) {
        if (isEscaped) {
          isEscaped = false
          at += 1
          continue
        }
        const quote = text.indexOf(QUOTE, at)
        const stop = quote < 0 ? end : quote
        const backslash = text.subarray(at, stop).indexOf(BACKSLASH)
        if (backslash >= 0) {
          isEscaped = true
          at += backslash + 1
          continue
        }
        if (quote < 0) {
          at = end
          break
        }
        at = quote + 1
        inString = false
        if (mode === 'skeleton' && depth <= keyDepth && depth > 0 && !isArray[depth - 1]) {
          flush(at)
          lastKey = skeleton.textFrom(keyStart)
        }
        continue
      }
      const byte = chunk[at]!
      switch (ACTION[byte]) {
        case QUOTES:
          begin()
          if (mode === 'skeleton' && depth <= keyDepth) {
            flush(at)
            keyStart = skeleton.length()
          }
          inString = true
          at += 1
          break
        case OPENS: {
          begin()
          if (depth >= MAX_DEPTH) throw new SourceRefused(`nested deeper than ${MAX_DEPTH} at byte ${offset + at}`)
          if (mode === 'skeleton') {
            const path = pathHere()
            paths[depth] = path
            isArray[depth] = byte === OPEN_BRACKET
            if (byte === OPEN_BRACKET && path !== null && arrays.has(pathKey(path))) index = 0
            lastKey = null
          }
          depth += 1
          at += 1
          break
        }
        case CLOSES:
          if (mode !== 'skeleton' && depth === baseDepth) {
            flush(at)
            finishPart()
            from = at
          }
          depth -= 1
          if (depth < 0) throw new SourceRefused(`not valid JSON: unexpected bracket at byte ${offset + at}`)
          at += 1
          if (depth === 0) hasEnded = true
          break
        case SEPARATES:
          if (mode !== 'skeleton' && depth === baseDepth) {
            flush(at)
            const wasElement = mode === 'element'
            finishPart()
            // The commas between elements are not part of the skeleton.
            from = wasElement ? at + 1 : at
          }
          if (mode === 'skeleton') lastKey = null
          at += 1
          break
        case SKIPS:
          at += 1
          break
        case undefined:
        default:
          begin()
          at += 1
      }
    }
    flush(end)
    offset += end
  }

  return {
    push,
    takeElements: (): readonly JsonElement[] => {
      const found = elements
      elements = []
      return found
    },
    /** Returns the skeleton. */
    end: (): Json => {
      if (inString || depth > 0 || (hasStarted && !hasEnded && skeleton.length() === 0))
        throw new SourceRefused(`the JSON ends early, at byte ${offset}`)
      return parseJson(skeleton.bytes(), losses, '')
    },
  }
}

const NULL = Buffer.from('null')

const pathKey = (path: readonly string[]): string => path.join('\0')

/** Bytes that grow. */
const growingBuffer = () => {
  let buffer = Buffer.allocUnsafe(4096)
  let length = 0
  return {
    length: () => length,
    add: (chunk: Uint8Array, from: number, to: number) => {
      const count = to - from
      if (count <= 0) return
      if (length + count > MAX_ELEMENT_BYTES)
        throw new SourceRefused(
          `more than ${MAX_ELEMENT_BYTES} bytes are in no case: the file is not of a known layout`,
        )
      if (length + count > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + count))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      buffer.set(chunk.subarray(from, to), length)
      length += count
    },
    bytes: () => buffer.subarray(0, length),
    /** The JSON string from a position to the end, as text; null if it is not one. */
    textFrom: (start: number): string | null => {
      try {
        return String(JSON.parse(buffer.toString('utf8', start, length)))
      } catch {
        return null
      }
    },
  }
}
