import type { byteBudget } from '../../requests/byte-budget.ts'
import { importFileRoute } from '../imports/import-file.ts'
import type { Route } from '../route.ts'
import { compareRunsRoute } from './compare-runs.ts'
import { deleteRunByIdRoute } from './delete-run-by-id.ts'
import { deleteRunRoute } from './delete-run.ts'
import { exportRunAsRoute } from './export-run-as.ts'
import { exportRunRoute } from './export-run.ts'
import { exportRunsCsvRoute } from './export-runs-csv.ts'
import { getMatrixRoute } from './get-matrix.ts'
import { getPreviousRunRoute } from './get-previous-run.ts'
import { getRunConfigRoute } from './get-run-config.ts'
import { getRunInSuiteRoute } from './get-run-in-suite.ts'
import { getRunRoute } from './get-run.ts'
import { listRunChangesRoute } from './list-run-changes.ts'
import { listRunFacetsRoute } from './list-run-facets.ts'
import { listRunsRoute } from './list-runs.ts'
import { shareRunRoute } from './share-run.ts'
import { uploadRunRoute } from './upload-run.ts'

/** Routes of runs, in the order of the API's document. `uploads` is the room for all bodies that are being received. */
export const runRoutes = (uploads: ReturnType<typeof byteBudget>): readonly Route[] => [
  uploadRunRoute(uploads),
  listRunsRoute,
  listRunFacetsRoute,
  listRunChangesRoute,
  exportRunsCsvRoute,
  getRunRoute,
  getRunInSuiteRoute,
  getPreviousRunRoute,
  deleteRunRoute,
  deleteRunByIdRoute,
  exportRunRoute,
  getRunConfigRoute,
  getMatrixRoute,
  compareRunsRoute,
  importFileRoute,
  exportRunAsRoute,
  shareRunRoute,
]
