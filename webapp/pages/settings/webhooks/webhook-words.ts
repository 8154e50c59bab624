import type { DeliveryView } from '../../../../queries/webhooks/deliveries.ts'
import type { WebhookView } from '../../../../queries/webhooks/webhooks.ts'
import { visibleLine } from '../../../text/visible-text.ts'

export type WebhookEvent = WebhookView['events'][number]
export type WebhookFormat = NonNullable<WebhookView['format']>

/** For whom messages are written. */
export const FORMAT_LABELS: Readonly<Record<WebhookFormat, string>> = {
  standard: 'A program (signed JSON)',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  email: 'E-mail',
}

/** What each event says, in words. */
export const EVENT_LABELS: Readonly<Record<WebhookEvent, string>> = {
  'run.ingested': 'A run was uploaded',
  'run.regressed': 'A run got worse',
  'run.recovered': 'A run recovered',
  'run.costlier': 'The cases of a run cost more',
  'run.slower': 'The cases of a run took longer',
  'judge.changed': 'The judge of a suite changed',
  'review.completed': 'A review queue was closed',
  'suite.changed': 'The trend of a suite changed',
  'baseline.pinned': 'A baseline was pinned',
  'baseline.unpinned': 'A baseline was removed',
  'run.deleted': 'A run was deleted',
}
export const EVENTS = Object.keys(EVENT_LABELS) as readonly WebhookEvent[]

const ERROR_WORDS: Readonly<Record<NonNullable<DeliveryView['last_error']>, string>> = {
  status: 'refused',
  redirect: 'redirected, which is not followed',
  timeout: 'no answer within 10 s',
  refused: 'its address cannot be used',
  address_refused: 'not a public address',
  name_not_resolved: 'unknown host name',
  tls: 'certificate not trusted',
  connection: 'no connection',
  target_unreadable: 'its address cannot be decrypted',
  switched_off: 'switched off before it was sent',
  too_many_waiting: 'too many were waiting',
}

/** How a delivery went: `delivered, 204`, `waiting, no answer within 10 s`. */
export const deliveryResult = ({ state, last_status, last_error }: DeliveryView): string =>
  [
    state === 'parked' ? 'given up' : state,
    ...(last_status === null ? [] : [String(last_status)]),
    ...(last_error === null ? [] : [ERROR_WORDS[last_error]]),
  ].join(', ')

/** The suites that a webhook is for. */
export const scopeOf = ({ project, suite }: Pick<WebhookView, 'project' | 'suite'>): string => {
  if (project === null) return 'all projects'
  return suite === null ? `project ${visibleLine(project)}` : `${visibleLine(project)} / ${visibleLine(suite)}`
}

/** The host or e-mail address of a webhook, for a short name. */
export const hostOf = ({ url }: Pick<WebhookView, 'url'>): string => {
  if (url === null) return 'unknown host'
  const { host, pathname } = new URL(url)
  return visibleLine(host || pathname)
}
