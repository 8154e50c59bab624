import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { EventTypes } from '../event-type.ts'

/**
 * Stream `log-key/<key id>`: the keys that sign checkpoints of this log. `continues` is the end of the log that this one
 * continues under a new origin (root in lower-case hex); null for a log without a past.
 */
export type LogKeyAdopted = NewEvent<
  'LogKeyAdopted',
  {
    readonly continues: { readonly origin: string; readonly root: string; readonly size: number } | null
    readonly key_id: string
    readonly origin: string
    readonly vkey: string
  }
>
export type LogKeyRetired = NewEvent<'LogKeyRetired', { readonly key_id: string; readonly origin: string }>
export type LogKeyEvent = LogKeyAdopted | LogKeyRetired

// Checkpoints and receipts are not cached.
const shared = {
  tags: () => [],
  change: 'nothing',
  erasure: 'facts',
  digests: false,
  projections: ['log_keys'],
} as const
export const LOG_KEY_EVENTS = {
  LogKeyAdopted: shared,
  LogKeyRetired: shared,
} as const satisfies EventTypes<LogKeyEvent>

export const logKeyAdopted = (data: LogKeyAdopted['data']): LogKeyAdopted =>
  event(streamOf('log-key', data.key_id), 'LogKeyAdopted', data)
export const logKeyRetired = (data: LogKeyRetired['data']): LogKeyRetired =>
  event(streamOf('log-key', data.key_id), 'LogKeyRetired', data)
