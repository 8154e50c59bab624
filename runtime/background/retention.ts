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
 * What is done each hour, in order: cache entries that are too old or too many, those of empty reasons that are swept
 * at any age, runs that are too old. Each may be done by several processes at once. While the clock is in doubt nothing
 * goes by its age.
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
        some(
          'entries',
          await pruneCache(
            parts,
            SYSTEM,
            isDoubtful() ? sizeLimit(cache) : retentionLimits(cache, parts.now()),
            'retention',
          ),
        ),
    },
    // No reasons are no rule, which would not be a sweep of nothing.
    ...(sweepEmptyReasons.length > 0
      ? [
          {
            name: 'empty reasons',
            run: async () =>
              some('entries', await pruneCache(parts, SYSTEM, entriesOfReasons(sweepEmptyReasons), 'retention')),
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
                : some('runs', await expireRuns(parts, { before: daysBefore(parts.now(), runMaxAgeDays), signal })),
          },
        ]),
  ]
}

/** Asks whether the clock is in doubt, and warns of it the first time. */
const warningOnce = (watch: ClockWatch, logger: Pick<RunningService['logger'], 'warn'>): (() => boolean) => {
  let warned = false
  return () => {
    const misfit = watch()
    if (misfit && !warned)
      logger.warn(
        shown(misfit),
        'the clock is more than a day ahead of the newest record: nothing is deleted by its age for a day; "ers retention --now" does it at once',
      )
    warned = misfit !== null
    return warned
  }
}

/** Warns where the clock of a start is behind the newest record. */
export const warnOfClockBehind = (misfit: ClockGap | null, logger: Pick<RunningService['logger'], 'warn'>): void => {
  if (misfit)
    logger.warn(
      shown(misfit),
      'the clock is behind the newest record: records keep that time until the clock has passed it',
    )
}

const shown = ({ clock, newest_record }: ClockGap) => ({
  clock: new Date(clock).toISOString(),
  newest_record: new Date(newest_record).toISOString(),
})

/** All of it at once, whatever the clock; several that ask have their turns one after the other. */
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
  let last: Promise<unknown> = Promise.resolve()
  return (viewer, asked) => {
    const done = last.then(() => retain(viewer, asked))
    // Who asked for it is told; the next goes on all the same.
    last = done.catch(() => {})
    return done
  }
}

const some = (of: string, count: number): Readonly<Record<string, unknown>> | null =>
  count === 0 ? null : { [of]: count }

/** Warns of empty reasons that this version does not know: they are swept all the same, and may be misspelt. */
export const warnOfUnknownReasons = (
  { sweepEmptyReasons }: Pick<Limits, 'sweepEmptyReasons'>,
  logger: Pick<RunningService['logger'], 'warn'>,
): void => {
  const unknown = sweepEmptyReasons.filter((reason) => !EMPTY_REASONS.has(reason))
  if (unknown.length > 0)
    logger.warn(
      { variable: 'SERVICE_CACHE_SWEEP_EMPTY_REASON', unknown },
      'empty reasons that this version does not know are swept all the same',
    )
}
