import { ACCESS, type Invalidated } from '../commands/tags.ts'
import type { Restrictions } from '../queries/access/viewer-class.ts'
import { tagNamesOf } from './seen-tags.ts'

/** Maximum number of tags whose last invalidation is remembered: enough for the last few thousand uploads. */
const MAX_TAGS = 10_000

export type TagGenerations = {
  /** Invalidates the responses with any of these tags; null means all. Call it before the response to the change is sent. */
  readonly invalidate: (changed: readonly Invalidated[] | null) => void
  /**
   * Registers restrictions until access changes. Only while they are registered, a change also invalidates the
   * names of tags under these restrictions (`seen-tags.ts`). Call it before a response depends on such a name. Returns
   * equal restrictions, as one object that all callers share.
   */
  readonly distinguish: (restrictions: Restrictions) => Restrictions
  /** Increases with every invalidation. A caller that notes it before a read can check later with `isValid`. */
  readonly generation: () => number
  /** Whether neither these tags nor access were invalidated since a generation. */
  readonly isValid: (generation: number, tags: readonly string[]) => boolean
}

/** Counts the invalidations, and notes for each tag the last one that invalidated it. */
export const tagGenerations = (maxTags = MAX_TAGS): TagGenerations => {
  let current = 0
  // The last generation that invalidated each tag, oldest first. A forgotten tag counts as invalidated at `floor`.
  const invalidatedAt = new Map<string, number>()
  let floor = 0

  // The restrictions in effect, by key; usually one. Responses under earlier restrictions were invalidated with them.
  const restrictions = new Map<string, Restrictions>()

  const invalidate = (changed: readonly Invalidated[] | null): void => {
    current++
    if (changed === null) {
      floor = current
      invalidatedAt.clear()
      restrictions.clear()
      return
    }
    const tags = tagNamesOf(changed, restrictions.values())
    if (tags.has(ACCESS)) restrictions.clear()
    for (const tag of tags) {
      invalidatedAt.delete(tag)
      invalidatedAt.set(tag, current)
    }
    for (const [tag, generation] of invalidatedAt) {
      if (invalidatedAt.size <= maxTags) break
      invalidatedAt.delete(tag)
      floor = generation
    }
  }

  const isUnchangedSince = (generation: number, tag: string): boolean => (invalidatedAt.get(tag) ?? floor) <= generation
  const isValid = (generation: number, tags: readonly string[]): boolean =>
    generation === current ||
    (isUnchangedSince(generation, ACCESS) && tags.every((tag) => isUnchangedSince(generation, tag)))

  return {
    invalidate,
    distinguish: (given) => {
      const shared = restrictions.get(given.key) ?? given
      restrictions.set(shared.key, shared)
      return shared
    },
    generation: () => current,
    isValid,
  }
}
