import type { Invalidated, InvalidatedSet, Tag } from '../commands/tags.ts'
import { scopeKey } from '../domain/sets.ts'
import { covers, type Restrictions, type ViewerClass } from '../queries/access/viewer-class.ts'

// A tag of sets has several names. Its own name is invalidated by a change in any set. Under restrictions, it has more
// names. One is invalidated by changes in unrestricted sets. Each grant also has a name, which is invalidated by
// changes in the restricted sets that the grant covers. So a response depends only on sets that its viewer may see. A tag has
// each of these names for a limit too, which are invalidated by changes in the sets within it.
// Access is checked when a response is made, not when a set changes.

const openName = (tag: string, { key }: Restrictions): string => `${tag} open under ${key}`
// `scope` is a `scopeKey`.
const limitedName = (tag: string, scope: string): string => `${tag} within ${scope}`
const grantedName = (tag: string, scope: string): string => `${tag} granted by ${scope}`

/**
 * The names of the tags that a response for a class of viewers depends on. Without a class, these are the tags' own
 * names.
 */
export const seenTags = (
  tags: readonly Tag[],
  viewers: Pick<ViewerClass, 'restrictions' | 'granted' | 'limit'> | undefined,
): string[] =>
  tags.flatMap((tag) => {
    if (typeof tag === 'string') return [tag]
    const { name, project } = tag
    const own = viewers?.limit ? limitedName(name, scopeKey(viewers.limit)) : name
    if (!viewers?.restrictions) return [own]
    const granted = viewers.granted.filter((scope) => project === null || scope.project === project)
    return [openName(own, viewers.restrictions), ...granted.map((scope) => grantedName(name, scopeKey(scope)))]
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
  const open = all.filter((restrictions) => !covers(restrictions, set))
  const scopes = project === null ? [] : [scopeKey({ project, suite: null }), scopeKey({ project, suite })]
  const isCovered = open.length < all.length
  return names.flatMap((name) => {
    const limited = scopes.map((scope) => limitedName(name, scope))
    return [
      name,
      ...limited,
      ...open.flatMap((restrictions) => [name, ...limited].map((own) => openName(own, restrictions))),
      ...(isCovered ? scopes.map((scope) => grantedName(name, scope)) : []),
    ]
  })
}
