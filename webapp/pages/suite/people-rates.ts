import type { RunCalibration } from '../../../queries/reviews/calibration.ts'
import type { PeopleRate } from '../../components/charts/trend.ts'

/** What people would pass of runs, the newest first, by their ids: where the calibration is good, and of the metric of the newest run. */
export const peopleRates = (runs: readonly RunCalibration[]): ReadonlyMap<string, PeopleRate> =>
  new Map(
    runs.flatMap(({ run_id, metric, state, rate }) =>
      state === 'good' && rate.reason === null && metric === runs[0]?.metric
        ? [[run_id, { ...rate, value: rate.estimate }]]
        : [],
    ),
  )
