import { isUtf8 } from 'node:buffer'
import type { Json } from '../../domain/run/readers.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { withoutMark } from './decode.ts'
import { binaryKind } from './magic.ts'
import { otlpKind } from './otlp-protobuf.ts'
import { jsonHead } from './json/json-head.ts'
import { loadOnce } from './load-once.ts'
import { isObject } from './row.ts'
import { GZIP_MAGIC, isOfFile, type SourceFile } from './source-file.ts'

/** What the beginning of a file shows: enough to recognise its format. */
export type Look = {
  /** The last part of its path, without `.gz`. */
  readonly name: string
  readonly kind: 'zip' | 'sqlite' | 'parquet' | 'protobuf' | 'xml' | 'json' | 'lines' | 'text' | 'empty'
  /** JSON: the top as far as the first 64 KiB show it. `lines`: null. */
  readonly head: Json
  /** JSON and JSON lines: the keys of the first object, at the top or in a list, as far as the first 64 KiB show them. */
  readonly keys: ReadonlySet<string>
  /** JSON lines: the first three objects. JSON on one line: its object. */
  readonly lines: readonly Record<string, Json>[]
  /** XML: the name of the root element. Parquet: the program that wrote the file. Protobuf: the first field. */
  readonly root: string | null
  /** The names in an archive, or of the columns of a Parquet file. */
  readonly entries: readonly string[]
  /** The tables of a database, with their columns. */
  readonly tables: ReadonlyMap<string, readonly string[]>
  /** The first 64 KiB as text; empty for archives and databases. */
  readonly text: string
}

const zipReader = loadOnce(() => import('./zip/zip.ts'))

const LOOK_BYTES = 64 * 1024
const SHOWN_LINES = 3

/** Reads the beginning of a file. Throws `SourceRefused` for an encoding that is not supported, and a damaged archive. */
export const lookAt = async (file: SourceFile): Promise<Look> => {
  const { head, isComplete } = await firstBytes(file, LOOK_BYTES)
  const look = (kind: Look['kind'], found: Partial<Look> = {}): Look => ({ ...EMPTY, name: file.name, kind, ...found })
  if (head.length === 0) return look('empty')
  if (startsWith(head, [0x50, 0x4b, 0x03, 0x04]) || startsWith(head, [0x50, 0x4b, 0x05, 0x06])) {
    const { zipEntryNames } = await zipReader()
    return look('zip', { entries: await zipEntryNames(file) })
  }
  if (head.subarray(0, 16).equals(SQLITE_MAGIC)) {
    if (startsWith(await file.readAt(0, 2), GZIP_MAGIC))
      throw new SourceRefused('a database inside gzip: unpack it with gunzip')
    const { tablesOf } = await import('./sqlite.ts')
    return look('sqlite', { tables: tablesOf(file) })
  }
  if (startsWith(head, PARQUET_MAGIC)) {
    const { openParquet } = await import('./parquet.ts')
    const { writer, columns } = await openParquet(file)
    return look('parquet', { root: writer, entries: columns })
  }
  const message = head[0] === OTLP_START ? otlpKind(head) : null
  if (message !== null) return look('protobuf', { root: message })
  const binary = binaryKind(head)
  if (binary !== null) throw new SourceRefused(binary)
  const text = decode(head, isComplete)
  const start = text.trimStart()
  if (start === '') return look('empty')
  if (start.startsWith('<')) return look('xml', { text, root: rootOf(start) })
  if (start.startsWith('{') || start.startsWith('[')) return jsonLook(look, file.name, start, text, isComplete)
  return look('text', { text })
}

/** Like `lookAt`, but null for a file that cannot be read. The error is reported when that file is imported itself. */
export const lookOrNull = async (file: SourceFile): Promise<Look | null> => {
  try {
    return await lookAt(file)
  } catch (error) {
    if (error instanceof SourceRefused || isOfFile(error)) return null
    throw error
  }
}

const jsonLook = (
  look: (kind: Look['kind'], found: Partial<Look>) => Look,
  name: string,
  start: string,
  text: string,
  isComplete: boolean,
): Look => {
  const lines = jsonLines(start, isComplete)
  // One object on one line could be JSON or JSON lines. It is taken as JSON.
  const isLines = lines.length > 1 || (lines.length === 1 && /^[^\n]*\n\s*\{/.test(start))
  if (isLines) return look('lines', { text, lines, keys: new Set(Object.keys(lines[0]!)) })
  const head = jsonHead(start)
  // The first line is longer than what was read. The keys seen so far are enough.
  if (isCut(start, isComplete) && /\.(?:jsonl|ndjson)$/i.test(name) && isObject(head))
    return look('lines', { text, lines: [head], keys: new Set(Object.keys(head)) })
  const first = Array.isArray(head) ? (head[0] as Json | undefined) : head
  const single = lines.length === 1 ? lines : []
  return look('json', { text, head, keys: new Set(isObject(first) ? Object.keys(first) : []), lines: single })
}

const isCut = (text: string, isComplete: boolean) => !isComplete && !text.includes('\n')

/** The first lines that are objects; none if the first line is no complete object. */
const jsonLines = (text: string, isComplete: boolean): Record<string, Json>[] => {
  if (!text.startsWith('{')) return []
  const lines = text.split('\n')
  if (!isComplete) lines.pop()
  const found: Record<string, Json>[] = []
  for (const line of lines) {
    if (line.trim() === '') continue
    const value = line.trim().endsWith('}') ? jsonHead(line) : null
    if (!isObject(value)) break
    found.push(value)
    if (found.length === SHOWN_LINES) break
  }
  return found
}

const EMPTY = {
  head: null,
  keys: new Set<string>(),
  lines: [],
  root: null,
  entries: [],
  tables: new Map<string, readonly string[]>(),
  text: '',
} satisfies Partial<Look>

/** The tag of the only field of a message of OTLP. */
const OTLP_START = 0x0a
const PARQUET_MAGIC = [0x50, 0x41, 0x52, 0x31]
const SQLITE_MAGIC = Buffer.from('SQLite format 3\0', 'latin1')

/** The name of the first element, after the declaration, comments and a document type; null if there is none. */
const rootOf = (xml: string): string | null => {
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at)) {
    const end = xml.startsWith('<!--', at)
      ? '-->'
      : xml.startsWith('<?', at)
        ? '?>'
        : xml.startsWith('<!', at)
          ? '>'
          : null
    if (end === null) return /^<([^\s/>!?]+)/.exec(xml.slice(at, at + 200))?.[1] ?? null
    at = xml.indexOf(end, at)
    if (at < 0) return null
  }
  return null
}

const startsWith = (bytes: Uint8Array, magic: readonly number[]) => magic.every((byte, index) => bytes[index] === byte)

/** The beginning as text. A character that is cut at the end is left out. */
const decode = (head: Buffer, isComplete: boolean): string => {
  if (startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff]) || hasZeros(head))
    throw new SourceRefused('encoded in UTF-16: save it as UTF-8')
  if (head.includes(0)) throw new SourceRefused('a binary file in an unknown format')
  const bytes = withoutMark(head)
  for (let drop = 0; drop <= (isComplete ? 0 : 3); drop++) {
    const part = bytes.subarray(0, bytes.length - drop)
    if (isUtf8(part)) return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('utf8')
  }
  throw new SourceRefused('not valid UTF-8, perhaps Latin-1 or Windows-1252: save it as UTF-8')
}

/** UTF-16 without a byte order mark has a zero in every second byte of its ASCII characters. */
const hasZeros = (head: Buffer) => {
  const start = head.subarray(0, 64)
  return [0, 1].some(
    (first) => start.length > 1 && start.every((byte, index) => (byte === 0) === (index % 2 === first)),
  )
}

/** The beginning of a file, and whether it is all of the file. */
const firstBytes = async (
  file: SourceFile,
  count: number,
): Promise<{ readonly head: Buffer; readonly isComplete: boolean }> => {
  const parts: Uint8Array[] = []
  let length = 0
  let isBroken = false
  try {
    for await (const chunk of file.bytes()) {
      parts.push(chunk)
      length += chunk.length
      if (length >= count) break
    }
  } catch (error) {
    // A file that is cut off later is recognised by its beginning.
    if (!(error instanceof SourceRefused) || length === 0) throw error
    isBroken = true
  }
  return { head: Buffer.concat(parts).subarray(0, count), isComplete: !isBroken && length < count }
}
