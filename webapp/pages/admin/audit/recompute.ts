import type { AuditRecord } from '../../../../queries/audit.ts'

const encoder = new TextEncoder()
const hexBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
const hexOf = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const sha256 = async (...parts: readonly Uint8Array[]): Promise<string> => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return hexOf(await crypto.subtle.digest('SHA-256', joined))
}

/**
 * Whether the parts of a record give its commitment and its leaf (RFC 6962), computed in this browser. Null if they
 * cannot be computed: the body was erased, or the page was not loaded over https.
 */
export const isConsistent = async ({
  body,
  salt,
  commitment,
  leaf,
  recorded_at,
  type,
}: AuditRecord): Promise<boolean | null> => {
  // Browsers have it on https and on the local host alone.
  if (body === null || salt === null || !('subtle' in crypto)) return null
  const entry = JSON.stringify({ commitment, recorded_at: Date.parse(recorded_at), type })
  const [ownCommitment, ownLeaf] = [
    await sha256(hexBytes(salt), encoder.encode(body)),
    await sha256(Uint8Array.of(0), encoder.encode(entry)),
  ]
  return ownCommitment === commitment && ownLeaf === leaf
}
