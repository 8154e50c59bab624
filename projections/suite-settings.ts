import type { SuiteSettingChanged } from '../commands/suite/events.ts'
import { statement } from '../storage/sql.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

/** The owner, the snooze and the archive of suites. An owner whose text was deleted is none. */
export const suiteSettings = projection(
  { name: 'suiteSettings', version: 1, tables: ['suite_settings'] },
  {
    SuiteSettingChanged: ({ recorded_at, actor, attached, data }) => {
      const { project, suite, setting, change_id, is_set, until, run_no } = data
      const texts = attached ? JSON.stringify(attached) : null
      return [
        statement`
          DELETE FROM suite_settings WHERE project = ${project} AND suite = ${suite} AND setting = ${setting}`,
        ...(is_set && (setting !== 'owner' || texts !== null)
          ? [
              statement`
                INSERT INTO suite_settings (project, suite, setting, change_id, until, run_no, texts, changed_at, changed_by)
                VALUES (${project}, ${suite}, ${setting}, ${change_id}, ${until}, ${run_no}, ${texts}, ${recorded_at},
                  ${actor.user_id ?? actor.credential_id})`,
            ]
          : []),
      ]
    },
    // The erasure deletes the texts too.
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null || attachedRecord(recorded).type !== 'SuiteSettingChanged') return []
      const { change_id, setting } = kept.data as SuiteSettingChanged['data']
      return [
        setting === 'owner'
          ? statement`DELETE FROM suite_settings WHERE change_id = ${change_id}`
          : statement`UPDATE suite_settings SET texts = NULL, changed_by = NULL WHERE change_id = ${change_id}`,
      ]
    },
  },
)
