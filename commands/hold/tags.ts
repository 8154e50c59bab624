import type { RunSet } from '../../domain/sets.ts'
import { streamOf } from '../../storage/log/event.ts'

/** One legal hold, for a response about a run that it is on. */
export const holdTag = (hold_id: string): string => streamOf('hold', hold_id)
/** Holds that are placed on all runs of a project or of a suite, for a response that shows whether a run of it is held. */
export const heldTag = (project: string, suite: string | null): string =>
  suite === null ? streamOf('held', project) : streamOf('held', project, suite)

/** The tags of a response that shows whether a run is held: a viewer of the run may see all that they name. */
export const tagsOfHolds = (run: (RunSet & { readonly holds: readonly string[] }) | null): string[] => {
  if (run === null) return []
  const { project, suite, holds } = run
  const placed = project === null ? [] : [heldTag(project, null), ...(suite === null ? [] : [heldTag(project, suite)])]
  return [...placed, ...holds.map(holdTag)]
}
