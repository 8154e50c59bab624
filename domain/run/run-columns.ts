import { z } from 'zod'
import type { SearchText } from '../search/search-text.ts'
import { setKey } from '../sets.ts'
import { passInterval } from '../statistics/pairing.ts'
import type { Limits } from '../statistics/statistics.ts'
import { byCodePoint } from '../text/code-point-order.ts'
import { orNull, rate, rfc3339, usd } from '../wire.ts'
import { shownText, storedShape, type Column, type FactsOf } from './column.ts'
import { durationMs, HASH_VERSION, instantMs, type CaseStatus, type NormalRun } from './document.ts'
import { checkedTags, label, labelUnlessEmpty, micro } from './document-values.ts'

// Every column of a run, once. The rest is derived from here: the facts of a document, the row and its insert, the run list
// and the run detail with their schemas, the CSV, and the columns that a comparison of two runs reads. In the table, times
// are epoch milliseconds and money is whole micro-USD.

/** The version of the read model. Raise it if stored values change: the table is then written again from the log. */
export const RUNS_VERSION = 6

/** Maximum number of providers that an item of the list names. */
const MAX_LISTED_PROVIDERS = 10

/** What the facts of a run are taken from. */
export type RunSource = {
  readonly run: NormalRun
  readonly content_hash: string
  /** The cases without those that lists hide. */
  readonly cases: ReadonlyArray<{
    readonly case_key: string
    readonly provider_id: string
    readonly prompt_id: string | null
    readonly test_id: string
    readonly status: CaseStatus
    readonly asserts: readonly unknown[]
    readonly empty_reason: string | null
  }>
  /** The kinds of the assertions of all cases. */
  readonly labels: ReadonlySet<string>
}

/** `list` is the run list and the run detail. */
type Place = 'list' | 'list alone' | 'detail'

const count = z.number().int()
const text = z.string()
const limits = z.object({ lower: z.number(), upper: z.number() })

const instantColumn = <Name extends string>(column: Name) => ({
  type: text,
  value: (row: Readonly<Record<Name, number>>) => rfc3339(row[column]),
})
const usdOf = <Name extends string>(column: Name) => ({
  type: z.number().nullable(),
  reads: [column],
  value: (row: Readonly<Record<Name, number | null>>) => usd(row[column]),
})

export const runColumns = {
  id: { stored: text, from: ({ run }) => run.run_id, shown: 'list', csv: 'run_id' },
  project: { stored: text.nullable(), from: ({ run }) => run.project ?? null, shown: 'list', csv: 'project' },
  suite: { stored: text.nullable(), from: ({ run }) => run.suite ?? null, shown: 'list', csv: 'suite' },
  /** The end of the run. */
  created_at: {
    stored: count,
    from: ({ run }) => instantMs(run.finished_at),
    shown: 'list',
    as: instantColumn('created_at'),
    csv: 'created_at',
  },
  git_branch: { stored: text.nullable(), from: ({ run }) => run.git?.branch ?? null, shown: 'list', csv: 'branch' },
  git_commit: { stored: text.nullable(), from: ({ run }) => label(run.git?.commit), shown: 'list', csv: 'commit' },
  git_dirty: {
    stored: z.boolean().nullable(),
    from: ({ run }) => run.git?.dirty ?? null,
    shown: 'list',
    csv: 'uncommitted_changes',
  },
  case_count: { stored: count, from: ({ run }) => run.summary.total, shown: 'list', csv: 'cases', compared: 'total' },
  pass_count: { stored: count, from: ({ run }) => run.summary.passed, shown: 'list', csv: 'passed', compared: 'total' },
  fail_count: { stored: count, from: ({ run }) => run.summary.failed, shown: 'list', csv: 'failed' },
  error_count: { stored: count, from: ({ run }) => run.summary.errored, shown: 'list', csv: 'errors' },
  xfail_count: { stored: count, from: ({ run }) => run.summary.xfailed ?? 0, shown: 'list', csv: 'expected_failures' },
  xpass_count: { stored: count, from: ({ run }) => run.summary.xpassed ?? 0, shown: 'list', csv: 'unexpected_passes' },
  pass_rate: {
    shown: 'list alone',
    as: {
      type: z.number(),
      reads: ['pass_count', 'case_count'],
      value: (run: { readonly pass_count: number; readonly case_count: number }) =>
        rate(run.pass_count, run.case_count),
    },
    csv: {
      name: 'pass_rate',
      value: (run: { readonly pass_rate: number; readonly case_count: number }) =>
        run.case_count === 0 ? null : run.pass_rate,
    },
  },
  /** Null, and absent in responses, where no test has several trials, and in what earlier versions stored. */
  pass_interval: {
    stored: limits.nullable(),
    from: ({ cases }) => passInterval(cases),
    encode: (interval: Limits | null) => interval && JSON.stringify(interval),
    shown: 'list',
    as: {
      type: limits
        .meta({
          description:
            'The 95 % interval of the pass rate over tests, of a run whose tests have several trials. Without it, the interval is that of Wilson over cases.',
        })
        .optional(),
      value: ({ pass_interval }: { readonly pass_interval: Limits | null }) => pass_interval ?? undefined,
    },
  },
  prompt_tokens: {
    stored: count,
    from: ({ run }) => run.summary.prompt_tokens,
    shown: 'list',
    csv: 'input_tokens',
    compared: 'total',
  },
  completion_tokens: {
    stored: count,
    from: ({ run }) => run.summary.completion_tokens,
    shown: 'list',
    csv: 'output_tokens',
    compared: 'total',
  },
  cost_micro: {
    stored: count.nullable(),
    from: ({ run }) => micro(run.summary.cost_usd, 'summary.cost_usd'),
    compared: 'total',
  },
  cost_usd: { shown: 'list', as: usdOf('cost_micro'), csv: 'cost_usd' },
  grader_cost_micro: {
    stored: count.nullable(),
    from: ({ run }) => micro(run.summary.grader_cost_usd, 'summary.grader_cost_usd'),
  },
  cache_savings_micro: {
    stored: count.nullable(),
    from: ({ run }) => micro(run.summary.cache_savings_usd, 'summary.cache_savings_usd'),
  },
  duration_ms: {
    stored: count,
    from: ({ run }) => durationMs(run.started_at, run.finished_at),
    shown: 'list',
    // A duration of 0 was not measured.
    csv: { name: 'duration_ms', value: (run: { readonly duration_ms: number }) => run.duration_ms || null },
    compared: 'total',
  },
  cache_hits: {
    stored: count.nullable(),
    from: ({ run }) => run.summary.cache_hits,
    shown: 'list',
    csv: 'cache_hits',
  },
  cache_misses: {
    stored: count.nullable(),
    from: ({ run }) => run.summary.cache_misses,
    shown: 'list',
    csv: 'cache_misses',
  },
  /** Cases without an output. */
  empty_count: {
    stored: count.nullable(),
    from: ({ cases }) => cases.filter(({ empty_reason }) => empty_reason !== null).length,
    shown: 'list alone',
    as: {
      type: count.optional(),
      value: (run: { readonly empty_count: number | null }) => run.empty_count || undefined,
    },
  },
  /**
   * In the order in which the document first names them; a row of `run_providers` for each. An item that an earlier version
   * stored has none.
   */
  providers: {
    from: ({ cases }): readonly string[] =>
      [...new Set(cases.map(({ provider_id }) => provider_id))].filter((provider) => provider !== ''),
    shown: 'list alone',
    as: {
      type: z
        .array(text)
        .meta({ description: `The first ${MAX_LISTED_PROVIDERS} providers of its cases` })
        .optional(),
      value: ({ providers }: { readonly providers: readonly string[] }) => providers.slice(0, MAX_LISTED_PROVIDERS),
    },
    csv: {
      name: 'providers',
      value: ({ providers }: { readonly providers?: readonly string[] | undefined }) => providers?.join(' ') ?? null,
    },
  },
  provider_count: {
    shown: 'list alone',
    as: {
      type: count.optional(),
      value: ({ providers }: { readonly providers: readonly string[] }) => providers.length,
    },
    csv: 'provider_count',
  },
  actor: { stored: text.nullable(), from: ({ run }) => run.origin?.actor ?? null, shown: 'list', csv: 'actor' },
  host: { stored: text.nullable(), from: ({ run }) => label(run.origin?.host), shown: 'list' },
  /** The id of an account or a key. The API shows its label of today, which is read with each row. */
  uploaded_by: { stored: text.nullable(), shown: 'list', csv: 'uploaded_by' },
  ci_provider: { stored: text.nullable(), from: ({ run }) => run.ci?.provider ?? null, shown: 'list', csv: 'ci' },
  ci_run_url: { stored: text.nullable(), from: ({ run }) => label(run.ci?.run_url), shown: 'list', csv: 'ci_url' },
  note: { stored: text.nullable(), from: ({ run }) => runNote(run), shown: 'list', csv: 'note' },
  service_version: { stored: text.nullable(), from: ({ run }) => label(run.origin?.version), shown: 'list' },
  /** Each tag is also a row of `run_tags`. */
  tags: {
    stored: z.array(text),
    from: ({ run }): readonly string[] => [...new Set(checkedTags(run.filters.tags, 'filters.tags'))].sort(byCodePoint),
    encode: JSON.stringify,
    shown: 'list',
    csv: { name: 'tags', value: (run: { readonly tags: readonly string[] }) => run.tags.join(' ') },
  },
  /** Read with each row, as `uploaded_by` is: a document does not have it. */
  uploaded_at: {
    stored: count,
    shown: 'list',
    as: {
      type: text,
      value: ({ uploaded_at }: { readonly uploaded_at?: number }) =>
        uploaded_at === undefined ? undefined : rfc3339(uploaded_at),
    },
    csv: 'uploaded_at',
  },
  schema_version: { stored: count, from: ({ run }) => run.schema_version, shown: 'detail' },
  content_hash: { stored: text, from: ({ content_hash }) => content_hash, shown: 'detail' },
  config_digest: {
    stored: text.nullable(),
    from: ({ run }) => labelUnlessEmpty(run.config_digest),
    shown: 'detail',
    as: {
      type: text.nullable(),
      value: (run: { readonly config_digest: string | null }) => orNull(run.config_digest),
    },
    compared: 'configuration',
  },
  cache_read_tokens: {
    stored: count.nullable(),
    from: ({ run }) => run.summary.cache_read_tokens ?? 0,
    shown: 'detail',
  },
  cache_write_tokens: {
    stored: count.nullable(),
    from: ({ run }) => run.summary.cache_write_tokens ?? 0,
    shown: 'detail',
  },
  cache_savings_usd: { shown: 'detail', as: usdOf('cache_savings_micro') },
  grader_cost_usd: { shown: 'detail', as: usdOf('grader_cost_micro') },
  /** The kinds of the assertions, sorted. */
  assert_labels: {
    stored: z.array(text),
    from: ({ labels }): readonly string[] => [...labels].sort(),
    encode: JSON.stringify,
    shown: 'detail',
  },
  /** Cases without an output, by reason. */
  empty_counts: {
    stored: z.record(text, count).nullable(),
    from: ({ cases }) => emptyCounts(cases),
    encode: JSON.stringify,
    shown: 'detail',
    as: {
      type: z.record(text, count).optional(),
      value: ({ empty_counts }: { readonly empty_counts: Readonly<Record<string, number>> | null }) =>
        empty_counts && Object.keys(empty_counts).length > 0 ? empty_counts : undefined,
    },
  },
  /** Null in what earlier versions stored. */
  hidden_cases: {
    stored: count.nullable(),
    shown: 'detail',
    as: {
      type: count
        .meta({ description: 'The number of cases that no list shows, because they have the key of another case' })
        .optional(),
      value: (run: { readonly hidden_cases: number | null }) => run.hidden_cases || undefined,
    },
  },
  digests: {
    stored: z.object({
      prompts: text.nullable(),
      providers: text.nullable(),
      tests: text.nullable(),
      asserts: text.nullable(),
      grader: text.nullable(),
    }),
    from: ({ run: { digests } }) => ({
      prompts: labelUnlessEmpty(digests?.prompts),
      providers: labelUnlessEmpty(digests?.providers),
      tests: labelUnlessEmpty(digests?.tests),
      asserts: labelUnlessEmpty(digests?.asserts),
      grader: labelUnlessEmpty(digests?.grader),
    }),
    encode: JSON.stringify,
    compared: 'configuration',
  },
  run_no: { stored: count },
  set_key: {
    stored: text.nullable(),
    from: ({ run }) => setKey({ project: run.project ?? null, suite: run.suite ?? null }),
  },
  /** As the document says; it may be after the end. */
  started_at: { stored: count, from: ({ run }) => instantMs(run.started_at) },
  hash_version: { stored: count, from: () => HASH_VERSION },
  document_sha256: { stored: text },
  document_bytes: { stored: count },
  /** The cache answered every call. A run without calls is not fully cached. */
  fully_cached: {
    stored: z.boolean(),
    from: ({ run: { summary } }) => summary.cache_misses === 0 && summary.cache_hits > 0,
  },
  /** A case failed, or passed although it has a marker that it must fail. */
  failing: { stored: z.boolean(), from: ({ run: { summary } }) => summary.failed > 0 || (summary.xpassed ?? 0) > 0 },
  erroring: { stored: z.boolean(), from: ({ run }) => run.summary.errored > 0 },
  stored_cases: { stored: count, from: ({ cases }) => cases.length },
  largest_asserts: {
    stored: count,
    from: ({ cases }) => cases.reduce((largest, { asserts }) => Math.max(largest, asserts.length), 0),
  },
  /** The run as the list contains it, as JSON text without `uploaded_by`. */
  list_item: { stored: text },
  /** The configuration as JSON text, in the table `run_configs`. */
  config: { from: ({ run }) => JSON.stringify(run.config_snapshot) },
} satisfies Record<string, Column<RunSource, Place, 'total' | 'configuration'>>

/** A whole row of `runs`. */
export const RunRow = z.object(storedShape(runColumns))
export type RunRow = z.infer<typeof RunRow>

/** What the read tables store of a document, except its cases. */
export type RunFacts = FactsOf<typeof runColumns> & { readonly search: SearchText }

/**
 * A run as the run list contains it, as JSON text, without the label of its uploader: that may change, everything else
 * cannot. A projection stores the text, so that a list costs no more than reading it.
 */
export const runListItem: (run: RunFacts) => string = shownText(runColumns, ['list', 'list alone'])

/** The note of a run: its own, or else the description of its configuration; null if it is blank. */
const runNote = ({ origin, config_snapshot }: NormalRun): string | null => {
  // The configuration can be any JSON value. From null, a string or a number, `Object` makes an object without
  // `description`.
  const { description } = Object(config_snapshot) as { description?: unknown }
  const note = origin?.note ?? (typeof description === 'string' ? description : '')
  return note.trim() === '' ? null : label(note)
}

const emptyCounts = (cases: RunSource['cases']): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const { empty_reason } of cases)
    if (empty_reason !== null) counts.set(empty_reason, (counts.get(empty_reason) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
