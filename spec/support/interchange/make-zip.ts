import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib'

/** A member of an archive that a spec makes. What is not given is as a tool would write it. */
export type MadeMember = {
  readonly name: string
  readonly content: string | Uint8Array
  /** 0 stored, 8 deflate, 93 Zstandard. */
  readonly method?: number
  /** For Zstandard: the number of frames. */
  readonly frames?: number
  /** What the directory says instead of the truth. */
  readonly says?: { readonly size?: number; readonly crc32?: number; readonly offset?: number }
  /** The name in the local header. */
  readonly localName?: string
  readonly flags?: number
  /** The Unix mode, such as 0o120777 for a link. */
  readonly mode?: number
}

const REGULAR_FILE = 0o100644
const UTF8_NAMES = 0x800
const MADE_BY_UNIX = 0x0314

/** Makes a zip archive after APPNOTE 6.3.10 of PKWARE. */
export const makeZip = (members: readonly MadeMember[]): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const member of members) {
    const content = Buffer.from(member.content)
    const packed = pack(content, member)
    const flags = member.flags ?? UTF8_NAMES
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(member.method ?? 0, 4)
    common.writeUInt32LE(member.says?.crc32 ?? crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(member.says?.size ?? content.length, 18)
    const localName = Buffer.from(member.localName ?? member.name)
    const local = Buffer.concat([signature(0x04034b50), common, localName, packed])
    local.writeUInt16LE(localName.length, 26)
    const name = Buffer.from(member.name)
    const entry = Buffer.concat([signature(0x02014b50), Buffer.alloc(2), common, Buffer.alloc(14), name])
    entry.writeUInt16LE(MADE_BY_UNIX, 4)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(((member.mode ?? REGULAR_FILE) << 16) >>> 0, 38)
    entry.writeUInt32LE(member.says?.offset ?? offset, 42)
    parts.push(local)
    directory.push(entry)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}

const signature = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const pack = (content: Buffer, { method = 0, frames = 1 }: MadeMember): Buffer => {
  if (method === 8) return deflateRawSync(content)
  if (method !== 93) return content
  const size = Math.ceil(content.length / frames)
  return Buffer.concat(
    Array.from({ length: frames }, (_, n) => zstdCompressSync(content.subarray(n * size, (n + 1) * size))),
  )
}
