import { passRate } from '../../domain/statistics/statistics.ts'
import { passInterval } from '../../domain/statistics/pairing.ts'
import type { RunDocument } from '../runner/run-document.ts'

/** A duration as `12.3s`, from one minute as `2m 05s`. */
export const durationText = (ms: number): string => {
  const tenths = Math.round(ms / 100)
  if (tenths < 600) return `${(tenths / 10).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
}

/** A count as `500`, `12.3k` or `1.2M`. */
export const countText = (count: number): string => {
  if (count < 1000) return String(count)
  // Rounded to one decimal, 999,950 and more would be 1000.0k.
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`
}

/** An amount of money with four decimals. */
export const usdText = (usd: number): string => `$${usd.toFixed(4)}`

/** A share of 1 as a percentage with one decimal, without the sign. */
export const percentText = (share: number): string => (share * 100).toFixed(1)

/**
 * A pass rate with its interval, over tests if they have several trials, as `33.3% (95% CI 6.1–79.2%)`. `more` is added
 * inside the parentheses.
 */
export const passRateText = ({ summary, cases }: Pick<RunDocument, 'summary' | 'cases'>, more = ''): string => {
  const interval = passInterval(cases.map((item) => ({ ...item, ...item.cell })))
  const { rate, lower, upper } = { ...passRate(summary.passed, summary.total), ...interval }
  return `${percentText(rate)}% (95% CI ${percentText(lower)}–${percentText(upper)}%${more})`
}
