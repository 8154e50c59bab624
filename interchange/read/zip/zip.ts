import { fromRandomAccessReaderPromise, getFileNameLowLevel, type Entry } from 'yauzl'
import { SourceRefused } from '../../document/source-refused.ts'
import type { SourceFile } from '../source-file.ts'
import { partReader, windowOf, type Window } from './zip-window.ts'
import {
  dataStart,
  MAX_ENTRIES,
  LOCAL_HEADER_BYTES,
  STORED,
  memberBytes,
  memberContent,
  shownName,
  type Member,
} from './zip-members.ts'

/** An open archive. Close it when it was read. */
export type Zip = {
  /** By name. A name that is in the archive twice appears once: the last one counts, as tools append a newer one. */
  readonly members: ReadonlyMap<string, Member>
  /** Reads a whole member, whose length and CRC-32 are checked. Throws `SourceRefused`. */
  readonly read: (member: Member) => Promise<Buffer>
  /** Reads a member in parts. Length and CRC-32 are checked at the end. Throws `SourceRefused`. */
  readonly stream: (member: Member) => AsyncIterable<Uint8Array>
  /** Where the bytes of a member begin in the archive, if they are stored as they are; null if they are packed. Throws `SourceRefused`. */
  readonly storedAt: (member: Member) => Promise<number | null>
  readonly [Symbol.dispose]: () => void
}

/**
 * Reads the directory of an archive. Throws `SourceRefused` if it is damaged or cut off, has more than 200,000 entries,
 * a name that leads out of a folder, a link, an encrypted member, or members that share bytes. Nothing of an archive is
 * ever written to disk. Reading members throws `SourceRefused` beyond the limit of the file, if it has one.
 */
export const openZip = async (file: SourceFile): Promise<Zip> => {
  const window = await windowOf(file)
  const members = await readDirectory(window)
  return {
    members,
    read: (member) => {
      file.countUnpacked?.(member.size)
      return memberContent(window, member)
    },
    stream: (member) => {
      file.countUnpacked?.(member.size)
      return memberBytes(window, member)
    },
    storedAt: async (member) =>
      member.method === STORED && member.size === member.packedSize
        ? dataStart({ read: window.readAlone }, member)
        : null,
    [Symbol.dispose]: window.close,
  }
}

export const zipEntryNames = async (file: SourceFile): Promise<readonly string[]> => {
  using zip = await openZip(file)
  return [...zip.members.keys()]
}

const readDirectory = async (window: Window): Promise<ReadonlyMap<string, Member>> => {
  const reader = partReader(window)
  try {
    const zip = await fromRandomAccessReaderPromise(reader, window.size, {
      lazyEntries: true,
      autoClose: false,
      // Names are decoded below: the library makes a slash of a backslash, which would make one name of two.
      decodeStrings: false,
    })
    try {
      if (zip.entryCount > MAX_ENTRIES) throw new SourceRefused(`has more than ${MAX_ENTRIES} entries`)
      const members = new Map<string, Member>()
      const all: Member[] = []
      for await (const entry of zip.eachEntry()) {
        const member = memberOf(entry)
        if (member === null) continue
        members.set(member.name, member)
        all.push(member)
      }
      checkOverlaps(all, window.size)
      return members
    } finally {
      zip.close()
    }
  } catch (error) {
    window.close()
    if (error instanceof SourceRefused || isSystemError(error)) throw error
    throw new SourceRefused(`damaged or cut-off zip archive: ${(error as Error).message}`, { cause: error })
  }
}

/** An error of the disk, such as EIO, is no fault of the archive. */
const isSystemError = (error: unknown) => (error as NodeJS.ErrnoException).syscall !== undefined

const UNIX = 3
const FILE_TYPE = 0xf000
const REGULAR_FILE = 0x8000
const FOLDER = 0x4000

/** The member of an entry; null for a folder. */
const memberOf = (entry: Entry): Member | null => {
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true)
  if (/^[/\\]|^[a-z]:|(^|[/\\])\.\.([/\\]|$)|\0/i.test(name))
    throw new SourceRefused(`holds a name that leads out of its folder: ${shownName(name)}`)
  const type = entry.versionMadeBy >> 8 === UNIX ? (entry.externalFileAttributes >>> 16) & FILE_TYPE : 0
  if (type === FOLDER || name.endsWith('/')) return null
  if (type !== 0 && type !== REGULAR_FILE) throw new SourceRefused(`holds a link or a device: ${shownName(name)}`)
  if (entry.isEncrypted()) throw new SourceRefused(`is encrypted: ${shownName(name)}`)
  return {
    name,
    size: entry.uncompressedSize,
    packedSize: entry.compressedSize,
    method: entry.compressionMethod,
    crc32: entry.crc32,
    headerOffset: entry.relativeOffsetOfLocalHeader,
    rawName: entry.fileNameRaw,
  }
}

/** Members that share bytes unpack to far more than the archive holds: no tool writes such an archive. */
const checkOverlaps = (members: readonly Member[], size: number): void => {
  let end = 0
  for (const member of members.toSorted((a, b) => a.headerOffset - b.headerOffset)) {
    if (member.headerOffset < end) throw new SourceRefused(`has members that overlap: ${shownName(member.name)}`)
    end = member.headerOffset + LOCAL_HEADER_BYTES + member.rawName.length + member.packedSize
    if (end > size) throw new SourceRefused(`damaged or cut-off zip archive: ${shownName(member.name)} is not whole`)
  }
}
