import { SETTINGS, type Setting, type SettingTexts, type Threshold } from '../../domain/suite-settings.ts'
import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { findSuiteSettings, type StoredSettings } from '../../queries/sets/suite-settings.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { refuseDotNames } from '../dot-names.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { suiteSettingChanged, type SuiteSettingChanged } from './events.ts'

/** When a snooze ends: at a time in epoch milliseconds, with a new run, or with the first of both. */
export type SnoozeUntil = { readonly until: number | null; readonly until_new_run: boolean }

/** What changes: undefined stays, null ends it. */
export type SettingsChange = {
  readonly owner?: string | null | undefined
  readonly snooze?: (SnoozeUntil & { readonly why: string | null }) | null | undefined
  readonly archive?: { readonly why: string | null } | null | undefined
} & { readonly [T in Threshold]?: { readonly rise_percent: number } | null | undefined }

type Wanted = Pick<SuiteSettingChanged['data'], 'until' | 'run_no' | 'rise_percent'> & {
  readonly texts: SettingTexts | null
}

const PLAIN = { until: null, run_no: null, texts: null }

const whyOf = (why: string | null): SettingTexts | null => (why === null ? null : { why })

/** Null stays null, and undefined stays undefined. */
const given = <From, To>(value: From | null | undefined, make: (value: From) => To): To | null | undefined =>
  value === null || value === undefined ? (value as null | undefined) : make(value)

/** What a setting becomes; null for a setting that ends, undefined for one that stays. */
const wanted = (change: SettingsChange, newest: number): Record<Setting, Wanted | null | undefined> => ({
  owner: given(change.owner, (owner) => ({ ...PLAIN, texts: { owner } })),
  snooze: given(change.snooze, ({ until, until_new_run, why }) => ({
    until,
    run_no: until_new_run ? newest : null,
    texts: whyOf(why),
  })),
  archive: given(change.archive, ({ why }) => ({ ...PLAIN, texts: whyOf(why) })),
  cost: given(change.cost, ({ rise_percent }) => ({ ...PLAIN, rise_percent })),
  latency: given(change.latency, ({ rise_percent }) => ({ ...PLAIN, rise_percent })),
})

const isSame = (stored: StoredSettings[Setting], to: Wanted): boolean =>
  stored !== null &&
  stored.until === to.until &&
  stored.run_no === to.run_no &&
  stored.rise_percent === (to.rise_percent ?? null) &&
  JSON.stringify(stored.texts) === JSON.stringify(to.texts)

/**
 * Changes the owner, the snooze, the archive and the thresholds of a suite that has runs, a record for each. What is set already records nothing.
 * `at` is the time of the request in epoch milliseconds. Refuses: unprocessable (a dot name, a time that is over), not_found (no such
 * suite), forbidden (no upload level).
 */
export const changeSuiteSettings = (
  viewer: Viewer,
  {
    project,
    suite,
    change_ids,
    at,
    salt = newSalt(),
    ...change
  }: Suite &
    SettingsChange & {
      readonly change_ids: Readonly<Record<Setting, string>>
      readonly at: number
      /** Random hex for the digests; drawn if it is not given. */
      readonly salt?: string
    },
) => {
  const set = { project, suite }
  return command(viewer, {
    facts: { level: findLevel(viewer, set), stored: findSuiteSettings(viewer, set) },

    decide({ level, stored }) {
      refuseDotNames(set)
      if (stored === null) throw new Refused('not_found', 'run set not found')
      refuseWithoutUpload(level)
      if (change.snooze && change.snooze.until !== null && change.snooze.until <= at)
        throw new Refused('unprocessable', 'snooze: until must be later than now')
      const to = wanted(change, stored.newest_run_no)
      return SETTINGS.flatMap((setting) => {
        const next = to[setting]
        if (next === undefined || (next === null ? stored[setting] === null : isSame(stored[setting], next))) return []
        const { texts, ...when } = next ?? PLAIN
        const data = { change_id: change_ids[setting], is_set: next !== null, setting, ...set, ...when }
        return [suiteSettingChanged(data, texts, salt)]
      })
    },
  })
}
