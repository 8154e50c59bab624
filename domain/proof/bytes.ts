const ENCODER = new TextEncoder()
// A byte order mark is a character like any other: without `ignoreBOM` it would vanish, and two texts would look like one.
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array => ENCODER.encode(text)

/** The text of UTF-8 bytes, or null if they are not UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return DECODER.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Lower-case hexadecimal digits, two for each byte. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The bytes of lower-case hexadecimal digits, or null for any other text. */
export const fromHex = (text: string): Uint8Array | null => {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return null
  return Uint8Array.from({ length: text.length / 2 }, (_, n) => Number.parseInt(text.slice(2 * n, 2 * n + 2), 16))
}

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((total, { length }) => total + length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

/** Whether two byte strings are equal. Not in constant time: everything that proofs compare is public. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, n) => byte === b[n])

/** The big-endian bytes of an unsigned 64-bit number. */
export const uint64 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}
