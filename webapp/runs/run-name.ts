import type { RunListItem } from '../../queries/runs/run-list.ts'
import { visibleLine } from '../text/visible-text.ts'

/** `chat / smoke`. A project or a suite that is not told is said to be none. */
export const setName = ({ project, suite }: Pick<RunListItem, 'project' | 'suite'>): string =>
  `${project === null ? 'no project' : visibleLine(project)} / ${suite === null ? 'no suite' : visibleLine(suite)}`

/** `2026-03-12 12:58`, in UTC */
const minuteOf = (created_at: string): string => new Date(created_at).toISOString().slice(0, 16).replace('T', ' ')

/** What a run is called, never its bare id: its note, else its suite (or project) and the minute it finished. */
export const runName = ({
  note,
  project,
  suite,
  created_at,
}: Pick<RunListItem, 'note' | 'project' | 'suite' | 'created_at'>): string => {
  const told = visibleLine(note ?? '')
  return told === '' ? `${visibleLine(suite ?? project ?? 'Run')} · ${minuteOf(created_at)}` : told
}
