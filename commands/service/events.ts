import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { EventTypes } from '../event-type.ts'
import { PRINCIPALS } from '../tags.ts'

/**
 * A static token at a start. `credential_sha256` is the digest of what `static_tokens` stores of its secret; null if that was
 * stored by an earlier start.
 */
export type StartedToken = {
  readonly credential_sha256: string | null
  readonly id: string
  readonly label_sha256: string | null
}

/** Stream `service/<instance>`: the actions of an instance of the service. Older starts do not have `static_tokens`. */
export type Started = NewEvent<
  'Started',
  {
    readonly config_sha256: string
    readonly schema: number
    readonly static_tokens?: readonly StartedToken[]
    readonly version: string
  }
>
export type ProjectionRebuilt = NewEvent<
  'ProjectionRebuilt',
  { readonly name: string; readonly position: number; readonly version: number }
>
/**
 * Entries were evicted from the cache. `pruned` is their number, `bytes` their size. The other fields except `cause`
 * are the rules; null means that a rule was not given. `created_from` and `created_before` bound the time at which an
 * entry was stored, in epoch milliseconds.
 */
export type CachePruned = NewEvent<
  'CachePruned',
  {
    readonly bytes: number
    readonly cause: 'request' | 'retention'
    readonly created_before: number | null
    readonly created_from: number | null
    readonly empty_reasons: readonly string[] | null
    readonly kind: string | null
    readonly model: string | null
    readonly pruned: number
    readonly target_bytes: number | null
  }
>
export type CacheEntryDeleted = NewEvent<'CacheEntryDeleted', { readonly key: string }>
export type ServiceEvent = Started | ProjectionRebuilt | CachePruned | CacheEntryDeleted

const shared = { tags: () => [], change: 'nothing', erasure: 'facts', digests: false, projections: 'none' } as const
export const SERVICE_EVENTS = {
  // A start replaces the labels of the static tokens.
  Started: { ...shared, tags: () => [PRINCIPALS], digests: true },
  ProjectionRebuilt: { ...shared, tags: () => null, change: 'everything' },
  CachePruned: shared,
  CacheEntryDeleted: shared,
} as const satisfies EventTypes<ServiceEvent>

export const serviceStarted = (instance: string, data: Started['data']): Started =>
  event(streamOf('service', instance), 'Started', data)
export const projectionRebuilt = (instance: string, data: ProjectionRebuilt['data']): ProjectionRebuilt =>
  event(streamOf('service', instance), 'ProjectionRebuilt', data)
export const cachePruned = (instance: string, data: CachePruned['data']): CachePruned =>
  event(streamOf('service', instance), 'CachePruned', data)
export const cacheEntryDeleted = (instance: string, data: CacheEntryDeleted['data']): CacheEntryDeleted =>
  event(streamOf('service', instance), 'CacheEntryDeleted', data)
