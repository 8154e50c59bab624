import type { SuiteSettingChanged } from '../commands/suite/events.ts'
import { THRESHOLDS, type Setting } from '../domain/suite-settings.ts'
import { statement } from '../storage/sql.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

const isThreshold = (setting: Setting): boolean => THRESHOLDS.some((threshold) => threshold === setting)

/** The owner, the snooze, the archive and the thresholds of suites. An owner whose text was deleted is none. */
export const suiteSettings = projection(
  { name: 'suiteSettings', version: 2, tables: ['suite_settings', 'suite_thresholds'] },
  {
    SuiteSettingChanged: ({ recorded_at, actor, attached, data }) => {
      const { project, suite, setting, change_id, is_set, until, run_no, rise_percent } = data
      const changed_by = actor.user_id ?? actor.credential_id
      if (isThreshold(setting))
        return [
          statement`
            DELETE FROM suite_thresholds WHERE project = ${project} AND suite = ${suite} AND setting = ${setting}`,
          ...(is_set
            ? [
                statement`
                  INSERT INTO suite_thresholds (project, suite, setting, change_id, rise_percent, changed_at, changed_by)
                  VALUES (${project}, ${suite}, ${setting}, ${change_id}, ${rise_percent ?? 0}, ${recorded_at}, ${changed_by})`,
              ]
            : []),
        ]
      const texts = attached ? JSON.stringify(attached) : null
      return [
        statement`
          DELETE FROM suite_settings WHERE project = ${project} AND suite = ${suite} AND setting = ${setting}`,
        ...(is_set && (setting !== 'owner' || texts !== null)
          ? [
              statement`
                INSERT INTO suite_settings (project, suite, setting, change_id, until, run_no, texts, changed_at, changed_by)
                VALUES (${project}, ${suite}, ${setting}, ${change_id}, ${until}, ${run_no}, ${texts}, ${recorded_at},
                  ${changed_by})`,
            ]
          : []),
      ]
    },
    // The erasure deletes the texts too.
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null || attachedRecord(recorded).type !== 'SuiteSettingChanged') return []
      const { change_id, setting } = kept.data as SuiteSettingChanged['data']
      if (isThreshold(setting))
        return [statement`UPDATE suite_thresholds SET changed_by = NULL WHERE change_id = ${change_id}`]
      return [
        setting === 'owner'
          ? statement`DELETE FROM suite_settings WHERE change_id = ${change_id}`
          : statement`UPDATE suite_settings SET texts = NULL, changed_by = NULL WHERE change_id = ${change_id}`,
      ]
    },
  },
)
