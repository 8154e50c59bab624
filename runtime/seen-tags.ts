import type { Invalidated, InvalidatedSet, Tag } from '../commands/tags.ts'
import { scopeKey } from '../domain/sets.ts'
import type { SetScope } from '../domain/sets.ts'
import { covers } from '../queries/access/visible.ts'
import type { Restrictions, ViewerClass } from '../queries/access/visible.ts'

// A tag of sets has several names. Its own name moves with every set. Under restrictions, one name moves with the sets
// that they leave open, and one name for each grant moves with the restricted sets that the grant covers. So an answer
// depends on nothing that its viewer may not see. Who may see a set is asked when the answer is made, not whenever a
// set changes.

const openName = (of: string, { key }: Restrictions): string => `${of} open under ${key}`
const grantedName = (of: string, scope: SetScope): string => `${of} granted by ${scopeKey(scope)}`

/**
 * The names of the tags that an answer for a class of viewers depends on; all by their own names where no class is
 * given.
 */
export const seenTags = (
  tags: readonly Tag[],
  viewers: Pick<ViewerClass, 'restrictions' | 'granted'> | undefined,
): string[] =>
  tags.flatMap((tag) => {
    if (typeof tag === 'string') return [tag]
    const { of, project } = tag
    if (!viewers?.restrictions) return [of]
    const granted = viewers.granted.filter((scope) => project === null || scope.project === project)
    return [openName(of, viewers.restrictions), ...granted.map((scope) => grantedName(of, scope))]
  })

/** All names that moved, each once, under each of the restrictions. */
export const tagNamesOf = (
  moved: readonly Invalidated[],
  restrictions: Iterable<Restrictions>,
): ReadonlySet<string> => {
  const all = [...restrictions]
  return new Set(moved.flatMap((each) => (typeof each === 'string' ? [each] : namesInSet(each, all))))
}

const namesInSet = ({ of, ...set }: InvalidatedSet, all: readonly Restrictions[]): readonly string[] => {
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
  return of.flatMap((name) => [
    name,
    ...open.map((each) => openName(name, each)),
    ...scopes.map((scope) => grantedName(name, scope)),
  ])
}
