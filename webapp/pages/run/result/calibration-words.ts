import type { RunCalibration } from '../../../../queries/reviews/calibration.ts'
import { formatRate } from '../../../text/format.ts'

/** A calibration in one line: the rate that people would give, or why it is not to be relied on. */
export const calibrationWords = ({
  state,
  reasons,
  rate,
  judge_alone,
}: Pick<RunCalibration, 'state' | 'reasons' | 'rate' | 'judge_alone'>): string => {
  const reason = reasons[0]?.text ?? ''
  if (state === 'none')
    return reasons[0]?.code === 'judge_unknown' ? `Cannot be checked by people: ${reason}` : 'Not checked by people'
  if (rate.reason !== null) return `Not calibrated: ${reason}`
  const numbers = `Calibrated ${formatRate(rate.estimate)} (${formatRate(rate.lower)} to ${formatRate(rate.upper)}), judge alone ${formatRate(judge_alone.rate)}`
  return state === 'good' ? numbers : `${numbers}: ${reason}`
}
