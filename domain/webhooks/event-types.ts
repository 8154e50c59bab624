/** The events that a webhook can ask for. */
export const WEBHOOK_EVENTS = [
  'run.ingested',
  'run.regressed',
  'run.recovered',
  'run.costlier',
  'run.slower',
  'judge.changed',
  'suite.changed',
  'review.completed',
  'baseline.pinned',
  'baseline.unpinned',
  'run.deleted',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** The event of a request for a test; every webhook receives it. */
export const TEST_EVENT = 'webhook.test'
export type DeliveredEvent = WebhookEvent | typeof TEST_EVENT

/** Events that depend on what a run is compared with. */
export const COMPARED_EVENTS: ReadonlySet<WebhookEvent> = new Set([
  'run.regressed',
  'run.recovered',
  'run.costlier',
  'run.slower',
  'judge.changed',
  'suite.changed',
])
