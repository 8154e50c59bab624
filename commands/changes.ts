import type { RunSet } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import type { BaselineEvent } from './baseline/events.ts'
import type { RunEvent } from './run/events.ts'

/** What open pages must fetch again after an event. It names things and holds no content. */
export type Change = { readonly seq: number } & (
  | ({ readonly kind: 'run'; readonly id: string } & RunSet)
  | ({ readonly kind: 'baseline' } & RunSet)
  | { readonly kind: 'access' }
)

const RUN_STREAM = 'run/'

const setOf = ({ project, suite }: RunSet): RunSet => ({ project, suite })

/** The change of one event; null for everything, undefined for nothing that a page follows. */
const changeOf = (recorded: Recorded): Change | null | undefined => {
  const { seq } = recorded
  switch (recorded.type) {
    case 'RunIngested':
    case 'RunDeleted': {
      const { stream, data } = recorded as Recorded<RunEvent>
      return { seq, kind: 'run', id: decodeURIComponent(stream.slice(RUN_STREAM.length)), ...setOf(data) }
    }
    case 'BaselinePinned':
    case 'BaselineUnpinned':
      return { seq, kind: 'baseline', ...setOf((recorded as Recorded<BaselineEvent>).data) }
    case 'SetRestricted':
    case 'RestrictionLifted':
    case 'AccessGranted':
    case 'AccessRevoked':
      return { seq, kind: 'access' }
    case 'ProjectionRebuilt':
      return null
    default:
      return undefined
  }
}

/** The changes of events, in order; null if any of them changes everything. */
export const changesOf = (recorded: readonly Recorded[]): readonly Change[] | null => {
  const changes: Change[] = []
  for (const event of recorded) {
    const change = changeOf(event)
    if (change === null) return null
    if (change !== undefined) changes.push(change)
  }
  return changes
}
