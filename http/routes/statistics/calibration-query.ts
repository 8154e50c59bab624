import { z } from 'zod'
import { TARGETS } from '../../../queries/reviews/calibrated-run.ts'
import { whole } from '../../requests/shared-parameters.ts'
import { clusterBy } from './parameters.ts'

const asOf = whole()
  .refine((given) => given === undefined || given >= 0, 'must be 0 or more')
  .meta({
    description:
      'Only what was recorded up to this record of the log, as it was at its time. Labels that were erased since then are left out.',
    type: 'integer',
    minimum: 0,
  })

/** The parameters of a calibration. */
export const CalibrationQuery = z.strictObject({
  metric: z.string().optional().meta({
    description:
      'The metric whose judge is meant. Without it and without `target`: the whole case if people labelled that, else the metric that they labelled last, else the only metric of the run.',
  }),
  target: z
    .enum(TARGETS)
    .optional()
    .meta({ description: 'What people judge: the whole `case`, or one `metric` of it.' }),
  cluster_by: clusterBy,
  as_of: asOf,
})
