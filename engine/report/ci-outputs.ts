import type { RunDocument } from '../runner/run-document.ts'
import { percentText } from './numbers.ts'

type CiFacts = {
  /** Cases that are newly failing against the baseline; 0 without one. */
  readonly regressed: number
  readonly runUrl?: string | undefined
  readonly ciUrl?: string | undefined
}

/** The outputs of a step of a CI job, as lines `key=value`. Always all of them; an unknown value is empty. */
export const ciOutputs = ({ summary, cases }: RunDocument, { regressed, runUrl, ciUrl }: CiFacts): string => {
  const { total, passed, failed, errored, cache_hits: hits, cache_misses: misses } = summary
  const share = (part: number, whole: number): string => percentText(whole === 0 ? 0 : part / whole)
  const usd = (amount: number | undefined): string => amount?.toFixed(6) ?? ''
  const classes = new Set(
    cases.flatMap(({ status, error_class: name }) => (status === 'error' ? [name || 'unknown'] : [])),
  )
  const values: ReadonlyArray<readonly [string, string | number]> = [
    ['passed', passed],
    ['failed', failed],
    ['errored', errored],
    ['failed-or-errored', failed + errored],
    ['error-classes', [...classes].sort().join(',')],
    ['xfailed', summary.xfailed ?? 0],
    ['xpassed', summary.xpassed ?? 0],
    ['total', total],
    ['pass-rate', share(passed, total)],
    ['cache-hits', hits],
    ['cache-misses', misses],
    ['cache-hit-rate', share(hits, hits + misses)],
    ['cache-read-tokens', summary.cache_read_tokens ?? 0],
    ['cache-write-tokens', summary.cache_write_tokens ?? 0],
    ['fallback-cases', summary.fallback_cases ?? 0],
    ['cost-usd', usd(summary.cost_usd)],
    ['cache-savings-usd', usd(summary.cache_savings_usd)],
    ['grader-cost-usd', usd(summary.grader_cost_usd)],
    ['regressed', regressed],
    ['run-url', runUrl ?? ''],
    ['ci-run-url', ciUrl ?? ''],
  ]
  // A line break would start another output.
  return values.map(([key, value]) => `${key}=${String(value).replace(/[\r\n]+/g, ' ')}\n`).join('')
}
