import type { RunListItem } from '../../queries/runs/run-list.ts'
import { visibleLine } from '../text/visible-text.ts'

/** `chat / smoke`; `no project` or `no suite` for one that is null. */
export const setName = ({ project, suite }: Pick<RunListItem, 'project' | 'suite'>): string =>
  `${project === null ? 'no project' : visibleLine(project)} / ${suite === null ? 'no suite' : visibleLine(suite)}`

/** How many characters of an instant show the day, the minute, or the second. */
export const [DAY, MINUTE, SECOND] = [10, 16, 19]
/** The instant until a day, a minute or a second. */
export const untilOf = (created_at: string, end: number): string =>
  `${new Date(created_at).toISOString().slice(0, end).replace('T', ' ')}${end === DAY ? '' : ' UTC'}`

/** `2026-03-12 12:58 UTC`: a name is the same for all users, so it is in UTC. */
const minuteOf = (created_at: string): string => untilOf(created_at, MINUTE)

/** What names a run. */
type Named = Pick<RunListItem, 'note' | 'project' | 'suite' | 'created_at'> & {
  readonly added?: { readonly title: string | null } | undefined
}

/**
 * The display name of a run, never its bare id: the title that was added to it, else its note, else its suite (or project) and the
 * minute it finished.
 */
export const runName = ({ note, project, suite, created_at, added }: Named): string => {
  const title = visibleLine(added?.title ?? note ?? '')
  return title === '' ? `${visibleLine(suite ?? project ?? 'Run')} · ${minuteOf(created_at)}` : title
}

/** Characters of a name that a sentence or a heading with several names shows. */
const SHORT = 80

/** A name, cut after so many characters. */
export const shortened = (name: string): string => {
  const characters = [...name]
  return characters.length <= SHORT ? name : `${characters.slice(0, SHORT).join('').trimEnd()}…`
}

/** The display name of a run for a place with little room; the page of the run shows a long note whole. */
export const shortRunName = (run: Parameters<typeof runName>[0]): string => shortened(runName(run))
