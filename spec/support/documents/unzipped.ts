import { crc32 } from 'node:zlib'

/** The members of a zip archive without compression, by name, as its directory lists them. Checks sizes and checksums. */
export const unzipped = (archive: Buffer): ReadonlyMap<string, Buffer> => {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const members = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error(`no entry of the directory at ${at}`)
    const [checksum, size, nameLength] = [
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 24),
      archive.readUInt16LE(at + 28),
    ]
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const local = archive.readUInt32LE(at + 42)
    if (archive.readUInt32LE(local) !== 0x04034b50) throw new Error(`no member at ${local}`)
    const from = local + 30 + archive.readUInt16LE(local + 26)
    const bytes = archive.subarray(from, from + size)
    if (crc32(bytes) !== checksum) throw new Error(`${name} has another checksum`)
    if (archive.readUInt32LE(from + size) !== 0x08074b50) throw new Error(`${name} has no data descriptor`)
    members.set(name, bytes)
    at += 46 + nameLength
  }
  if (at !== end) throw new Error('the directory ends elsewhere')
  return members
}
