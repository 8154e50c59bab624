import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { WEBHOOK_FORMATS } from '../../domain/webhooks/formats.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { listTargets } from '../../queries/webhooks/webhooks.ts'
import type { Reader } from '../../storage/storage.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const Target = z.object({
  url: z.string(),
  /** Webhooks of before there were formats have none. */
  format: z.enum(WEBHOOK_FORMATS).default('standard'),
  secret: z.string(),
  former: z.object({ secret: z.string(), until: z.number() }).nullable(),
})
/** Where a webhook sends, and its secrets; the former one is valid until a time in epoch milliseconds. */
export type Target = z.infer<typeof Target>

/** The target of a webhook was sealed with another key or for another webhook, or is damaged. */
export class UnreadableTarget extends Error {
  override readonly name = 'UnreadableTarget'
}

export type SealedTargets = {
  readonly seal: (webhook_id: string, target: Target) => string
  /** Throws `UnreadableTarget`. */
  readonly open: (webhook_id: string, sealed: string) => Target
}

/**
 * Encrypts URLs and secrets of webhooks with AES-256-GCM (NIST SP 800-38D) and a random nonce. URLs are encrypted too,
 * because their paths often contain secrets. The id of the webhook is authenticated, so that no text can be moved to
 * another one.
 */
export const sealedTargets = (secretKey: Uint8Array): SealedTargets => {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'targets of webhooks', 32))
  const opened = (webhook_id: string, sealed: string): Target => {
    const bytes = Buffer.from(sealed, 'base64url')
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(webhook_id)).setAuthTag(bytes.subarray(-TAG_BYTES))
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    return Target.parse(JSON.parse(text.toString('utf8')))
  }
  return {
    seal: (webhook_id, target) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(webhook_id))
      const text = Buffer.concat([cipher.update(JSON.stringify(target), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')
    },
    open: (webhook_id, sealed) => {
      try {
        return opened(webhook_id, sealed)
      } catch (cause) {
        throw new UnreadableTarget(`the target of webhook ${webhook_id} cannot be decrypted`, { cause })
      }
    },
  }
}
/**
 * Returns the ids of webhooks that cannot be decrypted. Throws `UserError` if none can be decrypted: then `SERVICE_SECRET_KEY`
 * is not the key that encrypted them.
 */
export const findUnreadable = async (
  reader: Pick<Reader, 'read'>,
  targets: SealedTargets | null,
): Promise<readonly string[]> => {
  const stored = await reader.read(listTargets)
  if (stored.length > 0 && !targets)
    throw new UserError(
      'SERVICE_SECRET_KEY: must be set, because there are webhooks, whose secrets are encrypted with it. Set the key that was used before; if it is lost, run "ers delete-webhooks"',
    )
  const unreadable: string[] = []
  let cause: unknown
  for (const { webhook_id, sealed } of stored) {
    try {
      targets?.open(webhook_id, sealed)
    } catch (error) {
      if (!(error instanceof UnreadableTarget)) throw error
      cause = error
      unreadable.push(webhook_id)
    }
  }
  if (unreadable.length > 0 && unreadable.length === stored.length)
    throw new UserError(
      `SERVICE_SECRET_KEY: is not the key that encrypted the secret of webhook ${unreadable[0]}. Set the key that was used before; if it is lost, run "ers delete-webhooks"`,
      { cause },
    )
  return unreadable
}
