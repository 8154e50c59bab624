import type { CaseStatus } from '../../../domain/run/document.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import type { Losses } from '../../document/losses.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { rowOf, type Row } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'
import type { FoundCase, FoundSuite } from './elements.ts'
import { suiteCounter } from './suite-counts.ts'
import { takeSeconds } from './numbers.ts'
import { propertiesObject, takeProperties } from './properties.ts'

/** Totals of a suite. Those of the run are counted again from its cases. */
const TOTALS = ['tests', 'failures', 'errors', 'skipped', 'disabled', 'warnings', 'assertions', 'flakes'] as const

/** Maximum size of what the suites say, as JSON. */
const MAX_SUITES_BYTES = 1024 * 1024

/** Collects what the suites of a report say about the run: its name, its times, its properties and its output. */
export const suiteCollector = (options: ImportOptions, losses: Losses) => {
  const kept: Json[] = []
  let bytes = 0
  let rootName: string | null = null
  let firstSuite: string | null = null
  let rootStart: string | null = null
  let start: string | null = null
  let endMs = 0
  const facts = new Map<string, string>()

  const counter = suiteCounter(losses)

  const addSuite = ({ element, suites, depth }: FoundSuite, failed: FoundCase | null): void => {
    const row = rowOf(element, 'testsuite.*')
    if (failed !== null) counter.addFailedSuite(depth)
    counter.endSuite(depth, row)
    const isRoot = depth === 1
    const name = row.text('name')
    if (isRoot) rootName = name || rootName
    addTimes(row, isRoot)
    for (const total of TOTALS) {
      const value = row.take(total)
      if (value !== null) losses.add('left_out', `testsuite.*.${total}`, value, 'a total of a suite')
    }
    const found = takeProperties(row)
    const properties = found.size === 0 ? null : propertiesObject(found)
    for (const [key, value] of Object.entries(properties ?? {}))
      if (typeof value === 'string' && value !== '' && !facts.has(key)) facts.set(key, value)
    const rest = row.rest()
    if (rest === null && properties === null) return
    const suite: Json = { suite: suites.join(' > ') || name || '', ...(properties && { properties }), ...rest }
    const size = Buffer.byteLength(JSON.stringify(suite))
    if (bytes + size > MAX_SUITES_BYTES)
      losses.add('left_out', 'testsuite.*', suite, `suites are limited to ${MAX_SUITES_BYTES} bytes`)
    else {
      bytes += size
      kept.push(suite)
    }
  }

  const addTimes = (row: Row, isRoot: boolean) => {
    const written = row.peek('time')
    const seconds = takeSeconds(row, losses) ?? 0
    const time = sourceTime(row.text('timestamp'), options, losses, 'testsuite.*.timestamp')
    if (time === null) {
      if (!row.has('time') && typeof written === 'string' && written !== '')
        losses.add('left_out', 'testsuite.*.time', written, 'a duration without a start')
      return
    }
    if (isRoot) rootStart = time
    if (start === null || Date.parse(time) < Date.parse(start)) start = time
    // A root may state only the time of its setup, so the last end of any suite counts.
    endMs = Math.max(endMs, Date.parse(time) + seconds * 1000)
  }

  return {
    addSuite,
    /** Counts a case, and remembers the first suite with a name: suites are added when they end, the outermost last. */
    addCase: (found: FoundCase, status: CaseStatus | undefined) => {
      firstSuite ??= found.suites[0] ?? null
      if (!found.isSuite) counter.addCase(found, status)
    },
    head: (fileName: string): RunHead => {
      const startedAt = rootStart ?? start
      // Only our own export has the properties run_id and finished_at.
      const isOwn = facts.has('run_id') && facts.has('finished_at')
      const finishedAt = isOwn ? facts.get('finished_at')! : timeOfMs(endMs)
      return {
        suite: rootName ?? firstSuite ?? fileName.replace(/\.xml$/i, ''),
        ...(isOwn && { project: facts.get('project') || null }),
        startedAt,
        finishedAt: startedAt === null ? null : finishedAt,
        git: { branch: facts.get('branch') ?? null, commit: facts.get('commit') ?? null },
        config: kept.length === 0 ? null : rowOf({ suites: kept }, ''),
      }
    },
  }
}
