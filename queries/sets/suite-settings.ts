import { z } from 'zod'
import {
  SETTINGS,
  type Setting,
  type SettingTexts,
  type Threshold as Measured,
  type Thresholds,
} from '../../domain/suite-settings.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { any, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import type { Suite } from './baselines.ts'

// The owner, the snooze, the archive and the thresholds of suites: for everyone who sees the suite, each with who set it, when and why.

const text = z.string().nullable()
const SetBy = { at: z.string(), by: text }

const Owner = z.object({ name: z.string(), ...SetBy })
const Snooze = z.object({
  /** Null for a snooze that ends with a run. */
  until: text,
  until_new_run: z.boolean(),
  /** Whether it has ended by now. */
  is_over: z.boolean(),
  why: text,
  ...SetBy,
})
const Archive = z.object({ why: text, ...SetBy })
/** From this rise against the previous like run on, the cost or the latency of the suite needs attention. */
const Threshold = z.object({ rise_percent: z.number().int(), ...SetBy })

/** Each is null if it is not set. */
export const SuiteSettings = z
  .object({
    owner: Owner.nullable(),
    snooze: Snooze.nullable(),
    archive: Archive.nullable(),
    cost: Threshold.nullable(),
    latency: Threshold.nullable(),
  })
  .meta({ id: 'SuiteSettings' })
export type SuiteSettings = z.infer<typeof SuiteSettings>

const Row = z.object({
  project: z.string(),
  suite: z.string(),
  newest_run_no: z.number(),
  setting: z.enum(SETTINGS).nullable(),
  until: z.number().nullable(),
  run_no: z.number().nullable(),
  rise_percent: z.number().nullable(),
  texts: text,
  changed_at: z.number().nullable(),
  changed_by: text,
})
type Row = z.infer<typeof Row>

type Stored = Pick<Row, 'until' | 'run_no' | 'rise_percent' | 'changed_by'> & {
  readonly texts: SettingTexts | null
  readonly changed_at: number
}
/** The settings of a suite as they are stored, and the number of its newest run. */
export type StoredSettings = { readonly newest_run_no: number } & Readonly<Record<Setting, Stored | null>>

const storedOf = (rows: readonly Row[]): StoredSettings | null => {
  const [first] = rows
  if (!first) return null
  const of = (setting: NonNullable<Row['setting']>): Stored | null => {
    const row = rows.find((each) => each.setting === setting)
    if (!row) return null
    const { until, run_no, rise_percent, texts, changed_at, changed_by } = row
    // Safe: the projection wrote it.
    return {
      until,
      run_no,
      rise_percent,
      texts: texts === null ? null : (JSON.parse(texts) as SettingTexts),
      changed_at: changed_at ?? 0,
      changed_by,
    }
  }
  return {
    newest_run_no: first.newest_run_no,
    owner: of('owner'),
    snooze: of('snooze'),
    archive: of('archive'),
    cost: of('cost'),
    latency: of('latency'),
  }
}

// Thresholds have a table of their own: earlier builds that read the same database do not know them.
const ALL = sql.fragment`(
  SELECT project, suite, setting, until, run_no, CAST(NULL AS bigint) AS rise_percent, texts, changed_at, changed_by
  FROM suite_settings
  UNION ALL
  SELECT project, suite, setting, CAST(NULL AS bigint), CAST(NULL AS bigint), rise_percent, CAST(NULL AS text), changed_at, changed_by
  FROM suite_thresholds) s`
const COLUMNS = sql.fragment`
  sets.project, sets.suite, coalesce(sets.latest_run_no, 0) AS newest_run_no, s.setting, s.until, s.run_no, s.rise_percent,
  s.texts, s.changed_at, (SELECT label FROM principals WHERE principals.id = s.changed_by) AS changed_by`
const SAME = sql.fragment`s.project = sets.project AND s.suite = sets.suite`

/** The settings of a visible suite that has runs, or null. */
export const findSuiteSettings = (viewer: Viewer, { project, suite }: Suite): Query<StoredSettings | null> =>
  mapped(
    any(sql.type(Row)`
      SELECT ${COLUMNS} FROM sets LEFT JOIN ${ALL} ON ${SAME}
      WHERE sets.project = ${project} AND sets.suite = ${suite} AND ${visible(viewer, 'sets')}`),
    storedOf,
  )

/** The settings of every visible suite of which something is set, by `suiteKey`. */
export const listSuiteSettings = (viewer: Viewer): Query<ReadonlyMap<string, StoredSettings>> =>
  mapped(
    any(sql.type(Row)`
      SELECT ${COLUMNS} FROM ${ALL} JOIN sets ON ${SAME} WHERE ${visible(viewer, 'sets')}`),
    (rows) =>
      new Map(
        [...Map.groupBy(rows, suiteKey)].flatMap(([key, ofSuite]) => {
          const stored = storedOf(ofSuite)
          return stored ? [[key, stored] as const] : []
        }),
      ),
  )

/** A text that only one suite has. */
export const suiteKey = ({ project, suite }: Suite): string => JSON.stringify([project, suite])

/** Whether a suite is snoozed at a time. */
export const isSnoozed = ({ snooze, newest_run_no }: StoredSettings, now: number): boolean =>
  snooze !== null &&
  (snooze.until === null || snooze.until > now) &&
  (snooze.run_no === null || newest_run_no <= snooze.run_no)

/** The thresholds that are set of a suite. */
export const thresholdsOf = (stored: Pick<StoredSettings, Measured> | null): Thresholds => ({
  cost: stored?.cost?.rise_percent ?? undefined,
  latency: stored?.latency?.rise_percent ?? undefined,
})

/** The thresholds of the suites that have any, by `suiteKey`. */
export const allThresholds = (settings: ReadonlyMap<string, StoredSettings>): ReadonlyMap<string, Thresholds> =>
  new Map(
    [...settings].flatMap(([key, stored]) =>
      stored.cost || stored.latency ? [[key, thresholdsOf(stored)] as const] : [],
    ),
  )

/** The settings as responses have them. */
export const settingsView = (stored: StoredSettings, now: number): SuiteSettings => {
  const { owner, snooze, archive, cost, latency } = stored
  const setBy = ({ changed_at, changed_by }: Stored) => ({ at: rfc3339(changed_at), by: changed_by })
  const threshold = (set: Stored | null) => set && { rise_percent: set.rise_percent ?? 0, ...setBy(set) }
  return {
    owner: owner && { name: owner.texts?.owner ?? '', ...setBy(owner) },
    snooze: snooze && {
      until: snooze.until === null ? null : rfc3339(snooze.until),
      until_new_run: snooze.run_no !== null,
      is_over: !isSnoozed(stored, now),
      why: snooze.texts?.why ?? null,
      ...setBy(snooze),
    },
    archive: archive && { why: archive.texts?.why ?? null, ...setBy(archive) },
    cost: threshold(cost),
    latency: threshold(latency),
  }
}
