import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'

/**
 * Stream `erasure/<id>`: one event for each record whose body was erased. `reference` names a case elsewhere and is never
 * prose. `kept` is what the read tables still need of the body; null if they need nothing.
 */
export type EventErased = NewEvent<
  'EventErased',
  {
    readonly cause: 'run' | 'user' | 'records'
    readonly erasure_id: string
    readonly kept: { readonly data: unknown; readonly stream: string; readonly version: number } | null
    readonly reference: string
    readonly seq: number
  }
>
export type ErasureEvent = EventErased

export const eventErased = (data: EventErased['data']): EventErased =>
  event(streamOf('erasure', data.erasure_id), 'EventErased', data)
