import { listedNames } from '../../domain/text/listed-names.ts'

/** A kind of binary file, by its first bytes, and what to do with it. */
type Kind = { readonly at?: number; readonly magic: string | readonly number[]; readonly what: string }

const AS_TABLE = 'write it as CSV or JSON Lines, and import that with --map'
const UNPACK = 'unpack it'

const KINDS: readonly Kind[] = [
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    what: 'an old Office document, such as an Excel workbook (.xls): save it as CSV (UTF-8)',
  },
  { magic: 'ARROW1', what: `an Arrow file: ${AS_TABLE}` },
  { magic: 'FEA1', what: `a Feather file: ${AS_TABLE}` },
  { magic: 'ORC', what: `an ORC file: ${AS_TABLE}` },
  { magic: 'Obj\x01', what: `an Avro file: ${AS_TABLE}` },
  { magic: '\x89HDF\r\n', what: `an HDF5 file: ${AS_TABLE}` },
  { magic: '\x93NUMPY', what: `a NumPy array: ${AS_TABLE}` },
  { magic: 'DUCK', at: 8, what: `a DuckDB database: ${AS_TABLE}` },
  { magic: [0x80, 0x02], what: `a pickle of Python: ${AS_TABLE}` },
  { magic: [0x80, 0x03], what: `a pickle of Python: ${AS_TABLE}` },
  { magic: [0x80, 0x04], what: `a pickle of Python: ${AS_TABLE}` },
  { magic: [0x80, 0x05], what: `a pickle of Python: ${AS_TABLE}` },
  { magic: 'ustar', at: 257, what: `a tar archive: ${UNPACK}, and import the folder` },
  { magic: 'BZh', what: `packed with bzip2: ${UNPACK} with bunzip2` },
  { magic: '\xfd7zXZ\0', what: `packed with xz: ${UNPACK} with unxz` },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], what: `packed with Zstandard: ${UNPACK} with unzstd` },
  { magic: [0x1f, 0x8b], what: `packed with gzip twice: ${UNPACK} with gunzip` },
  { magic: '7z\xbc\xaf\x27\x1c', what: `a 7z archive: ${UNPACK}, and import the folder` },
  { magic: 'Rar!', what: `a RAR archive: ${UNPACK}, and import the folder` },
  { magic: '%PDF-', what: 'a PDF document: import the results that it was made of' },
  { magic: '\x89PNG', what: 'an image: import the results that it shows' },
  { magic: [0xff, 0xd8, 0xff], what: 'an image: import the results that it shows' },
]

/** Says what a binary file is, and what to do with it; null if its first bytes are not known. */
export const binaryKind = (head: Uint8Array): string | null => {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const found = KINDS.find(({ magic, at = 0 }) => {
    const wanted = typeof magic === 'string' ? Buffer.from(magic, 'latin1') : Buffer.from(magic)
    return bytes.subarray(at, at + wanted.length).equals(wanted)
  })
  return found?.what ?? null
}

/** Says what a zip archive is, by the names in it, and what to do with it. */
export const archiveKind = (names: readonly string[]): string => {
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name))
  if (has(/^xl\//)) return 'an Excel workbook: save its sheet as CSV (UTF-8), and import that with --map'
  if (has(/^(?:word|ppt)\//)) return 'an Office document: import the results that it was made of'
  if (has(/^mimetype$/) && has(/^content\.xml$/))
    return 'an OpenDocument file: save its sheet as CSV (UTF-8), and import that with --map'
  if (has(/^Index\/.*\.iwa$/)) return 'a Numbers document: export it as CSV (UTF-8), and import that with --map'
  if (has(/\.npy$/)) return `arrays of NumPy: ${AS_TABLE}`
  const inside =
    names.length === 0
      ? 'an empty zip archive'
      : `a zip archive of an unknown tool, with ${listedNames(names, MAX_SHOWN)}`
  return `${inside}: unpack it, and import the folder`
}

const MAX_SHOWN = 5
