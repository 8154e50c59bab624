import type { Recorded } from '../storage/command.ts'
import { findEventType } from './events.ts'
import type { Invalidated } from './tags.ts'

/** Returns the distinct tags that events invalidate; null for all tags, as for an event of an unknown type. */
export const invalidatedBy = (recorded: readonly Recorded[]): readonly Invalidated[] | null => {
  const invalidated = new Map<string, Invalidated>()
  for (const event of recorded) {
    const tags = findEventType(event.type)?.tags(event) ?? null
    if (tags === null) return null
    for (const tag of tags) invalidated.set(typeof tag === 'string' ? tag : JSON.stringify(tag), tag)
  }
  return [...invalidated.values()]
}
