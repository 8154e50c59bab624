import { DAY, untilOf } from '../../../runs/run-name.ts'
import type { OverviewSuite } from '../../../suites/use-overview.ts'
import { visibleLine } from '../../../text/visible-text.ts'

/** `Snoozed until 2026-05-11, by anna: The API is down`; null for a suite that is neither snoozed nor archived. */
export const settingsText = ({ group, settings }: Pick<OverviewSuite, 'group' | 'settings'>): string | null => {
  const { snooze, archive } = settings ?? { snooze: null, archive: null }
  const by = (set: { readonly by: string | null; readonly why: string | null }): string =>
    `${set.by === null ? '' : `, by ${visibleLine(set.by)}`}${set.why === null ? '' : `: ${visibleLine(set.why)}`}`
  if (group === 'archived' && archive) return `Archived on ${untilOf(archive.at, DAY)}${by(archive)}`
  if (group !== 'snoozed' || !snooze) return null
  const ends = [
    ...(snooze.until === null ? [] : [untilOf(snooze.until, DAY)]),
    ...(snooze.until_new_run ? ['a new run'] : []),
  ]
  return `Snoozed until ${ends.join(' or ')}${by(snooze)}`
}
