import type { Route } from '../route.ts'
import { exportCasesCsvRoute } from './export-cases-csv.ts'
import { getCaseFieldsRoute } from './get-case-fields.ts'
import { getCaseHistoryRoute } from './get-case-history.ts'
import { getCaseInSuiteRoute } from './get-case-in-suite.ts'
import { getCaseRoute } from './get-case.ts'
import { getDistributionRoute } from './get-distribution.ts'
import { listCaseRowsRoute } from './list-case-rows.ts'
import { listCasesRoute } from './list-cases.ts'
import { listDistributionCasesRoute } from './list-distribution-cases.ts'

/** Routes of cases, in the order of the API's document. */
export const caseRoutes: readonly Route[] = [
  listCasesRoute,
  listDistributionCasesRoute,
  listCaseRowsRoute,
  getCaseFieldsRoute,
  exportCasesCsvRoute,
  getCaseRoute,
  getCaseInSuiteRoute,
  getDistributionRoute,
  getCaseHistoryRoute,
]
