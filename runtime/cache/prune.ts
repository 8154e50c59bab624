import type { RunningService } from '../services.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Eviction } from '../../storage/cache/selection.ts'
import { Unavailable } from '../../storage/errors.ts'

export type { Eviction }

const DAY_MS = 86_400_000

/** The earliest instant that a `Date` can hold: more days are clamped to it. */
const EARLIEST = -8.64e15

/** Epoch milliseconds, `days` before `now`. */
export const daysBefore = (now: number, days: number): number => Math.max(EARLIEST, now - days * DAY_MS)

const NOTHING = { created_before: null, created_from: null, empty_reasons: null, model: null, kind: null } as const

/** The eviction of entries beyond the configured age and size. */
export const retentionLimits = (
  { max_age_days, max_bytes }: { readonly max_age_days: number; readonly max_bytes: number },
  now: number,
): Eviction => ({
  selection: { ...NOTHING, created_before: daysBefore(now, max_age_days) },
  target_bytes: max_bytes,
})

/** The eviction of entries beyond the configured size only. */
export const sizeLimit = ({ max_bytes }: { readonly max_bytes: number }): Eviction => ({
  selection: NOTHING,
  target_bytes: max_bytes,
})

/** The eviction of entries with these empty reasons, at any age. Without reasons, it evicts no entries. */
export const entriesOfReasons = (reasons: readonly string[]): Eviction => ({
  selection: { ...NOTHING, empty_reasons: [...reasons] },
  target_bytes: null,
})

/** The reasons in a comma-separated list. */
export const parseReasons = (text: string): string[] =>
  text
    .split(',')
    .map((reason) => reason.trim())
    .filter((reason) => reason !== '')

type Parts = Pick<RunningService, 'sharedCache' | 'commit' | 'instance' | 'logger'>

/**
 * Evicts entries and records the eviction and its actor, as an event and as a line of the service log. A scheduled
 * eviction is recorded only if it removed something. Returns how many entries were removed; throws `Unavailable` if the
 * eviction ended early.
 */
export const pruneCache = async (
  { sharedCache, commit, instance, logger }: Parts,
  viewer: Viewer,
  eviction: Eviction,
  cause: 'request' | 'retention',
): Promise<number> => {
  const { pruned, bytes, failed } = await sharedCache.evict(eviction)
  if (pruned === 0 && cause === 'retention') return 0
  const { selection, target_bytes } = eviction
  logger.info(
    { actor: viewer.actor, request_id: viewer.request_id, cause, ...selection, target_bytes, pruned, bytes, failed },
    'cache pruned',
  )
  await commit.recordPrune(viewer, { instance, cause, ...selection, target_bytes, pruned, bytes })
  if (failed !== null) throw new Unavailable(`the eviction ended after ${pruned} entries: ${failed}`)
  return pruned
}
