import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const POSITION_BYTES = 8
const DIGEST_BYTES = 16

/** What the id of a message stands for. */
export type StreamId = {
  /** Everything up to this position of the log was sent. */
  readonly position: number
  /** A digest of what the viewer could notice of access at that time. */
  readonly noticed: string
}

export type SealedIds = {
  readonly seal: (id: StreamId) => string
  /** Null for a text that was not sealed with this key. */
  readonly open: (text: string) => StreamId | null
}

/** The digest of a viewer class that an id holds. */
export const noticedDigest = (noticed: string): string =>
  hash('sha256', noticed, 'buffer').subarray(0, DIGEST_BYTES).toString('base64url')

/**
 * Seals the ids of stream messages with AES-256-GCM (NIST SP 800-38D) and a random nonce. The position of the log
 * itself would show how much happens that the viewer may not see. Without a key, the ids are readable in this process
 * alone.
 */
export const sealedIds = (secretKey: Uint8Array | null): SealedIds => {
  const key = Buffer.from(hkdfSync('sha256', secretKey ?? randomBytes(32), '', 'ids of the event stream', 32))
  return {
    seal: ({ position, noticed }) => {
      const plain = Buffer.alloc(POSITION_BYTES + DIGEST_BYTES)
      plain.writeBigUInt64BE(BigInt(position))
      plain.write(noticed, POSITION_BYTES, 'base64url')
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce)
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },
    open: (text) => {
      const sealed = Buffer.from(text, 'base64url')
      if (sealed.length !== NONCE_BYTES + POSITION_BYTES + DIGEST_BYTES + TAG_BYTES) return null
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      try {
        const plain = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
        return {
          position: Number(plain.readBigUInt64BE()),
          noticed: plain.subarray(POSITION_BYTES).toString('base64url'),
        }
      } catch {
        return null
      }
    },
  }
}
