import { z } from 'zod'
import { MAX_RUN_NOTE, MAX_TAG, runNoteProblem, tagProblem } from '../../../commands/annotation/annotation-fields.ts'
import { parseInstant } from '../../../domain/instants.ts'
import {
  DEFAULT_RISE_PERCENT,
  LATEST_SNOOZE_MS,
  MAX_RISE_PERCENT,
  type Threshold,
} from '../../../domain/suite-settings.ts'
import { findSuiteSettings, settingsView, SuiteSettings } from '../../../queries/sets/suite-settings.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkedText } from '../../requests/checked-text.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const Why = checkedText(runNoteProblem, MAX_RUN_NOTE).nullable().optional()
const Until = z
  .string()
  .superRefine((given, context) => {
    const ms = parseInstant(given)
    if (ms === null || ms > LATEST_SNOOZE_MS)
      context.addIssue({ code: 'custom', message: 'must be an RFC 3339 instant before the year 10000' })
  })
  .meta({ format: 'date-time' })

const threshold = (measure: Threshold) =>
  z
    .strictObject({ rise_percent: z.number().int().min(0).max(MAX_RISE_PERCENT) })
    .nullable()
    .optional()
    .meta({
      description: `From this rise on, against the previous like run, the ${measure} of the suite needs attention. Null is ${DEFAULT_RISE_PERCENT} percent; left out, it stays.`,
    })

const Body = z.strictObject({
  owner: checkedText(tagProblem, MAX_TAG)
    .nullable()
    .optional()
    .meta({ description: 'Who looks after the suite: a person or a team. Null ends it; left out, it stays.' }),
  snooze: z
    .strictObject({
      until: Until.nullable().optional(),
      until_new_run: z.boolean().optional(),
      why: Why,
    })
    .refine(
      ({ until, until_new_run }) => (until ?? null) !== null || until_new_run === true,
      'give until or until_new_run',
    )
    .nullable()
    .optional()
    .meta({
      description: 'Until a time, until a new run, or until the first of both. Null ends it; left out, it stays.',
    }),
  archive: z
    .strictObject({ why: Why })
    .nullable()
    .optional()
    .meta({ description: 'Null ends it; left out, it stays.' }),
  cost: threshold('cost'),
  latency: threshold('latency'),
})

export const changeSuiteSettingsRoute: Route = (app, { reader, commit, now }) => {
  const newId = newIds()
  app.patch(
    '/projects/:project/suites/:suite/settings',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['sets'],
        operationId: 'changeSuiteSettings',
        summary: 'Set or end the owner, the snooze, the archive and the thresholds of a suite',
        params: SuitePath,
        body: Body,
        response: { 200: SuiteSettings, 404: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { project, suite }, body: { owner, snooze, archive, cost, latency } }) => {
      const at = now()
      await commit.changeSuiteSettings(viewer, {
        ...{ project, suite, at },
        change_ids: { owner: newId(), snooze: newId(), archive: newId(), cost: newId(), latency: newId() },
        owner,
        snooze: snooze && {
          until: parseInstant(snooze.until ?? ''),
          until_new_run: snooze.until_new_run ?? false,
          why: snooze.why ?? null,
        },
        archive: archive && { why: archive.why ?? null },
        cost,
        latency,
      })
      const stored = mustExist(await reader.read(findSuiteSettings(viewer, { project, suite })), 'run set')
      return settingsView(stored, at)
    },
  )
}
