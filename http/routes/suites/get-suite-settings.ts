import { PRINCIPALS, setTag } from '../../../commands/tags.ts'
import { findSuiteSettings, settingsView, SuiteSettings } from '../../../queries/sets/suite-settings.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const MINUTE_MS = 60_000

/** A cached answer is that of its minute. */
const minute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS

export const getSuiteSettingsRoute: Route = (app, { reader, now }) =>
  app.get(
    '/projects/:project/suites/:suite/settings',
    {
      config: {
        scope: 'read',
        cached: { tags: (suite: SuitePath) => [setTag(suite), PRINCIPALS], everyMs: MINUTE_MS },
      },
      schema: {
        tags: ['sets'],
        operationId: 'getSuiteSettings',
        summary: 'The owner, the snooze, the archive and the thresholds of a suite, with who set them, when and why',
        params: SuitePath,
        response: { 200: SuiteSettings, 404: ErrorBody },
      },
    },
    async ({ viewer, params }) =>
      settingsView(mustExist(await reader.read(findSuiteSettings(viewer, params)), 'run set'), minute(now())),
  )
