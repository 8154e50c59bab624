import { createHmac, randomBytes } from 'node:crypto'

// Secrets and signatures of Standard Webhooks:
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 24

/** A new secret: `whsec_` and 24 random bytes in base64. */
export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')

type Signed = {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** The value of `webhook-signature`: one signature for each secret, separated by spaces. */
export const signatureHeader = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`
    })
    .join(' ')
