import type { Logger } from 'pino'
import { newIds } from '../../http/identity/ids.ts'
import type { OpenService } from '../../runtime/services.ts'
import { sendMail } from '../../runtime/webhooks/send-mail.ts'
import { createWebhookSender, type WebhookSender } from '../../runtime/webhooks/sender.ts'
import { findUnreadable, sealedTargets } from '../../runtime/webhooks/targets.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Config } from './config.ts'

export type OpenedWebhooks = {
  /** Null without SERVICE_SECRET_KEY: then this process sends nothing. */
  readonly sender: WebhookSender | null
  /** Throws `UserError` if webhooks exist, and the key is missing or another one. */
  readonly check: () => Promise<void>
}

/** Creates the sender of webhooks. `reader` must not read from a standby. */
export const openWebhooks = (
  { secretKey, webhookTargets, mail, publicUrl, database }: Config,
  service: OpenService,
  { reader, logger }: { readonly reader: Reader; readonly logger: Logger },
): OpenedWebhooks => {
  const targets = secretKey && sealedTargets(secretKey)
  return {
    sender:
      targets &&
      createWebhookSender(
        { ...service, reader, logger, mint: newIds() },
        { targets, allowed: webhookTargets, mail: sendMail(mail), publicUrl, isShared: database !== null },
      ),
    check: async () => {
      for (const webhook_id of await findUnreadable(reader, targets))
        logger.error(
          { webhook_id },
          'a webhook cannot be decrypted, so it sends nothing: delete it and create a new one',
        )
    },
  }
}
