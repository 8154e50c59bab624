const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES: ReadonlyMap<string, number> = new Map([...DIGITS].map((digit, value) => [digit, value]))
const FORM = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Base64 of RFC 4648 section 4, with padding. */
export const toBase64 = (bytes: Uint8Array): string => {
  const groups: string[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3)
    const group = (a << 16) | (b << 8) | c
    const digits = [18, 12, 6, 0].map((shift) => DIGITS.charAt((group >> shift) & 63))
    const used = Math.min(bytes.length - at, 3) + 1
    groups.push(digits.slice(0, used).join('').padEnd(4, '='))
  }
  return groups.join('')
}

/**
 * The bytes of canonical base64, null for any other text. Bytes have exactly one text: padding is required, bits behind
 * the last byte must be zero, and white space is refused.
 */
export const fromBase64 = (text: string): Uint8Array | null => {
  if (!FORM.test(text)) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  for (let at = 0, offset = 0; at < text.length; at += 4) {
    let group = 0
    for (const digit of text.slice(at, at + 4)) group = (group << 6) | (VALUES.get(digit) ?? 0)
    for (const shift of [16, 8, 0]) if (offset < bytes.length) bytes[offset++] = (group >> shift) & 255
  }
  return toBase64(bytes.subarray(bytes.length - (bytes.length % 3))) === text.slice(4 * Math.floor(bytes.length / 3))
    ? bytes
    : null
}
