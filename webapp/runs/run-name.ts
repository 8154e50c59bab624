import type { RunListItem } from '../../queries/runs/run-list.ts'
import { visibleLine } from '../text/visible-text.ts'

/** `chat / smoke`; `no project` or `no suite` for one that is null. */
export const setName = ({ project, suite }: Pick<RunListItem, 'project' | 'suite'>): string =>
  `${project === null ? 'no project' : visibleLine(project)} / ${suite === null ? 'no suite' : visibleLine(suite)}`

/** `2026-03-12 12:58`, in UTC */
const minuteOf = (created_at: string): string => new Date(created_at).toISOString().slice(0, 16).replace('T', ' ')

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

type Named = Parameters<typeof runName>[0]
/** The display names of two runs; with the day they finished where the names are equal, as those of daily runs are. */
export const pairNames = (base: Named, head: Named): { readonly base: string; readonly head: string } => {
  const names = { base: shortRunName(base), head: shortRunName(head) }
  if (names.base !== names.head) return names
  const times = [minuteOf(base.created_at), minuteOf(head.created_at)]
  const [of_base, of_head] = times.map((time) =>
    times[0]?.slice(0, 10) === times[1]?.slice(0, 10) ? time : time.slice(0, 10),
  )
  return { base: `${names.base} · ${of_base}`, head: `${names.head} · ${of_head}` }
}
