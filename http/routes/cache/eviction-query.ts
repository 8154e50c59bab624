import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { daysBefore, parseReasons, retentionLimits, type Eviction } from '../../../runtime/cache/prune.ts'
import { NO_NUL, whole } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

const amount = whole({ minimum: 0 })

/**
 * A rule of a prune. It is stored in the log, whose text cannot contain NUL. No indexed value of a cache entry contains
 * NUL either, so a rule with NUL could not select anything.
 */
const rule = z
  .string()
  .refine((given) => !given.includes('\0'), 'must hold no NUL')
  .meta(NO_NUL)
  .optional()

/** Rules of a prune; without any, the service's own limits apply. */
export const EvictionQuery = z.strictObject({
  older_than_days: amount,
  newer_than_days: amount,
  empty_reason: rule.meta({ ...NO_NUL, description: 'One or more reasons, comma-separated.' }),
  model: rule.meta({ ...NO_NUL, description: 'Entries of this model.' }),
  kind: rule.meta({ ...NO_NUL, description: 'Entries of this kind.' }),
  target_bytes: amount,
})

/** Reads the query of a prune. Refuses: bad_request (negative). */
export const evictionOf = (
  query: z.output<typeof EvictionQuery>,
  config: Services['config'],
  now: number,
): Eviction => {
  // If any rule is given, even an empty one, the configured limits do not apply.
  if (Object.values(query).every((value) => value === undefined)) return retentionLimits(config.cache, now)
  const { older_than_days, newer_than_days, empty_reason, model, kind, target_bytes } = query
  for (const [name, value] of Object.entries({ older_than_days, newer_than_days, target_bytes })) {
    if (value !== undefined && value < 0) throw new Refused('bad_request', `${name} must not be negative`)
  }
  return {
    selection: {
      created_before: older_than_days === undefined ? null : daysBefore(now, older_than_days),
      created_from: newer_than_days === undefined ? null : daysBefore(now, newer_than_days),
      empty_reasons: empty_reason === undefined ? null : parseReasons(empty_reason),
      model: model ?? null,
      kind: kind ?? null,
    },
    target_bytes: target_bytes ?? null,
  }
}
