import { z } from 'zod'
import { BASELINES, RUNS, SUITE_SETTINGS } from '../../../commands/tags.ts'
import { listAllAccess, setAccess } from '../../../queries/access/set-access.ts'
import { listTitles } from '../../../queries/runs/annotations.ts'
import {
  listDaysWithoutProject,
  listLatestWithoutProject,
  listSetVersions,
  newestInstant,
  Overview,
  overviewOf,
  withTitles,
} from '../../../queries/sets/overview.ts'
import { listSuiteSettings } from '../../../queries/sets/suite-settings.ts'
import { suiteStates } from '../../../runtime/suite-states.ts'
import { LONG_READ } from '../../errors.ts'
import { flag, freeText, MAX_FREE_TEXT, optionalText, paged, repeated } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { suiteRankings } from './suite-rankings.ts'

const MINUTE_MS = 60_000

export const getOverviewRoute: Route = (app, { reader, longReads, cache, now }) => {
  const states = suiteStates({ cache, longReads })
  const rank = suiteRankings()
  app.get(
    '/overview',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS, BASELINES, SUITE_SETTINGS], everyMs: MINUTE_MS } },
      schema: {
        tags: ['sets'],
        operationId: 'getOverview',
        summary: 'What needs attention: every suite, worst first',
        querystring: z.strictObject({
          project: repeated('Only suites of this project. Give it several times for several projects.'),
          attention: flag.meta({ description: 'Only suites that need attention.' }),
          archived: flag.meta({ description: 'Only archived suites. Otherwise they are left out.' }),
          owner: optionalText.meta({ description: 'Only suites with this owner.' }),
          q: freeText.meta({
            description: 'Only suites with all of these words in their name, project, owner or reason.',
            maxLength: MAX_FREE_TEXT,
          }),
          ...paged(100, 500),
        }),
        response: { 200: Overview, ...LONG_READ },
      },
    },
    async ({ viewer, query, clientLeft }) => {
      const { project: asked, ...page } = query
      const { sets, latest, settings, ...granted } = await reader.readAll({
        sets: listSetVersions(viewer),
        latest: listLatestWithoutProject(viewer),
        settings: listSuiteSettings(viewer),
        ...listAllAccess(viewer),
      })
      const projects = new Map<string, number>()
      for (const { project, suite } of sets)
        projects.set(project, (projects.get(project) ?? 0) + (suite === null ? 0 : 1))
      const isAsked = (project: string): boolean => asked === undefined || asked.includes(project)
      const seen = sets.filter(({ project }) => isAsked(project))
      const found = await states.read(viewer, seen, clientLeft)
      const without = asked === undefined ? latest : []
      const newest = newestInstant(found, without)
      const days = without.length === 0 || newest === null ? [] : await reader.read(listDaysWithoutProject(newest))
      const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS
      const input = {
        projects,
        latest: without,
        days,
        access: setAccess(granted),
        settings,
        now: minute,
        ranking: rank(found, minute, settings),
      }
      const overview = overviewOf(input, page)
      const ids = overview.latest_runs.map(({ id }) => id)
      return withTitles(overview, await reader.read(listTitles(viewer, ids)))
    },
  )
}
