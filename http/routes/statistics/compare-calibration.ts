import { ComparedCalibration } from '../../../queries/reviews/compared-calibration.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { PairPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { CalibrationQuery } from './calibration-query.ts'
import { findComparable } from './comparable.ts'

export const compareCalibrationRoute: Route = (app, { reader, longReads, now }) =>
  app.get(
    '/runs/:id/compare/:other/calibration',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['statistics'],
        operationId: 'compareCalibration',
        summary: 'The difference of two runs by their judge, and the one that people would find',
        params: PairPath,
        querystring: CalibrationQuery,
        response: { 200: ComparedCalibration, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id: base, other: head }, query }, reply) => {
      await findComparable(reader, viewer, [base, head])
      const asked = { base, head, ...query, now: now() }
      return sendFound(reply, await longReads.comparedCalibration(viewer, asked, abortWhenClientLeaves(reply)), 'run')
    },
  )
