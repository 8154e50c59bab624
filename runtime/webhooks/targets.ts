import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { UserError } from '../../maintenance/user-error.ts'
import { listTargets } from '../../queries/webhooks/webhooks.ts'
import type { Reader } from '../../storage/storage.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const Target = z.object({
  url: z.string(),
  secret: z.string(),
  former: z.object({ secret: z.string(), until: z.number() }).nullable(),
})
/** Where a webhook sends, and its secrets; the former one is valid until a time in epoch milliseconds. */
export type Target = z.infer<typeof Target>

export type SealedTargets = {
  readonly seal: (webhook_id: string, target: Target) => string
  /** Throws for a text that was not sealed with this key, or for another webhook. */
  readonly open: (webhook_id: string, sealed: string) => Target
}

/**
 * Encrypts URLs and secrets of webhooks with AES-256-GCM (NIST SP 800-38D) and a random nonce. URLs are encrypted too,
 * because their paths often contain secrets. The id of the webhook is authenticated, so that no text can be moved to
 * another one.
 */
export const sealedTargets = (secretKey: Uint8Array): SealedTargets => {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'targets of webhooks', 32))
  return {
    seal: (webhook_id, target) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(webhook_id))
      const text = Buffer.concat([cipher.update(JSON.stringify(target), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')
    },
    open: (webhook_id, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(webhook_id)).setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
      return Target.parse(JSON.parse(text.toString('utf8')))
    },
  }
}

/** Throws `UserError` if there are webhooks and `SERVICE_SECRET_KEY` is not the key that encrypted all of them. */
export const checkTargets = async (reader: Pick<Reader, 'read'>, targets: SealedTargets | null): Promise<void> => {
  for (const { webhook_id, sealed } of await reader.read(listTargets)) {
    if (!targets)
      throw new UserError(
        'SERVICE_SECRET_KEY: must be set, because there are webhooks, whose secrets are encrypted with it. Set the key that was used before; if it is lost, run "ers delete-webhooks"',
      )
    try {
      targets.open(webhook_id, sealed)
    } catch (cause) {
      throw new UserError(
        `SERVICE_SECRET_KEY: is not the key that encrypted the secret of webhook ${webhook_id}. Set the key that was used before; if it is lost, run "ers delete-webhooks"`,
        { cause },
      )
    }
  }
}
