import type { Viewer } from '../../queries/access/viewer.ts'
import type { Command, NewEvent } from '../../storage/command.ts'
import { cacheEntryDeleted, cachePruned, type CacheEntryDeleted, type CachePruned } from './events.ts'

/** Records a completed action, even if its account lost its access meanwhile: it reads no facts and refuses nothing. */
const recording = ({ actor, request_id }: Viewer, event: NewEvent): Command<null, Record<never, never>, undefined> => ({
  actor,
  request_id,
  bytes: 0,
  prepare: () => null,
  facts: () => ({}),
  decide: () => [event],
  result: () => undefined,
})

/** Records that entries were evicted from the cache, with the filters that selected them. */
export const recordPrune = (
  viewer: Viewer,
  { instance, ...data }: { readonly instance: string } & CachePruned['data'],
) => recording(viewer, cachePruned(instance, data))

/** Records that one entry was deleted from the cache. */
export const recordEntryDeletion = (
  viewer: Viewer,
  { instance, ...data }: { readonly instance: string } & CacheEntryDeleted['data'],
) => recording(viewer, cacheEntryDeleted(instance, data))
