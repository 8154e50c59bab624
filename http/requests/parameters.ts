import { z } from 'zod'
import { CACHE_ORDERS, CACHE_SORTS } from '../../domain/cache/listing.ts'
import { EPOCH_MS, parseInstant } from '../../domain/instants.ts'
import { IDENTITY_BYTES } from '../../domain/run/readers.ts'

// Query parameters as the wire has them: every one is text, unknown and repeated ones are refused by strict objects.

/**
 * Standard form decoding: `+` and `%20` are spaces, what is not UTF-8 is U+FFFD. A parameter given twice is a list,
 * which no schema takes.
 */
export const parseQuery = (query: string): Record<string, unknown> => {
  // Without a prototype, so that `__proto__` is a name like any other.
  const read = Object.create(null) as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(query)) read[name] = name in read ? [] : value
  return read
}

/** An endpoint that takes no parameters. */
export const NoParameters = z.strictObject({})

/** What the API's document says of text that the record takes: it holds no NUL. */
export const NO_NUL = { pattern: String.raw`^[^\u0000]*$` } as const

/**
 * What the API's document says of a name that a run can have. It counts characters where the service counts bytes of
 * UTF-8. A path part of `.` or `..` never arrives, since clients resolve it.
 */
export const NAME = { minLength: 1, maxLength: IDENTITY_BYTES, pattern: String.raw`^(?!\.{1,2}$)[^\u0000]+$` } as const

/** A path part that names what is looked for: no other text was ever recorded, so it finds nothing. */
export const named = z.string().meta(NAME)

/** An integer; out of range is clamped, only what is no integer is refused. */
export const limit = (fallback: number, most: number) =>
  z
    .string()
    .refine((text) => /^[+-]?\d+$/.test(text), 'must be an integer')
    .transform((text) => Math.min(most, Math.max(1, Number(text))))
    .optional()
    .transform((value) => value ?? fallback)
    // Text on the way in, but what it stands for is a number: the API's document says so. Every integer is taken, so it
    // names no bounds.
    .meta({ description: `Rows to answer: 1 to ${most}; out of range is clamped.`, type: 'integer', default: fallback })

/** Opaque; one that does not decode answers the first page. */
export const cursor = z
  .string()
  .optional()
  .meta({ description: 'Opaque position from `next_cursor`. Text that is none answers the first page.' })

const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional()

/** A bound in time, inclusive. */
export const instant = z
  .string()
  .transform((text, context) => {
    const ms = parseInstant(text)
    if (ms !== null) return ms
    context.addIssue({ code: 'custom', message: 'must be epoch milliseconds or an RFC 3339 instant' })
    return z.NEVER
  })
  .optional()
  .meta({
    description: 'Epoch milliseconds or RFC 3339, inclusive.',
    anyOf: [{ pattern: EPOCH_MS.source }, { format: 'date-time' }],
  })

/** Which runs by cache use. */
const cachedRuns = z.enum(['exclude', 'only', 'all']).optional()

const text = z.string().optional()

/** A whole number; what is no integer is refused, and what is larger than any count is as good as the largest. */
const whole = (more: { readonly minimum?: number } = {}) =>
  z
    .string()
    .refine((given) => /^[+-]?\d+$/.test(given), 'must be an integer')
    .transform((given) => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(given))))
    .optional()
    .meta({ type: 'integer', ...more })

const NOT_NEGATIVE = { minimum: 0 } as const

/** A bound of a measure: a number as JSON writes it. */
const bound = (description: string) =>
  z
    .string()
    .refine(
      (text) => /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)),
      'must be a number',
    )
    .transform(Number)
    .optional()
    .meta({ description, type: 'number' })

/** Filters of the run list. */
export const RunListQuery = z.strictObject({
  project: text,
  suite: text,
  tag: text,
  branch: text,
  status: z.enum(['pass', 'fail', 'error']).optional(),
  since: instant,
  until: instant,
  cached: cachedRuns,
  origin: z.enum(['ci', 'local']).optional(),
  actor: text,
  limit: limit(50, 200),
  cursor,
})

/** The longest free text to look for: matching it costs its length times the text's. */
const MAX_FREE_TEXT = 2_000

const freeText = z
  .string()
  .refine((q) => [...q].length <= MAX_FREE_TEXT, `must be at most ${MAX_FREE_TEXT} characters`)
  .optional()
  .meta({ maxLength: MAX_FREE_TEXT })

/** Filters of a run's case list. */
export const CaseListQuery = z.strictObject({
  status: z.enum(['pass', 'fail', 'error', 'skip', 'xfail', 'xpass']).optional(),
  tag: text,
  q: freeText,
  provider: text,
  prompt: text,
  test: text,
  stop_reason: text,
  error_class: text,
  empty_reason: text,
  cached: flag,
  limit: limit(50, 200),
  cursor,
})

/** Filters of a part of a run's distribution: those of the case list, and bounds of what was measured. */
export const DistributionCasesQuery = CaseListQuery.extend({
  score_from: bound('Scores from this on.'),
  score_below: bound('Scores below this.'),
  latency_from: bound('Latencies from this on, in milliseconds.'),
  latency_below: bound('Latencies below this, in milliseconds.'),
})

export const MatrixQuery = z.strictObject({ limit: limit(100, 500), cursor })
export const HistoryQuery = z.strictObject({ limit: limit(20, 100) })
export const SearchQuery = z.strictObject({ q: z.string(), limit: limit(50, 200), cached: cachedRuns })

/** Which of the caches: the service's own, or the directory that it was told to show. */
const tier = z.enum(['server', 'local']).optional()

/** Filters and order of the list of cache entries. */
export const CacheListQuery = z.strictObject({
  kind: text.meta({ description: 'A kind; or `unindexed` or `unparseable`.' }),
  model: text,
  empty_reason: text,
  q: freeText,
  since: instant,
  until: instant,
  min_cost_microusd: whole(),
  max_cost_microusd: whole(),
  tier,
  sort: z.enum(CACHE_SORTS).optional(),
  order: z.enum(CACHE_ORDERS).optional(),
  limit: limit(50, 200),
  cursor,
})

export const CacheEntryQuery = z.strictObject({ raw: flag, tier })
export const RetentionQuery = z.strictObject({ dry_run: flag })
export const CacheFacetsQuery = z.strictObject({ tier })
export const CacheRunsQuery = z.strictObject({ limit: limit(50, 200), cursor })

/** What entries are taken by stands in the record, where no NUL can stand; no entry has one. */
const recorded = z
  .string()
  .refine((given) => !given.includes('\0'), 'must hold no NUL')
  .meta(NO_NUL)
  .optional()

/** Rules of a prune; of none the service's own limits are applied. */
export const CachePruneQuery = z.strictObject({
  older_than_days: whole(NOT_NEGATIVE),
  newer_than_days: whole(NOT_NEGATIVE),
  empty_reason: recorded.meta({ ...NO_NUL, description: 'One or more reasons, comma-separated.' }),
  model: recorded,
  kind: recorded,
  target_bytes: whole(NOT_NEGATIVE),
})
