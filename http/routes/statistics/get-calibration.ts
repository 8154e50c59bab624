import { RunCalibration } from '../../../queries/reviews/calibration.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { CalibrationQuery } from './calibration-query.ts'
import { findComparable } from './comparable.ts'

export const getCalibrationRoute: Route = (app, { reader, longReads, now }) =>
  app.get(
    '/runs/:id/calibration',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['statistics'],
        operationId: 'getCalibration',
        summary: 'How good the judge of a run is against people, and the pass rate that people would give the run',
        params: IdPath,
        querystring: CalibrationQuery,
        response: { 200: RunCalibration, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id: run_id }, query }, reply) => {
      await findComparable(reader, viewer, [run_id])
      const asked = { run_id, ...query, now: now() }
      return sendFound(reply, await longReads.calibration(viewer, asked, abortWhenClientLeaves(reply)), 'run')
    },
  )
