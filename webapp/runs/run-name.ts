import type { RunListItem } from '../../queries/runs/run-list.ts'
import { shortId } from '../text/format.ts'
import { visibleLine } from '../text/visible-text.ts'

/** `chat / smoke`; `no project` or `no suite` for one that is null. */
export const setName = ({ project, suite }: Pick<RunListItem, 'project' | 'suite'>): string =>
  `${project === null ? 'no project' : visibleLine(project)} / ${suite === null ? 'no suite' : visibleLine(suite)}`

/** How many characters of an instant show the day, the minute, or the second. */
const [DAY, MINUTE, SECOND] = [10, 16, 19]
const untilOf = (created_at: string, end: number): string =>
  `${new Date(created_at).toISOString().slice(0, end).replace('T', ' ')}${end === DAY ? '' : ' UTC'}`

/** `2026-03-12 12:58 UTC`: a name is the same for all users, so it is in UTC. */
const minuteOf = (created_at: string): string => untilOf(created_at, MINUTE)

/** The display name of a run, never its bare id: its note, else its suite (or project) and the minute it finished. */
export const runName = ({
  note,
  project,
  suite,
  created_at,
}: Pick<RunListItem, 'note' | 'project' | 'suite' | 'created_at'>): string => {
  const title = visibleLine(note ?? '')
  return title === '' ? `${visibleLine(suite ?? project ?? 'Run')} · ${minuteOf(created_at)}` : title
}

/** Characters of a name that a sentence or a heading with several names shows. */
const SHORT = 80

const shortened = (name: string): string => {
  const characters = [...name]
  return characters.length <= SHORT ? name : `${characters.slice(0, SHORT).join('').trimEnd()}…`
}

/** The display name of a run for a place with little room; the page of the run shows a long note whole. */
export const shortRunName = (run: Parameters<typeof runName>[0]): string => shortened(runName(run))

type Named = Parameters<typeof runName>[0] & { readonly id: string }

/**
 * The display names of two runs. Where they are equal, as those of daily runs are, with what distinguishes them: the day they
 * finished, else the minute, the second, or the end of their ids.
 */
export const pairNames = (base: Named, head: Named): { readonly base: string; readonly head: string } => {
  const names = { base: shortRunName(base), head: shortRunName(head) }
  if (names.base !== names.head) return names
  const differing = [DAY, MINUTE, SECOND].find((end) => untilOf(base.created_at, end) !== untilOf(head.created_at, end))
  const distinct = (run: Named): string => {
    const time = untilOf(run.created_at, differing ?? SECOND)
    // A name without a note ends with the minute already.
    const name = visibleLine(run.note ?? '') === '' ? visibleLine(run.suite ?? run.project ?? 'Run') : shortRunName(run)
    return `${name} · ${time}${differing === undefined ? ` · ${visibleLine(shortId(run.id))}` : ''}`
  }
  return { base: distinct(base), head: distinct(head) }
}
