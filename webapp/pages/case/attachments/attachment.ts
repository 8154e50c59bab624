import { pictureSize, SIZE_BYTES, type PictureSize } from '../../../../domain/evidence/picture-size.ts'
import { firstBytes, typeIn } from '../../../evidence/part-head.ts'

/** Characters of a text that are shown. */
export const MAX_SHOWN = 20_000
/** Bytes that are read: enough for the characters, which have four bytes at most. */
const READ_BYTES = 4 * MAX_SHOWN
/** Bytes of a file that is no text that are shown. */
const HEX_BYTES = 512

/** The beginning of a file, and what the server says that it is. */
export type Beginning = {
  /** The type of its bytes, from the server. */
  readonly type: string
  /** False if the server knows no type for them. */
  readonly isKnown: boolean
  /** As text; null if it is none. */
  readonly text: string | null
  /** Whether the text has more. */
  readonly isCut: boolean
  readonly language: string | null
  /** The first bytes. */
  readonly bytes: Uint8Array
  /** Of a picture, if its first bytes say it. */
  readonly size: PictureSize | null
}

const OCTETS = 'application/octet-stream'

/** Reads the type and the beginning of a file. The rest is not fetched. */
export const readBeginning = async ({ headers, body }: Response): Promise<Beginning> => {
  const type = typeIn(headers)
  const found = { type, isKnown: type !== OCTETS }
  const isMedia = /^(?:image|audio|video)\//.test(type)
  const bytes = body === null ? new Uint8Array() : await firstBytes(body, isMedia ? SIZE_BYTES : READ_BYTES)
  const text = isMedia ? null : textOf(bytes)
  return {
    ...found,
    text: text === null ? null : text.slice(0, MAX_SHOWN),
    isCut: text !== null && (text.length > MAX_SHOWN || bytes.length === READ_BYTES),
    language: text !== null && /^\s*[[{]/.test(text) ? 'json' : null,
    bytes: bytes.subarray(0, HEX_BYTES),
    size: pictureSize(type, bytes),
  }
}

/** Bytes as UTF-8, of which the last character may be cut; null if they are something else. */
const textOf = (bytes: Uint8Array): string | null => {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}

const BYTES_IN_ROW = 16

/** Bytes in rows of 16: the place of the first, all in hexadecimal, and as ASCII where they are printable. */
export const hexRows = (bytes: Uint8Array): string => {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += BYTES_IN_ROW) {
    const row = [...bytes.subarray(at, at + BYTES_IN_ROW)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    rows.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(3 * BYTES_IN_ROW - 1)}  ${ascii}`)
  }
  return rows.join('\n')
}
