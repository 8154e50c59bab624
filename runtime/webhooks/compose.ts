import { findRunId, messageIdOf, type DueDelivery } from '../../queries/webhooks/deliveries.ts'
import { findOwner } from '../../queries/webhooks/owners.ts'
import { findWebhook } from '../../queries/webhooks/webhooks.ts'
import { findViewerClass, seesSet } from '../../queries/access/viewer-class.ts'
import { chatBody, mailParts } from '../../domain/webhooks/formats.ts'
import { messageBody, type MessageFacts, type MessageSubject } from '../../domain/webhooks/message.ts'
import { signatureHeader } from '../../domain/webhooks/signature.ts'
import { findRecord } from '../../storage/log/records.ts'
import { constant } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { streamRunId, recordSubject, type Subject } from './make-batch.ts'
import type { SealedTargets } from './targets.ts'

/** A message that is ready to be sent. That of a `mailto:` URL has a subject and an id as headers, and plain text as body. */
export type Message = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Parts = {
  readonly reader: Reader
  readonly targets: SealedTargets
  readonly publicUrl: string | null
  readonly now: () => number
}

const aboutOf = (recorded: Subject): Pick<MessageSubject, 'run_id' | 'project' | 'suite' | 'cause'> => {
  const { project, suite } = recorded.data
  switch (recorded.type) {
    case 'RunIngested':
      return { run_id: streamRunId(recorded.stream), project, suite, cause: null }
    case 'RunDeleted':
      return { run_id: streamRunId(recorded.stream), project, suite, cause: recorded.data.cause }
    case 'BaselinePinned':
      return { run_id: recorded.data.run_id, project, suite, cause: null }
    case 'ReviewQueueClosed':
    case 'BaselineUnpinned':
      return { run_id: null, project, suite, cause: recorded.data.cause }
  }
}

/**
 * Composes a message from its record, as its owner may see it now. Null if nothing may be sent: the webhook, its owner or the
 * body of the record is gone, or its owner may not see the suite any more.
 */
export const composeMessage = async (due: DueDelivery, parts: Parts): Promise<Message | null> => {
  const { reader, targets, publicUrl, now } = parts
  const { webhook, record } = await reader.readAll({
    webhook: findWebhook(due.webhook_id),
    record: due.seq === null ? constant(null) : findRecord(due.seq),
  })
  const owner = webhook && (await reader.read(findOwner(webhook.user_id)))
  if (!webhook || !owner) return null
  const subject = record && recordSubject(record)
  if (due.seq !== null && !subject) return null
  if (subject && !seesSet(await reader.read(findViewerClass(owner)), subject.data)) return null

  const facts = JSON.parse(due.facts) as MessageFacts
  const other = facts.compared?.run_no ?? facts.measured?.run_no ?? facts.judged?.run_no ?? facts.change?.run_no ?? null
  const about = subject ? aboutOf(subject) : { run_id: null, project: null, suite: null, cause: null }
  const described: MessageSubject = {
    ...about,
    event: due.event,
    at: subject?.recorded_at ?? due.created_at,
    webhook_id: due.webhook_id,
    other_run_id: other === null ? null : await reader.read(findRunId(other)),
    facts,
  }
  const { url, format, secret, former } = targets.open(webhook.webhook_id, webhook.sealed)
  const id = messageIdOf(due.delivery_id)
  if (format === 'email') {
    const { subject: title, text } = mailParts(described, publicUrl)
    return { url, body: text, headers: { subject: title, 'message-id': id } }
  }
  const body = format === 'standard' ? messageBody(described, publicUrl) : chatBody(format, described, publicUrl)
  const secrets = [secret, ...(former && former.until > now() ? [former.secret] : [])]
  const timestamp = Math.floor(now() / 1000)
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'evaluation-results-service',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureHeader(secrets, { id, timestamp, body }),
    },
  }
}

/** Where a webhook sends: no two requests are sent there at once. All e-mails go to one server. */
export const webhookOrigin = (url: string): string => (url.startsWith('mailto:') ? 'mailto:' : new URL(url).origin)
