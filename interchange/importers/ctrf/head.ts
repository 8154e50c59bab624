import type { ImportOptions } from '../../document/import-options.ts'
import type { Losses } from '../../document/losses.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { type ToolCounts } from '../../document/tool-counts.ts'
import type { Row } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'
import { numberAt } from '../../read/members.ts'

const TOTALS = ['tests', 'passed', 'failed', 'pending', 'skipped', 'other', 'flaky', 'suites', 'duration'] as const

/** The tool of the reports that this service writes. */
const OWN_TOOL = 'evaluation-results-service'

/** Reads what a report says of its run. Times are in its summary, in epoch milliseconds. */
export const ctrfHead = (top: Row, fileName: string, options: ImportOptions, losses: Losses): RunHead => {
  const results = top.row('results')
  const [tool, summary, environment] = [results?.row('tool'), results?.row('summary'), results?.row('environment')]
  const timeAt = (key: 'start' | 'stop') =>
    sourceTime(summary?.number(key) ?? null, options, losses, `results.summary.${key}`)
  const [start, stop] = [timeAt('start'), timeAt('stop')]
  const count = (key: (typeof TOTALS)[number]) => numberAt(summary?.value, key)
  const [skipped, pending] = [count('skipped'), count('pending')]
  const counts: ToolCounts = {
    path: 'results.summary',
    ...{ cases: count('tests'), passed: count('passed'), failed: count('failed'), errored: count('other') },
    skipped: skipped === null && pending === null ? null : (skipped ?? 0) + (pending ?? 0),
  }
  for (const total of TOTALS) {
    const value = summary?.take(total) ?? null
    if (value !== null) losses.add('left_out', `results.summary.${total}`, value, 'a total of the report')
  }
  // The time at which the report was written stands in for missing times of the run.
  const timestamp =
    start !== null && stop !== null ? null : sourceTime(top.text('timestamp'), options, losses, 'timestamp')
  const isOwn = tool?.peek('name') === OWN_TOOL
  const suite = environment?.text('reportName') ?? null
  const app = suite === null || isOwn ? (environment?.text('appName') ?? null) : null
  const name = tool?.text('name') ?? null
  return {
    formatVersion: top.text('specVersion'),
    suite: suite || app || fileName.replace(/(?:\.ctrf)?\.json$/i, ''),
    ...(isOwn && { project: app || null }),
    startedAt: start ?? timestamp,
    finishedAt: stop ?? timestamp,
    git: { branch: environment?.text('branchName') || null, commit: environment?.text('commit') || null },
    ci: { provider: (isOwn && environment?.text('buildName')) || null, runUrl: environment?.text('buildUrl') || null },
    origin: { version: [name, tool?.text('version')].filter(Boolean).join(' ') || null },
    config: top,
    counts,
  }
}
