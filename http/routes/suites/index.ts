import type { Route } from '../route.ts'
import { changeDeclaredJudgeRoute } from './change-declared-judge.ts'
import { changeSuiteSettingsRoute } from './change-suite-settings.ts'
import { createBadgeRoute } from './create-badge.ts'
import { getBadgeRoute } from './get-badge.ts'
import { getCaseTimelineRoute } from './get-case-timeline.ts'
import { getOverviewRoute } from './get-overview.ts'
import { getSuiteFlakinessRoute } from './get-suite-flakiness.ts'
import { getSuiteGridRoute } from './get-suite-grid.ts'
import { getSuiteSettingsRoute } from './get-suite-settings.ts'
import { listJudgesRoute } from './list-judges.ts'
import { revokeBadgesRoute } from './revoke-badges.ts'

/** Routes of suites, in the order of the API's document. */
export const suiteRoutes: readonly Route[] = [
  getSuiteGridRoute,
  getSuiteFlakinessRoute,
  getCaseTimelineRoute,
  getBadgeRoute,
  createBadgeRoute,
  revokeBadgesRoute,
  getSuiteSettingsRoute,
  changeSuiteSettingsRoute,
  listJudgesRoute,
  changeDeclaredJudgeRoute,
  getOverviewRoute,
]
