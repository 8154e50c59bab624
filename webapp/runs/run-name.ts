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
