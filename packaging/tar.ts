import { gunzipSync } from 'node:zlib'
import { gzipSync } from 'fflate'
import { inOrder, type PackedFile } from './files.ts'

// Archives of the format ustar (POSIX.1-1988) in gzip (RFC 1952). The same files give the same bytes on every machine: in
// one order, of one time, with the modes 644 and 755, owned by root. The compression is JavaScript, because zlib in Node
// differs between versions and processors.

const BLOCK = 512

/** A number as octal digits with a zero byte at the end. */
const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

/** The fields `name` and `prefix` of a path. Throws if it is too long for them. */
const splitPath = (path: string): readonly [name: string, prefix: string] => {
  if (Buffer.byteLength(path) <= 100) return [path, '']
  const cut = path.indexOf('/', path.length - 101)
  if (cut < 1 || cut > 155 || Buffer.byteLength(path) !== path.length)
    throw new Error(`the path is too long for an archive: ${path}`)
  return [path.slice(cut + 1), path.slice(0, cut)]
}

const header = ({ path, bytes, executable }: PackedFile, seconds: number): Buffer => {
  const block = Buffer.alloc(BLOCK)
  const [name, prefix] = splitPath(path)
  block.write(name, 0)
  block.write(octal(executable === true ? 0o755 : 0o644, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(bytes.length, 12), 124)
  block.write(octal(seconds, 12), 136)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.write('root', 265)
  block.write('root', 297)
  block.write(prefix, 345)
  // The checksum is that of the header with spaces in its place.
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The tar archive of files, all of the time `seconds` (Unix time). */
export const tar = (files: readonly PackedFile[], seconds: number): Buffer =>
  Buffer.concat([
    ...inOrder(files).flatMap((file) => [
      header(file, seconds),
      file.bytes,
      Buffer.alloc((BLOCK - (file.bytes.length % BLOCK)) % BLOCK),
    ]),
    Buffer.alloc(2 * BLOCK),
  ])

/** The archive of files in gzip, whose header has neither a time nor a name. */
export const tarGz = (files: readonly PackedFile[], seconds: number): Uint8Array =>
  gzipSync(tar(files, seconds), { level: 9, mtime: 0 })

/** The text of a field, which ends at a zero byte or at its length. */
const textAt = (block: Buffer, start: number, length: number): string => {
  const [text = ''] = block.toString('utf8', start, start + length).split('\0', 1)
  return text
}

/** The plain files of a tar archive in gzip by their paths. What else is in it is left out: it has no long names. */
export const readTarGz = (archive: Uint8Array): Map<string, Buffer> => {
  const bytes = gunzipSync(archive)
  const files = new Map<string, Buffer>()
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0;) {
    const block = bytes.subarray(at, at + BLOCK)
    const size = Number.parseInt(textAt(block, 124, 12), 8)
    const prefix = textAt(block, 345, 155)
    const type = textAt(block, 156, 1)
    if (type === '0' || type === '')
      files.set(`${prefix && `${prefix}/`}${textAt(block, 0, 100)}`, bytes.subarray(at + BLOCK, at + BLOCK + size))
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return files
}
