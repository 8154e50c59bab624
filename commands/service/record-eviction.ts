import type { Viewer } from '../../queries/access/viewer.ts'
import type { Command, NewEvent } from '../../storage/command.ts'
import { cacheEntryDeleted, cachePruned } from './events.ts'
import type { CacheEntryDeleted, CachePruned } from './events.ts'

/** Records what has happened already, whatever became of who did it meanwhile: nothing is asked and nothing refused. */
const recording = ({ actor, request_id }: Viewer, event: NewEvent): Command<null, Record<never, never>, undefined> => ({
  actor,
  request_id,
  bytes: 0,
  prepare: () => null,
  facts: () => ({}),
  decide: () => [event],
  answer: () => undefined,
})

/** Records that entries were evicted from the cache, and by which rules. */
export const recordPrune = (
  viewer: Viewer,
  { instance, ...data }: { readonly instance: string } & CachePruned['data'],
) => recording(viewer, cachePruned(instance, data))

/** Records that one entry was taken out of the cache. */
export const recordEntryDeletion = (
  viewer: Viewer,
  { instance, ...data }: { readonly instance: string } & CacheEntryDeleted['data'],
) => recording(viewer, cacheEntryDeleted(instance, data))
