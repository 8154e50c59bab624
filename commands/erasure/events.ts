import type { RunSet } from '../../domain/sets.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { KeptBody } from '../../storage/log/erasures.ts'
import { statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import type { EventTypes } from '../event-type.ts'
import { invalidatedSet, PRINCIPALS, RUNS, type Invalidated } from '../tags.ts'

/** What the log still has of an erased record. `recorded_at` is in epoch milliseconds. */
export type ErasedRecord = { readonly seq: number; readonly type: string; readonly recorded_at: number }

/**
 * Stream `erasure/<id>`: one event for each record whose body was erased. `reference` names a case elsewhere and is never
 * prose. `kept` is what the read tables still need of the body; null if they need nothing. `followed` is the plan and the
 * number of the attempt of an upload of which nothing else is kept: a plan shows how often it was tried. It names no run.
 * Null for all other records.
 */
export type EventErased = NewEvent<
  'EventErased',
  {
    readonly cause: 'run' | 'user' | 'records'
    readonly erasure_id: string
    readonly followed: { readonly attempt: number; readonly plan_id: string } | null
    readonly kept: KeptBody | null
    readonly reference: string
    readonly seq: number
  }
> & { readonly attached?: ErasedRecord }

/** A run that stays loses its uploader. What else an erasure keeps is in no cached response. */
const invalidatedByKept = ({ data, stream }: KeptBody): readonly Invalidated[] =>
  stream.startsWith(streamOf('run', '')) ? [stream, invalidatedSet(RUNS, data as RunSet)] : []

export const ERASURE_EVENTS = {
  EventErased: {
    tags: ({ data: { cause, kept } }) => [
      // The label of the account was deleted.
      ...(cause === 'user' ? [PRINCIPALS] : []),
      ...(kept === null ? [] : invalidatedByKept(kept)),
    ],
    change: 'nothing',
    erasure: 'never',
    digests: false,
    projections: [
      'runs',
      'evidence',
      'access',
      'holds',
      'plans',
      'rubrics',
      'reviews',
      'annotations',
      'comments',
      'suiteSettings',
      'search',
    ],
  },
} as const satisfies EventTypes<EventErased>

/** `statements` delete what else is stored of the record, for example a label. */
export const eventErased = (
  data: EventErased['data'],
  { type, recorded_at }: Omit<ErasedRecord, 'seq'>,
  statements: readonly Statement[] = [],
): EventErased => ({
  ...event(streamOf('erasure', data.erasure_id), 'EventErased', data),
  attached: { seq: data.seq, type, recorded_at },
  statements: [
    statement`DELETE FROM event_bodies WHERE seq = ${data.seq}`,
    // Nothing is sent about an erased record.
    statement`DELETE FROM webhook_deliveries WHERE seq = ${data.seq}`,
    // An unfinished rebuild may have replayed the body: it must start over.
    ...(data.kept === null ? [statement`DELETE FROM rebuilds`] : []),
    ...statements,
  ],
})
