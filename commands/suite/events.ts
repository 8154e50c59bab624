import { z } from 'zod'
import type { Setting, SettingTexts } from '../../domain/suite-settings.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { mapped, maybeOne, sql, statement } from '../../storage/sql.ts'
import type { Query, Statement } from '../../storage/storage.ts'
import { saltedDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'
import { invalidatedSet, SUITE_SETTINGS } from '../tags.ts'

/**
 * Stream `suite/<project>/<suite>/<setting>`: one setting of a suite, or that it is not set any more. `until` (epoch
 * milliseconds) and `run_no` are when a snooze ends: at a time, with a run of a higher number, or with the first of both.
 * `texts_sha256` is the salted digest of the texts, null without any. `attached` is null when they were deleted.
 */
export type SuiteSettingChanged = NewEvent<
  'SuiteSettingChanged',
  {
    readonly change_id: string
    readonly is_set: boolean
    readonly project: string
    /** Of a threshold that is set; other settings have no such field. */
    readonly rise_percent?: number
    readonly run_no: number | null
    readonly setting: Setting
    readonly suite: string
    readonly texts_sha256: string | null
    readonly until: number | null
  }
> & { readonly attached?: SettingTexts | null }

export const SUITE_EVENTS = {
  SuiteSettingChanged: {
    tags: ({ data }) => [invalidatedSet(SUITE_SETTINGS, data)],
    change: 'baseline',
    erasure: 'pin',
    digests: true,
    projections: ['suiteSettings'],
  },
} as const satisfies EventTypes<SuiteSettingChanged>

export const suiteSettingChanged = (
  data: Omit<SuiteSettingChanged['data'], 'texts_sha256'>,
  texts: SettingTexts | null,
  salt: string,
): SuiteSettingChanged => {
  const stored = texts === null ? null : JSON.stringify(texts)
  const { project, suite, setting, change_id } = data
  return {
    ...event(streamOf('suite', project, suite, setting), 'SuiteSettingChanged', {
      ...data,
      texts_sha256: stored === null ? null : saltedDigest(salt, stored),
    }),
    attached: texts,
    statements:
      stored === null
        ? []
        : [
            statement`INSERT INTO suite_setting_texts (change_id, texts, salt) VALUES (${change_id}, ${stored}, ${salt})`,
          ],
  }
}

/** The text of a row of `suite_setting_texts` whose digest is in the event. */
export const settingText = sql.fragment`salt || ' ' || texts`

/** The texts of a record; null if it has none, or if they were deleted. */
export const findSettingTexts = (change_id: string): Query<SettingTexts | null> =>
  mapped(
    maybeOne(sql.type(z.object({ texts: z.string() }))`
      SELECT texts FROM suite_setting_texts WHERE change_id = ${change_id}`),
    // Safe: `suiteSettingChanged` wrote it.
    (row) => row && (JSON.parse(row.texts) as SettingTexts),
  )

/** Deletes the texts of a record with their salt: the digest in the log means nothing then. */
export const deleteSettingTexts = (change_id: string): Statement =>
  statement`DELETE FROM suite_setting_texts WHERE change_id = ${change_id}`
