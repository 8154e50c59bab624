import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { rfc3339 } from '../../../domain/wire.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findOwnWebhook, WebhookView, type StoredWebhook } from '../../../queries/webhooks/webhooks.ts'
import { sealedTargets, UnreadableTarget, type SealedTargets, type Target } from '../../../runtime/webhooks/targets.ts'
import { mustExist } from '../../errors.ts'
import type { Services } from '../../services.ts'

/** The only answers that contain a secret. */
export const WithSecret = WebhookView.extend({ secret: z.string() }).meta({ id: 'WebhookWithSecret' })

/** Finds a webhook of the viewer's own. Refuses: not_found. */
export const readWebhook = async (reader: Services['reader'], viewer: Viewer, id: string): Promise<StoredWebhook> =>
  mustExist(await reader.read(findOwnWebhook(viewer, id)), 'webhook')

type Parts = Pick<Services, 'config' | 'now'>

/** What seals and opens targets. Refuses: conflict (the server has no key for secrets). */
export const neededTargets = ({ config: { secretKey } }: Pick<Services, 'config'>): SealedTargets => {
  if (!secretKey)
    throw new Refused('conflict', 'webhooks need SERVICE_SECRET_KEY: the operator of this server has not set it')
  return sealedTargets(secretKey)
}

/** The target of a webhook; null if it cannot be decrypted. */
export const openTarget = (services: Parts, { webhook_id, sealed }: StoredWebhook): Target | null => {
  try {
    return neededTargets(services).open(webhook_id, sealed)
  } catch (error) {
    if (error instanceof UnreadableTarget) return null
    throw error
  }
}

/** A webhook as its owner sees it. */
export const webhookView = (services: Parts, webhook: StoredWebhook): WebhookView => {
  const target = openTarget(services, webhook)
  const until = target?.former?.until ?? 0
  return {
    ...webhook.view,
    url: target && target.url,
    format: target && target.format,
    former_secret_until: until > services.now() ? rfc3339(until) : null,
  }
}
