import { EMPTY_REASONS } from '../engine/empty-reasons.ts'
import { daysBefore, entriesOfReasons, pruneCache, retentionLimits } from '../http/prune-cache.ts'
import type { Services } from '../http/services.ts'
import { SYSTEM } from '../queries/viewer.ts'
import type { Config } from './config.ts'
import { expireRuns } from './expire-runs.ts'
import type { HourlyTask } from './retention.ts'

type Parts = Pick<Services, 'reader' | 'commit' | 'sharedCache' | 'instance' | 'now' | 'logger'>
type Limits = Pick<Config, 'cache' | 'sweepEmptyReasons' | 'runMaxAgeDays'>

/**
 * What is done each hour, in order: cache entries that are too old or too many, those of empty reasons that are swept at any age, runs that are too old.
 * Each may be done by several processes at once.
 */
export const retentionTasks = (parts: Parts, { cache, sweepEmptyReasons, runMaxAgeDays }: Limits): HourlyTask[] => [
  { name: 'cache limits', run: async () => some('entries', await pruneCache(parts, SYSTEM, retentionLimits(cache, parts.now()), 'retention')) },
  // No reasons are no rule, which would not be a sweep of nothing.
  ...(sweepEmptyReasons.length > 0
    ? [{ name: 'empty reasons', run: async () => some('entries', await pruneCache(parts, SYSTEM, entriesOfReasons(sweepEmptyReasons), 'retention')) }]
    : []),
  ...(runMaxAgeDays === null
    ? []
    : [{ name: 'old runs', run: async (signal: AbortSignal) => some('runs', await expireRuns(parts, { before: daysBefore(parts.now(), runMaxAgeDays), signal })) }]),
]

const some = (of: string, count: number): Readonly<Record<string, unknown>> | null => (count === 0 ? null : { [of]: count })

/** Warns of empty reasons that this version does not know: they are swept all the same, and may be misspelt. */
export const warnOfUnknownReasons = ({ sweepEmptyReasons }: Pick<Config, 'sweepEmptyReasons'>, logger: Pick<Services['logger'], 'warn'>): void => {
  const unknown = sweepEmptyReasons.filter((reason) => !EMPTY_REASONS.has(reason))
  if (unknown.length > 0) logger.warn({ variable: 'SERVICE_CACHE_SWEEP_EMPTY_REASON', unknown }, 'empty reasons that this version does not know are swept all the same')
}
