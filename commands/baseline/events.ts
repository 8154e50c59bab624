import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { EventTypes } from '../event-type.ts'
import { BASELINES, invalidatedSet } from '../tags.ts'

/** Stream `baseline/<project>/<suite>`: the run a suite is compared with. */
export type BaselinePinned = NewEvent<
  'BaselinePinned',
  { readonly project: string; readonly run_id: string; readonly suite: string }
>
export type BaselineUnpinned = NewEvent<
  'BaselineUnpinned',
  { readonly cause: 'request' | 'run_deleted'; readonly project: string; readonly suite: string }
>
export type BaselineEvent = BaselinePinned | BaselineUnpinned

const shared = { change: 'baseline', erasure: 'pin', digests: false, projections: ['baselines'] } as const
export const BASELINE_EVENTS = {
  BaselinePinned: { ...shared, tags: ({ data }) => [invalidatedSet(BASELINES, data)] },
  BaselineUnpinned: { ...shared, tags: ({ data }) => [invalidatedSet(BASELINES, data)] },
} as const satisfies EventTypes<BaselineEvent>

export const baselinePinned = (data: BaselinePinned['data']): BaselinePinned =>
  event(streamOf('baseline', data.project, data.suite), 'BaselinePinned', data)
export const baselineUnpinned = (data: BaselineUnpinned['data']): BaselineUnpinned =>
  event(streamOf('baseline', data.project, data.suite), 'BaselineUnpinned', data)
