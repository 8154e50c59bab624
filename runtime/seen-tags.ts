import type { Invalidated, InvalidatedSet, Tag } from '../commands/tags.ts'
import { scopeKey, type SetScope } from '../domain/sets.ts'
import { covers, type Restrictions, type ViewerClass } from '../queries/access/viewer-class.ts'

// A tag of sets has several names. Its own name is invalidated by a change in any set. Under restrictions, it has more
// names. One is invalidated by changes in unrestricted sets. Each grant also has a name, which is invalidated by
// changes in the restricted sets that the grant covers. So a response depends only on sets that its viewer may see.
// Access is checked when a response is made, not when a set changes.

const openName = (tag: string, { key }: Restrictions): string => `${tag} open under ${key}`
const grantedName = (tag: string, scope: SetScope): string => `${tag} granted by ${scopeKey(scope)}`

/**
 * The names of the tags that a response for a class of viewers depends on. Without a class, these are the tags' own
 * names.
 */
export const seenTags = (
  tags: readonly Tag[],
  viewers: Pick<ViewerClass, 'restrictions' | 'granted'> | undefined,
): string[] =>
  tags.flatMap((tag) => {
    if (typeof tag === 'string') return [tag]
    const { name, project } = tag
    if (!viewers?.restrictions) return [name]
    const granted = viewers.granted.filter((scope) => project === null || scope.project === project)
    return [openName(name, viewers.restrictions), ...granted.map((scope) => grantedName(name, scope))]
  })

/** All names that a change invalidates under any of the restrictions, without duplicates. */
export const tagNamesOf = (
  invalidated: readonly Invalidated[],
  restrictions: Iterable<Restrictions>,
): ReadonlySet<string> => {
  const all = [...restrictions]
  return new Set(invalidated.flatMap((tag) => (typeof tag === 'string' ? [tag] : namesInSet(tag, all))))
}

const namesInSet = ({ names, ...set }: InvalidatedSet, all: readonly Restrictions[]): readonly string[] => {
  const { project, suite } = set
  const covered = all.map((restrictions) => ({ restrictions, isCovered: covers(restrictions, set) }))
  const open = covered.filter(({ isCovered }) => !isCovered).map(({ restrictions }) => restrictions)
  const scopes: SetScope[] =
    project === null || open.length === covered.length
      ? []
      : [
          { project, suite: null },
          { project, suite },
        ]
  return names.flatMap((name) => [
    name,
    ...open.map((restrictions) => openName(name, restrictions)),
    ...scopes.map((scope) => grantedName(name, scope)),
  ])
}
