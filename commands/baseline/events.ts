import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'

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

export const baselinePinned = (data: BaselinePinned['data']): BaselinePinned =>
  event(streamOf('baseline', data.project, data.suite), 'BaselinePinned', data)
export const baselineUnpinned = (data: BaselineUnpinned['data']): BaselineUnpinned =>
  event(streamOf('baseline', data.project, data.suite), 'BaselineUnpinned', data)
