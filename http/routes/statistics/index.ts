import type { Route } from '../route.ts'
import { compareCalibrationRoute } from './compare-calibration.ts'
import { compareConfigsRoute } from './compare-configs.ts'
import { compareManyRunsRoute } from './compare-many-runs.ts'
import { compareOutputsRoute } from './compare-outputs.ts'
import { findNearestRunRoute } from './find-nearest-run.ts'
import { getCalibrationRoute } from './get-calibration.ts'
import { getComparisonStatisticsRoute } from './get-comparison-statistics.ts'
import { getLeaderboardRoute } from './get-leaderboard.ts'
import { getRunStatisticsRoute } from './get-run-statistics.ts'
import { getSuiteTrendRoute } from './get-suite-trend.ts'
import { getTestOutputsRoute } from './get-test-outputs.ts'
import { listComparedCasesRoute } from './list-compared-cases.ts'
import { listComparedGroupsRoute } from './list-compared-groups.ts'
import { listMatrixRowsRoute } from './list-matrix-rows.ts'

/** Routes of statistics and comparisons, in the order of the API's document. */
export const statisticsRoutes: readonly Route[] = [
  getRunStatisticsRoute,
  getCalibrationRoute,
  getLeaderboardRoute,
  getComparisonStatisticsRoute,
  compareCalibrationRoute,
  getSuiteTrendRoute,
  listComparedCasesRoute,
  listComparedGroupsRoute,
  compareConfigsRoute,
  findNearestRunRoute,
  listMatrixRowsRoute,
  compareManyRunsRoute,
  compareOutputsRoute,
  getTestOutputsRoute,
]
