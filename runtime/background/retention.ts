import PQueue from 'p-queue'
import { EMPTY_REASONS } from '../../domain/cache/empty-reasons.ts'
import type { RunningService } from '../services.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { daysBefore, entriesOfReasons, pruneCache, retentionLimits, sizeLimit } from '../cache/prune.ts'
import type { Retain } from '../services.ts'
import type { ClockWatch, ClockGap } from './clock-watch.ts'
import { expireRuns } from './expire-runs.ts'
import type { HourlyTask } from './hourly.ts'

type Parts = Pick<RunningService, 'reader' | 'commit' | 'sharedCache' | 'instance' | 'now' | 'logger'>
/** Limits of the configuration. Sizes are bytes; null is no limit. */
type Limits = {
  readonly cache: { readonly max_bytes: number; readonly max_age_days: number }
  readonly sweepEmptyReasons: readonly string[]
  readonly runMaxAgeDays: number | null
}

/**
 * The hourly tasks, in order. They delete cache entries beyond the limits, entries with swept empty reasons at any age,
 * and runs that are too old. Several processes may run them concurrently. While the clock is in doubt, age
 * limits are not applied.
 */
export const retentionTasks = (
  parts: Parts,
  { cache, sweepEmptyReasons, runMaxAgeDays }: Limits,
  watch: ClockWatch = () => null,
): HourlyTask[] => {
  const isDoubtful = warningOnce(watch, parts.logger)
  return [
    {
      name: 'cache limits',
      run: async () =>
        countField(
          'entries',
          await pruneCache(
            parts,
            SYSTEM,
            isDoubtful() ? sizeLimit(cache) : retentionLimits(cache, parts.now()),
            'retention',
          ),
        ),
    },
    // If no reasons are configured, there is nothing to sweep.
    ...(sweepEmptyReasons.length > 0
      ? [
          {
            name: 'empty reasons',
            run: async () =>
              countField('entries', await pruneCache(parts, SYSTEM, entriesOfReasons(sweepEmptyReasons), 'retention')),
          },
        ]
      : []),
    ...(runMaxAgeDays === null
      ? []
      : [
          {
            name: 'old runs',
            run: async (signal: AbortSignal) =>
              isDoubtful()
                ? null
                : countField(
                    'runs',
                    await expireRuns(parts, { before: daysBefore(parts.now(), runMaxAgeDays), signal }),
                  ),
          },
        ]),
  ]
}

/** Returns whether the clock is in doubt, and warns when the doubt begins. */
const warningOnce = (watch: ClockWatch, logger: Pick<RunningService['logger'], 'warn'>): (() => boolean) => {
  let warned = false
  return () => {
    const gap = watch()
    if (gap && !warned)
      logger.warn(
        gapTimes(gap),
        'the clock is more than a day ahead of the newest record: for a day, the age limits delete nothing; to apply them now, run "ers retention --now"',
      )
    warned = gap !== null
    return warned
  }
}

/** Warns if the clock is behind the newest record. */
export const warnOfClockBehind = (gap: ClockGap | null, logger: Pick<RunningService['logger'], 'warn'>): void => {
  if (gap)
    logger.warn(
      gapTimes(gap),
      "the clock is behind the newest record: new records get that record's time until the clock passes it",
    )
}

const gapTimes = ({ clock, newest_record }: ClockGap) => ({
  clock: new Date(clock).toISOString(),
  newest_record: new Date(newest_record).toISOString(),
})

/** Applies all limits at once, even if the clock is in doubt. Concurrent calls run one after the other. */
export const retainNow = (parts: Parts, { cache, sweepEmptyReasons, runMaxAgeDays }: Limits): Retain => {
  const retain: Retain = async (viewer, { dry_run, signal }) => {
    const evictions = [
      retentionLimits(cache, parts.now()),
      ...(sweepEmptyReasons.length > 0 ? [entriesOfReasons(sweepEmptyReasons)] : []),
    ]
    let cache_entries = dry_run ? await parts.sharedCache.wouldEvict(evictions) : 0
    for (const eviction of dry_run ? [] : evictions)
      if (!signal.aborted) cache_entries += await pruneCache(parts, viewer, eviction, 'retention')
    if (runMaxAgeDays === null) return { runs: 0, cache_entries }
    return {
      runs: await expireRuns(parts, {
        before: daysBefore(parts.now(), runMaxAgeDays),
        signal,
        viewer,
        dryRun: dry_run,
      }),
      cache_entries,
    }
  }
  const queue = new PQueue({ concurrency: 1 })
  return (viewer, asked) => queue.add(() => retain(viewer, asked))
}

/** The field to log for a count, or null if it is 0. */
const countField = (name: string, count: number): Readonly<Record<string, unknown>> | null =>
  count === 0 ? null : { [name]: count }

/** Warns of empty reasons that this version does not know. Their entries are swept anyway; the name may be misspelt. */
export const warnOfUnknownReasons = (
  { sweepEmptyReasons }: Pick<Limits, 'sweepEmptyReasons'>,
  logger: Pick<RunningService['logger'], 'warn'>,
): void => {
  const unknown = sweepEmptyReasons.filter((reason) => !EMPTY_REASONS.has(reason))
  if (unknown.length > 0)
    logger.warn(
      { variable: 'SERVICE_CACHE_SWEEP_EMPTY_REASON', unknown },
      'this version does not know these empty reasons; their entries are swept anyway',
    )
}
