import { Readable, pipeline } from 'node:stream'
import {
  crc32,
  createInflateRaw,
  createZstdDecompress,
  inflateRawSync,
  zstdDecompressSync,
  type InflateRaw,
  type ZstdDecompress,
  type ZstdOptions,
} from 'node:zlib'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Window } from './zip-window.ts'

/** Files of an archive at most. */
export const MAX_ENTRIES = 200_000

/** The largest member, unpacked. */
const MAX_MEMBER_BYTES = 512 * 1024 * 1024

/** How many times larger than packed a member may be. Deflate reaches 1,032 with nothing but repetition. */
const MAX_MEMBER_RATIO = 1_000

/** A file in an archive. Sizes, in bytes, are those of the directory; reading checks them. */
export type Member = {
  readonly name: string
  readonly size: number
  readonly packedSize: number
  /** 0 stored, 8 deflate, 93 Zstandard. */
  readonly method: number
  readonly crc32: number
  readonly headerOffset: number
  readonly rawName: Buffer
}

const MAX_SHOWN_CHARACTERS = 200

export const shownName = (name: string): string => JSON.stringify(name.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed())

/** The bytes of a local header without its name. */
export const LOCAL_HEADER_BYTES = 30

export const STORED = 0
const DEFLATE = 8
const ZSTANDARD = 93

const LOCAL_SIGNATURE = 0x04034b50
const PART_BYTES = 256 * 1024

/** Members up to this size are unpacked at once. */
const MAX_AT_ONCE_BYTES = 4 * 1024 * 1024

/** The whole content of a member. Throws `SourceRefused` if it is damaged or too large. */
export const memberContent = async (window: Window, member: Member): Promise<Buffer> => {
  checkSize(member)
  if (Math.max(member.size, member.packedSize) <= MAX_AT_ONCE_BYTES) {
    const start = await dataStart(window, member)
    const content = unpacked(await window.read(start, member.packedSize), member)
    checkContent(member, content.length, crc32(content))
    return content
  }
  const parts: Uint8Array[] = []
  for await (const part of memberBytes(window, member)) parts.push(part)
  return Buffer.concat(parts)
}

/** The content of a member in parts. Throws `SourceRefused` at the end if it is not what the directory says. */
export const memberBytes = async function* (window: Window, member: Member): AsyncGenerator<Uint8Array> {
  checkSize(member)
  const start = await dataStart(window, member)
  const parts = (from: number) => packedParts(window, start + from, start + member.packedSize)
  let length = 0
  let sum = 0
  try {
    for await (const part of unpackedParts(parts, member)) {
      length += part.length
      if (length > member.size) break
      sum = crc32(part, sum)
      yield part
    }
  } catch (error) {
    throw asRefusal(error, member)
  }
  checkContent(member, length, sum)
}

const checkSize = ({ name, size, packedSize }: Member): void => {
  if (size > MAX_MEMBER_BYTES) throw new SourceRefused(`${shownName(name)} is larger than ${MAX_MEMBER_BYTES} bytes`)
  if (size > packedSize * MAX_MEMBER_RATIO)
    throw new SourceRefused(`${shownName(name)} unpacks to more than ${MAX_MEMBER_RATIO} times its packed size`)
}

const checkContent = ({ name, size, crc32: expected }: Member, length: number, sum: number): void => {
  if (length !== size) throw new SourceRefused(`${shownName(name)} is damaged: its directory says ${size} bytes`)
  if (sum !== expected) throw new SourceRefused(`${shownName(name)} is damaged: its CRC-32 is another one`)
}

/**
 * Where the packed bytes of a member begin: after its local header, which must name the same file as the directory. Throws `SourceRefused` if it
 * is damaged.
 */
export const dataStart = async (
  { read }: Pick<Window, 'read'>,
  { name, headerOffset, rawName }: Member,
): Promise<number> => {
  const header = await read(headerOffset, LOCAL_HEADER_BYTES)
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE)
    throw new SourceRefused(`${shownName(name)} is damaged: no local header`)
  const nameLength = header.readUInt16LE(26)
  const extraLength = header.readUInt16LE(28)
  const localName = await read(headerOffset + LOCAL_HEADER_BYTES, nameLength)
  if (!localName.equals(rawName))
    throw new SourceRefused(`${shownName(name)} is damaged: its local header has another name`)
  return headerOffset + LOCAL_HEADER_BYTES + nameLength + extraLength
}

const unpacked = (packed: Buffer, member: Member): Buffer => {
  try {
    if (member.method === STORED) return packed
    if (member.method === DEFLATE) return inflateRawSync(packed, { maxOutputLength: Math.max(member.size, 1) })
    if (member.method === ZSTANDARD) return unpackedFrames(packed, member)
  } catch (error) {
    throw asRefusal(error, member)
  }
  throw unsupported(member)
}

/**
 * Unpacks one Zstandard frame after the other. zlib stops after the first one without an error; the number of bytes it
 * has used shows where the next one begins.
 */
const unpackedFrames = (packed: Buffer, member: Member): Buffer => {
  const frames: Buffer[] = []
  let left = member.size
  for (let at = 0; at < packed.length;) {
    const { buffer, used } = withUsed(packed.subarray(at), Math.max(left, 1))
    if (used === 0) throw new SourceRefused(`${shownName(member.name)} is damaged`)
    frames.push(buffer)
    left -= buffer.length
    at += used
  }
  return frames.length === 1 ? frames[0]! : Buffer.concat(frames)
}

/** The least that zlib accepts. */
const MIN_CHUNK_BYTES = 64

const withUsed = (packed: Buffer, maxOutputLength: number) => {
  const chunkSize = Math.min(Math.max(maxOutputLength + 1, MIN_CHUNK_BYTES), PART_BYTES)
  const options: ZstdOptions = { maxOutputLength, chunkSize, info: true }
  // With `info`, the result has the engine as well, which the types do not say.
  const result: unknown = zstdDecompressSync(packed, options)
  const { buffer, engine } = result as { readonly buffer: Buffer; readonly engine: ZstdDecompress }
  return { buffer, used: engine.bytesWritten }
}

type PackedParts = (from: number) => AsyncIterable<Uint8Array>

const unpackedParts = async function* (parts: PackedParts, member: Member): AsyncGenerator<Uint8Array> {
  if (member.method === STORED) {
    yield* parts(0)
    return
  }
  if (member.method === DEFLATE) {
    yield* through(createInflateRaw({ chunkSize: PART_BYTES }), parts(0))
    return
  }
  if (member.method !== ZSTANDARD) throw unsupported(member)
  // One frame after the other, as above.
  for (let at = 0; at < member.packedSize;) {
    const frame = createZstdDecompress({ chunkSize: PART_BYTES })
    yield* through(frame, parts(at))
    if (frame.bytesWritten === 0) throw new SourceRefused(`${shownName(member.name)} is damaged`)
    at += frame.bytesWritten
  }
}

const through = async function* (
  unpack: InflateRaw | ZstdDecompress,
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed)
  // The callback ignores errors, because the loop receives them as well.
  pipeline(source, unpack, () => {})
  try {
    yield* unpack
  } finally {
    unpack.destroy()
    source.destroy()
  }
}

const packedParts = async function* (window: Window, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += PART_BYTES) yield await window.read(at, Math.min(PART_BYTES, end - at))
}

const unsupported = ({ name, method }: Member) =>
  new SourceRefused(`${shownName(name)} is packed with method ${method}: stored, deflate and Zstandard are supported`)

const asRefusal = (error: unknown, { name }: Member): unknown => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_BUFFER_TOO_LARGE') return new SourceRefused(`${shownName(name)} is longer than its directory says`)
  const isDamage = code !== undefined && /^(Z_|ZSTD_|ERR_ZSTD)/.test(code)
  return isDamage ? new SourceRefused(`${shownName(name)} is damaged: ${message}`, { cause: error }) : error
}
