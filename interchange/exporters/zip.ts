import { crc32 } from 'node:zlib'

// Zip archives with stored members (APPNOTE.TXT 6.3.10), written in one go: the size of a member follows its bytes in a
// data descriptor, and the directory at the end has it again. What does not fit into 32 bits is in the fields of Zip64.

/** A member that is written. */
type Member = {
  readonly name: string
  readonly offset: number
  readonly size: number
  readonly crc: number
  /** Its local header says that its size has 64 bits. */
  readonly isLarge: boolean
}

/**
 * An archive that is not finished, as plain data. `open` is the member that is being written. The directory is extended in
 * place, in chunks of shared memory: an archive may have hundreds of thousands of members, and threads pass the state on
 * after each part.
 */
export type ZipState = {
  readonly offset: number
  readonly count: number
  readonly directory: readonly SharedArrayBuffer[]
  readonly directoryBytes: number
  readonly open: Member | null
}

const CHUNK_BYTES = 64 * 1024

export const zipStart = (): ZipState => ({ offset: 0, count: 0, directory: [], directoryBytes: 0, open: null })

type Written = { readonly zip: ZipState; readonly bytes: Uint8Array }

const VERSION = 20
const DATA_DESCRIPTOR_AND_UTF8 = 0x0808
/** 1 January 1980, the first day of the format: an archive depends on nothing but its members. */
const DOS_DATE = 0x0021

/** The first size or offset, and the first number of members, that do not fit. */
const LARGE = 0xffffffff
const MANY = 0xffff
const LARGE_VERSION = 45

/** Begins a member. Its name must be a relative path without `..`. One of 4 GiB or more needs its `size` here. */
export const openMember = (zip: ZipState, name: string, size = 0): Written => {
  const isLarge = size >= LARGE
  const bytes = Buffer.concat([
    localHeader(name, isLarge),
    Buffer.from(name),
    isLarge ? largeSizes([0, 0]) : Buffer.alloc(0),
  ])
  return {
    zip: { ...zip, offset: zip.offset + bytes.length, open: { name, offset: zip.offset, size: 0, crc: 0, isLarge } },
    bytes,
  }
}

/** Counts bytes of the member that is being written. */
export const addToMember = (zip: ZipState, bytes: Uint8Array): ZipState =>
  zip.open
    ? {
        ...zip,
        offset: zip.offset + bytes.length,
        open: { ...zip.open, size: zip.open.size + bytes.length, crc: crc32(bytes, zip.open.crc) },
      }
    : zip

/** Ends the member that is being written. */
export const closeMember = (zip: ZipState): Written => {
  const { open } = zip
  if (!open) return { zip, bytes: new Uint8Array() }
  const descriptor = Buffer.alloc(open.isLarge ? 24 : 16)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(open.crc, 4)
  if (open.isLarge) {
    descriptor.writeBigUInt64LE(BigInt(open.size), 8)
    descriptor.writeBigUInt64LE(BigInt(open.size), 16)
  } else {
    descriptor.writeUInt32LE(open.size, 8)
    descriptor.writeUInt32LE(open.size, 12)
  }
  const extra = largeSizes([
    ...(open.isLarge ? [open.size, open.size] : []),
    ...(open.offset >= LARGE ? [open.offset] : []),
  ])
  const record = Buffer.concat([directoryHeader(open, extra.length), Buffer.from(open.name), extra])
  return {
    zip: {
      offset: zip.offset + descriptor.length,
      count: zip.count + 1,
      directory: extended(zip, record),
      directoryBytes: zip.directoryBytes + record.length,
      open: null,
    },
    bytes: descriptor,
  }
}

/** The chunks of a directory with a further record. */
const extended = ({ directory, directoryBytes }: ZipState, record: Uint8Array): readonly SharedArrayBuffer[] => {
  const chunks = [...directory]
  for (let from = 0; from < record.length;) {
    const at = (directoryBytes + from) % CHUNK_BYTES
    const chunk = (at > 0 && chunks.at(-1)) || new SharedArrayBuffer(CHUNK_BYTES)
    if (at === 0) chunks.push(chunk)
    const part = record.subarray(from, from + CHUNK_BYTES - at)
    new Uint8Array(chunk).set(part, at)
    from += part.length
  }
  return chunks
}

/** The directory and the end of the archive. */
export const zipEnd = ({ offset, count, directory, directoryBytes }: ZipState): Uint8Array =>
  Buffer.concat([
    Buffer.concat(directory.map((chunk) => new Uint8Array(chunk))).subarray(0, directoryBytes),
    ...(count >= MANY || offset + directoryBytes >= LARGE ? [largeEnd(count, directoryBytes, offset)] : []),
    end(count, directoryBytes, offset),
  ])

/** The extra field of Zip64 with some sizes and offsets; nothing without any. */
const largeSizes = (values: readonly number[]): Buffer => {
  if (values.length === 0) return Buffer.alloc(0)
  const extra = Buffer.alloc(4 + 8 * values.length)
  extra.writeUInt16LE(0x0001, 0)
  extra.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  return extra
}

const localHeader = (name: string, isLarge: boolean): Buffer => {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(isLarge ? LARGE_VERSION : VERSION, 4)
  if (isLarge) {
    header.writeUInt32LE(LARGE, 18)
    header.writeUInt32LE(LARGE, 22)
    header.writeUInt16LE(20, 28)
  }
  header.writeUInt16LE(DATA_DESCRIPTOR_AND_UTF8, 6)
  header.writeUInt16LE(DOS_DATE, 12)
  header.writeUInt16LE(Buffer.byteLength(name), 26)
  return header
}

const directoryHeader = ({ name, offset, size, crc, isLarge }: Member, extraBytes: number): Buffer => {
  const header = Buffer.alloc(46)
  const version = extraBytes > 0 ? LARGE_VERSION : VERSION
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(version, 6)
  header.writeUInt16LE(DATA_DESCRIPTOR_AND_UTF8, 8)
  header.writeUInt16LE(DOS_DATE, 14)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(isLarge ? LARGE : size, 20)
  header.writeUInt32LE(isLarge ? LARGE : size, 24)
  header.writeUInt16LE(Buffer.byteLength(name), 28)
  header.writeUInt16LE(extraBytes, 30)
  header.writeUInt32LE(Math.min(offset, LARGE), 42)
  return header
}

const end = (count: number, directoryBytes: number, offset: number): Buffer => {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(Math.min(count, MANY), 8)
  record.writeUInt16LE(Math.min(count, MANY), 10)
  record.writeUInt32LE(Math.min(directoryBytes, LARGE), 12)
  record.writeUInt32LE(Math.min(offset, LARGE), 16)
  return record
}

/** The end of an archive with 65,535 members or more, or of 4 GiB or more: the Zip64 record and its locator. */
const largeEnd = (count: number, directoryBytes: number, offset: number): Buffer => {
  const record = Buffer.alloc(76)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(45, 12)
  record.writeUInt16LE(45, 14)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(directoryBytes), 40)
  record.writeBigUInt64LE(BigInt(offset), 48)
  record.writeUInt32LE(0x07064b50, 56)
  record.writeBigUInt64LE(BigInt(offset + directoryBytes), 64)
  record.writeUInt32LE(1, 72)
  return record
}
