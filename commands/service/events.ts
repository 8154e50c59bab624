import { event, streamOf } from '../../storage/event-log.ts'
import type { NewEvent } from '../../storage/storage.ts'

/** Stream `service/<instance>`: what an instance of the service did by itself. */
export type Started = NewEvent<'Started', { readonly config_sha256: string; readonly schema: number; readonly version: string }>
export type ProjectionRebuilt = NewEvent<'ProjectionRebuilt', { readonly name: string; readonly position: number; readonly version: number }>
export type ServiceEvent = Started | ProjectionRebuilt

export const started = (instance: string, data: Started['data']): Started => event(streamOf('service', instance), 'Started', data)
export const projectionRebuilt = (instance: string, data: ProjectionRebuilt['data']): ProjectionRebuilt => event(streamOf('service', instance), 'ProjectionRebuilt', data)
