import { z } from 'zod'
import { BADGE_METRICS, MAX_LABEL } from '../../domain/badge.ts'
import { CACHE_ORDERS, CACHE_SORTS } from '../../domain/cache/listing.ts'
import { EPOCH_MS, parseInstant } from '../../domain/instants.ts'
import { IDENTITY_BYTES } from '../../domain/run/readers.ts'
import { MATRIX_VALUES } from '../../domain/run/matrix-values.ts'
import { KEY_SORTS, KEY_STATE_FILTERS } from '../../queries/access/all-keys.ts'
import { SCOPES } from '../../queries/access/viewer.ts'
import { GRID_FOLDS, GRID_ORDERS } from '../../queries/cases/grid.ts'
import { MAX_NUMBERED_ROWS } from '../../queries/cases/matrix.ts'
import { MATRIX_SORTS } from '../../domain/lists/matrix-order.ts'
import { CASE_SORTS } from '../../domain/lists/case-order.ts'
import { RUN_SORTS } from '../../queries/runs/sorted-runs.ts'
import { ORDERS } from '../../queries/sort-order.ts'
import type { Direction } from '../../queries/sort-order.ts'

// Query parameters on the wire: all are text. Strict objects reject unknown and repeated ones.

/**
 * Standard form decoding: `+` and `%20` are spaces, bytes that are not UTF-8 become U+FFFD. A parameter given twice
 * becomes a list of its values, which only the schema of a parameter that may be repeated accepts.
 */
export const parseQuery = (query: string): Record<string, unknown> => {
  // No prototype, so that `__proto__` is an ordinary name.
  const parameters = Object.create(null) as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(query))
    parameters[name] = name in parameters ? [parameters[name], value].flat() : value
  return parameters
}

/** An endpoint that takes no parameters. */
export const NoParameters = z.strictObject({})

/** For the API's document: text that is stored in the log contains no NUL. */
export const NO_NUL = { pattern: String.raw`^[^\u0000]*$` } as const

/**
 * For the API's document: a name that a run can have. The document's limit is in characters, while the service counts
 * bytes of UTF-8. A path part of `.` or `..` never arrives, since clients resolve it.
 */
export const NAME = { minLength: 1, maxLength: IDENTITY_BYTES, pattern: String.raw`^(?!\.{1,2}$)[^\u0000]+$` } as const

/**
 * A path part that names an object. `NAME` is only documented, not checked: a text that does not match it was never
 * stored as a name, so it finds nothing.
 */
export const nameParameter = z.string().meta(NAME)

/**
 * For the API's document: the value of a parameter that is left out. The schema library drops `default` from a schema
 * that transforms its input, so it has another name until the document is complete.
 */
export const fallbackOf = (value: string | number) => ({ 'x-default': value })

/** An integer. Values out of range are clamped; only text that is no integer is rejected. */
export const limit = (fallback: number, max: number) =>
  z
    .string()
    .refine((text) => /^[+-]?\d+$/.test(text), 'must be an integer')
    .transform((text) => Math.min(max, Math.max(1, Number(text))))
    .optional()
    .transform((value) => value ?? fallback)
    // Parameters are text, but this one means a number: the API's document says so. It names no bounds, since every
    // integer is accepted.
    .meta({
      description: `Maximum number of rows, from 1 to ${max}. A value out of range is clamped.`,
      type: 'integer',
      'x-maximum': max,
      ...fallbackOf(fallback),
    })

/** Opaque; a cursor that does not decode returns the first page. */
export const cursor = z
  .string()
  .optional()
  .meta({ description: 'Opaque position from `next_cursor`. With any other text, the response is the first page.' })

export const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional()
  // Parameters are text, but this one means a truth value: the API's document says so.
  .meta({ type: 'boolean', enum: undefined })

/** An inclusive bound in time. */
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
    anyOf: [
      { type: 'string', pattern: EPOCH_MS.source },
      { type: 'string', format: 'date-time' },
    ],
  })

/** Selects runs by their use of the cache. */
const cachedRuns = z.enum(['exclude', 'only', 'all']).optional()

const text = z.string().optional()

/** An integer. Text that is no integer is rejected; values beyond the safe range are clamped. */
const whole = (more: { readonly minimum?: number } = {}) =>
  z
    .string()
    .refine((given) => /^[+-]?\d+$/.test(given), 'must be an integer')
    .transform((given) => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(given))))
    .optional()
    .meta({ type: 'integer', ...more })

const NOT_NEGATIVE = { minimum: 0 } as const

/** A bound of a measure: a number in the syntax of JSON. */
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

/** Filters and order of the run list. */
const RunFiltersQuery = z.strictObject({
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
})

/** An order. Rows without the value are last in both directions, and rows with the same value keep the default order. */
const sorted = <const Sort extends string>(sorts: readonly [Sort, ...Sort[]], first: Direction) => ({
  sort: z.enum(sorts).default(sorts[0]),
  order: z.enum(ORDERS).default(first),
})
const runOrder = sorted(RUN_SORTS, 'desc')
const caseOrder = sorted(CASE_SORTS, 'asc')

export const RunListQuery = RunFiltersQuery.extend({ ...runOrder, limit: limit(50, 200), cursor })
/** Parameters of an upload. */
export const UploadQuery = z.strictObject({
  plan: text.meta({
    description:
      'Id of the plan that the run follows. Without it, the run follows the newest plan of its suite with the same `config_digest`.',
  }),
})
export const PlanListQuery = z.strictObject({ project: text, suite: text, limit: limit(50, 200), cursor })

/** `bom` of a CSV file. Off by default: parsers of programs would read the mark as part of the name of the first column. */
const byteOrderMark = (of: string) =>
  flag.meta({
    default: 'false',
    description: `${of}\`true\` begins the file with a byte order mark, which some spreadsheets need to read UTF-8.`,
  })
export const RunsCsvQuery = RunFiltersQuery.extend({ ...runOrder, bom: byteOrderMark('') })

/** Maximum length of a free-text filter: matching costs its length times that of the text. */
const MAX_FREE_TEXT = 2_000

const freeText = z
  .string()
  .refine((q) => [...q].length <= MAX_FREE_TEXT, `must be at most ${MAX_FREE_TEXT} characters`)
  .optional()
  .meta({ maxLength: MAX_FREE_TEXT })

/** Filters of a run's case list. */
const CaseFiltersQuery = z.strictObject({
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
})

/** Filters for a part of a run's distribution: those of the case list, and bounds of the measures. */
const DistributionFiltersQuery = CaseFiltersQuery.extend({
  score_from: bound('Scores from this on.'),
  score_below: bound('Scores below this.'),
  latency_from: bound('Latencies from this on, in milliseconds.'),
  latency_below: bound('Latencies below this, in milliseconds.'),
})

const casePage = { ...caseOrder, limit: limit(50, 200), cursor }
export const CaseListQuery = CaseFiltersQuery.extend(casePage)
export const DistributionCasesQuery = DistributionFiltersQuery.extend(casePage)
export const CaseRowsQuery = DistributionFiltersQuery.extend({
  ...caseOrder,
  limit: limit(200, 200),
  offset: whole(NOT_NEGATIVE)
    .refine((given) => given === undefined || given >= 0, 'must be 0 or more')
    .meta({ type: 'integer', minimum: 0, description: 'Place of the first row.' }),
  around: text.meta({
    description:
      'Key of a case: the page that has it. If the run does not have it, or the filters leave it out, the page at `offset` with `place` null.',
  }),
})
/** Options of an export in another format. */
export const ExportQuery = z.strictObject({
  bom: byteOrderMark('CSV alone: '),
  raw: flag.meta({
    default: 'false',
    description:
      'CSV alone: `true` leaves fields as they are. Otherwise a field that begins with `=`, `+`, `-`, `@`, a tab, a line break or an apostrophe gets an apostrophe in front.',
  }),
})

export const CasesCsvQuery = DistributionFiltersQuery.extend({ ...caseOrder, bom: byteOrderMark('') })
/** Which changes a stream of events reports, and from where it resumes. */
export const EventStreamQuery = z.strictObject({
  project: text,
  suite: text,
  after: text.meta({
    description: 'The id of the last message that was received. The header `Last-Event-ID` takes precedence.',
  }),
})

export const MatrixQuery = z.strictObject({ limit: limit(100, 500), cursor })
export const MatrixRowsQuery = z.strictObject({
  value: z.enum(MATRIX_VALUES).default('score').meta({ description: 'The number in the cells.' }),
  sort: z
    .enum(MATRIX_SORTS)
    .default('document')
    .meta({ description: 'The order of the rows: by the mean or the spread of `value`, or by name.' }),
  only: z.enum(['disagree']).optional().meta({ description: '`disagree`: rows whose columns differ in what passed.' }),
  limit: limit(100, MAX_NUMBERED_ROWS),
  cursor,
})
export const HistoryQuery = z.strictObject({ limit: limit(20, 100) })
export const TimelineQuery = z.strictObject({ limit: limit(50, 200), cursor })

/** Filters and order of a suite's grid. */
export const GridQuery = z.strictObject({
  runs: limit(50, 200).meta({
    description: 'Maximum number of runs, from 1 to 200. A value out of range is clamped.',
    type: 'integer',
    'x-maximum': 200,
    ...fallbackOf(50),
  }),
  branch: text,
  order: z.enum(GRID_ORDERS).optional(),
  q: freeText.meta({
    maxLength: MAX_FREE_TEXT,
    description: 'A part of a name, or of the id of a test, provider, prompt or case.',
  }),
  fold: z.enum(GRID_FOLDS).optional().meta({
    description:
      'One row for all trials of a case, or for all cases of a test, whatever their provider; `~` where they disagree. `auto`: by test where the runs share tests but no cases.',
  }),
  limit: limit(200, 500),
  cursor,
})

export const BadgeQuery = z.strictObject({
  branch: text.meta({ description: 'Only runs of this branch.' }),
  metric: z
    .enum(BADGE_METRICS)
    .optional()
    .transform((given) => given ?? 'pass-rate')
    .meta({ ...fallbackOf('pass-rate'), description: '`status`: whether any case failed or ended with an error.' }),
  label: z
    .string()
    .refine((given) => [...given].length <= MAX_LABEL, `must have at most ${MAX_LABEL} characters`)
    .optional()
    .meta({ maxLength: MAX_LABEL, description: 'The text on the left; without it, the name of the suite.' }),
  key: text.meta({ description: 'A key of the suite, from `POST …/badge`: with it, no other credential is needed.' }),
})

/** A text that may be given several times. */
export const repeated = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat())
    .optional()
    .meta({ description })

export const OverviewQuery = z.strictObject({
  project: repeated('Only suites of this project. Give it several times for several projects.'),
  attention: flag.meta({ description: 'Only suites that need attention.' }),
  limit: limit(100, 500),
  cursor,
})

const MAX_WINDOW = 100

export const FlakinessQuery = z.strictObject({
  window: z
    .string()
    .refine(
      (given) => /^\d{1,3}$/.test(given) && Number(given) >= 2 && Number(given) <= MAX_WINDOW,
      `must be an integer from 2 to ${MAX_WINDOW}`,
    )
    .transform(Number)
    .optional()
    .transform((value) => value ?? 20)
    .meta({
      description: 'Number of newest like runs.',
      type: 'integer',
      minimum: 2,
      maximum: MAX_WINDOW,
      ...fallbackOf(20),
    }),
  branch: text,
})

export const SearchQuery = z.strictObject({ q: z.string(), limit: limit(50, 200), cached: cachedRuns })

/** Filters of the list of restrictions and grants. */
export const AccessQuery = z.strictObject({
  project: text,
  user_id: text.meta({ description: 'Only scopes at which this account has a grant.' }),
  open: flag.meta({ description: 'Whether to list suites without a restriction and without grants too.' }),
  limit: limit(50, 200),
  cursor,
})

export const AccountsQuery = z.strictObject({
  name: z.string().meta({ description: 'The beginning of a name, in any case. An empty one finds no account.' }),
})

/** Filters and order of the keys of all accounts. */
export const AllKeysQuery = z.strictObject({
  q: freeText.meta({
    maxLength: MAX_FREE_TEXT,
    description:
      "A part of the key's name or prefix, or of the account's name. The case of ASCII letters does not matter.",
  }),
  user_id: text,
  scope: z.enum(SCOPES).optional().meta({ description: 'Only keys of this scope.' }),
  state: z.enum(KEY_STATE_FILTERS).optional().meta({ description: 'Only keys in this state.' }),
  unused_since: instant.meta({
    description: 'Keys that were neither made nor used since then. Epoch milliseconds or RFC 3339, exclusive.',
    anyOf: [
      { type: 'string', pattern: EPOCH_MS.source },
      { type: 'string', format: 'date-time' },
    ],
  }),
  ...sorted(KEY_SORTS, 'desc'),
  limit: limit(50, 200),
  cursor,
})

export const RunSearchQuery = z.strictObject({
  q: z.string(),
  project: text,
  suite: text,
  limit: limit(20, 50),
  cursor,
})

export const CaseSearchQuery = z.strictObject({
  q: z.string(),
  project: text,
  suite: text,
  status: z.enum(['pass', 'fail', 'error', 'skip', 'xfail', 'xpass']).optional(),
  limit: limit(20, 50),
  cursor,
})

/** Which cache: the service's own, or the configured local directory. */
const tier = z
  .enum(['server', 'local'])
  .optional()
  .meta({ description: 'The cache of the service, or its local directory.' })

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

export const CacheEntryQuery = z.strictObject({
  raw: flag.meta({ description: 'Whether the stored text is returned too.' }),
  tier,
})
export const RetentionQuery = z.strictObject({ dry_run: flag })
export const CacheFacetsQuery = z.strictObject({ tier })
export const CacheRunsQuery = z.strictObject({ limit: limit(50, 200), cursor })

/**
 * A rule of a prune. It is stored in the log, whose text cannot contain NUL. No indexed value of a cache entry contains
 * NUL either, so a rule with NUL could not select anything.
 */
const recorded = z
  .string()
  .refine((given) => !given.includes('\0'), 'must hold no NUL')
  .meta(NO_NUL)
  .optional()

/** Rules of a prune; without any, the service's own limits apply. */
export const CachePruneQuery = z.strictObject({
  older_than_days: whole(NOT_NEGATIVE),
  newer_than_days: whole(NOT_NEGATIVE),
  empty_reason: recorded.meta({ ...NO_NUL, description: 'One or more reasons, comma-separated.' }),
  model: recorded.meta({ ...NO_NUL, description: 'Entries of this model.' }),
  kind: recorded.meta({ ...NO_NUL, description: 'Entries of this kind.' }),
  target_bytes: whole(NOT_NEGATIVE),
})
