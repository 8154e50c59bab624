import type { ReviewStep } from '../domain/review/queue.ts'
import type { RunSet } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import { findEventType } from './events.ts'

/** What open pages must fetch again after an event. It names things and holds no content. */
export type PublishedChange = { readonly seq: number } & (
  | ({ readonly kind: 'run'; readonly id: string } & RunSet)
  | ({ readonly kind: 'baseline' } & RunSet)
  | { readonly kind: 'access' }
  /** Its set is read when it is reported: the records of labels do not have it. */
  | { readonly kind: 'review'; readonly queue_id: string; readonly step: ReviewStep }
)

const RUN_STREAM = 'run/'

const onlyRunSet = ({ project, suite }: RunSet): RunSet => ({ project, suite })

/** The change of one event; null for everything, as for an event of an unknown type; undefined for nothing that a page follows. */
const publishedChange = ({ seq, type, stream, data }: Recorded): PublishedChange | null | undefined => {
  const kind = findEventType(type)?.change ?? 'everything'
  switch (kind) {
    case 'run':
      return { seq, kind, id: decodeURIComponent(stream.slice(RUN_STREAM.length)), ...onlyRunSet(data as RunSet) }
    case 'baseline':
      return { seq, kind, ...onlyRunSet(data as RunSet) }
    case 'access':
      return { seq, kind }
    case 'queue':
    case 'label':
    case 'decision': {
      const { queue_id, revises } = data as { readonly queue_id: string; readonly revises?: string | null }
      // A second thought changes how many items are decided, and not how far the queue came.
      const step = kind === 'label' && typeof revises === 'string' ? 'decision' : kind
      return { seq, kind: 'review', queue_id, step }
    }
    case 'everything':
      return null
    case 'nothing':
      return undefined
  }
}

/** The changes of events, in order; null if any of them changes everything. */
export const publishedChanges = (recorded: readonly Recorded[]): readonly PublishedChange[] | null => {
  const changes: PublishedChange[] = []
  for (const event of recorded) {
    const change = publishedChange(event)
    if (change === null) return null
    if (change !== undefined) changes.push(change)
  }
  return changes
}
