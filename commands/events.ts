import type { EventName } from '../domain/proof/event-names.ts'
import { ACCESS_EVENTS, type AccessEvent } from './access/events.ts'
import { ACCOUNT_EVENTS, type AccountEvent } from './account/events.ts'
import { ANNOTATION_EVENTS, type RunAnnotated } from './annotation/events.ts'
import { BADGE_EVENTS, type BadgeEvent } from './badge/events.ts'
import { BASELINE_EVENTS, type BaselineEvent } from './baseline/events.ts'
import { COMMENT_EVENTS, type CommentEvent } from './comment/events.ts'
import { ERASURE_EVENTS, type EventErased } from './erasure/events.ts'
import type { EventType, EventTypes } from './event-type.ts'
import { HOLD_EVENTS, type HoldEvent } from './hold/events.ts'
import { IDENTITY_EVENTS, type IdentityLinked } from './identity/events.ts'
import { JUDGE_EVENTS, type JudgeDeclared } from './judge/events.ts'
import { KEY_EVENTS, type KeyEvent } from './key/events.ts'
import { LINK_EVENTS, type LinkEvent } from './link/events.ts'
import { LOG_KEY_EVENTS, type LogKeyEvent } from './log-key/events.ts'
import { PLAN_EVENTS, type PlanEvent } from './plan/events.ts'
import { REVIEW_EVENTS, type ReviewEvent } from './review/events.ts'
import { RUBRIC_EVENTS, type RubricEvent } from './rubric/events.ts'
import { RUN_EVENTS, type RunEvent } from './run/events.ts'
import { SERVICE_EVENTS, type ServiceEvent } from './service/events.ts'
import { SESSION_EVENTS, type SessionEvent } from './session/events.ts'
import { SUITE_EVENTS, type SuiteSettingChanged } from './suite/events.ts'
import { WEBHOOK_EVENTS, type WebhookEventRecord } from './webhook/events.ts'

/** Every event that a command may return. */
export type DomainEvent =
  | RunEvent
  | RunAnnotated
  | CommentEvent
  | BaselineEvent
  | BadgeEvent
  | AccessEvent
  | AccountEvent
  | IdentityLinked
  | SessionEvent
  | KeyEvent
  | LinkEvent
  | ServiceEvent
  | LogKeyEvent
  | EventErased
  | HoldEvent
  | PlanEvent
  | RubricEvent
  | ReviewEvent
  | SuiteSettingChanged
  | JudgeDeclared
  | WebhookEventRecord

/** Every type of event, with what the service does with it. */
export const EVENTS = {
  ...RUN_EVENTS,
  ...ANNOTATION_EVENTS,
  ...COMMENT_EVENTS,
  ...BASELINE_EVENTS,
  ...BADGE_EVENTS,
  ...ACCESS_EVENTS,
  ...ACCOUNT_EVENTS,
  ...IDENTITY_EVENTS,
  ...SESSION_EVENTS,
  ...KEY_EVENTS,
  ...LINK_EVENTS,
  ...SERVICE_EVENTS,
  ...LOG_KEY_EVENTS,
  ...ERASURE_EVENTS,
  ...HOLD_EVENTS,
  ...PLAN_EVENTS,
  ...RUBRIC_EVENTS,
  ...REVIEW_EVENTS,
  ...SUITE_EVENTS,
  ...JUDGE_EVENTS,
  ...WEBHOOK_EVENTS,
} satisfies EventTypes<DomainEvent> & Readonly<Record<EventName, unknown>>

/** The names of all types. */
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

/** What the service does with a type; null for a type that only a newer build knows. */
export const findEventType = (type: string): EventType | null =>
  // Safe: `tags` receives only records of its own type.
  Object.hasOwn(EVENTS, type) ? (EVENTS[type as EventName] as EventType) : null
