import { hash } from 'node:crypto'
import { z } from 'zod'
import { shownName } from '../lists/case-name.ts'
import { casePartWords, caseSearchText, type SearchText } from '../search/search-text.ts'
import { storableText } from '../text/stored-values.ts'
import { usd } from '../wire.ts'
import { caseFields } from './case-fields.ts'
import { callLine, failureLine } from './case-outline.ts'
import { storedShape, type Column, type FactsOf } from './column.ts'
import { CASE_STATUSES, promptProse, type NormalCase, type NormalRun, type Span } from './document.ts'
import { checkedTags, label, labelUnlessEmpty, micro, storedBeginning } from './document-values.ts'
import { historyKey } from './history-key.ts'
import { tagText } from './tags.ts'

// Every column of a case, once. The rest is derived from here: the facts of a document, the row and its insert, the case list
// with its schema, the CSV, and the columns that a comparison of two runs reads. In the table, times are epoch milliseconds
// and money is whole micro-USD. Text has no NUL and no lone surrogate: not every database can store them.

/** The version of the read model. Raise it if stored values change: the table is then written again from the log. */
export const CASES_VERSION = 5

/** What the facts of a case are taken from. */
export type CaseSource = {
  readonly run: NormalRun
  readonly item: NormalCase
  /** The number of the case in its document. */
  readonly n: number
  readonly span: Span
  /** The output as text. */
  readonly output: string | null
}

/** `list` is every list of cases, `rows` only the one that is read by place. */
type Place = 'list' | 'rows'

/** Maximum length of an output in a list. */
const MAX_PREVIEW_CODE_POINTS = 300

const count = z.number().int()
const text = z.string()

const line = (of: string | null): string | null => (of === null ? null : storableText(of))

export const caseColumns = {
  case_key: { stored: text, from: ({ item }) => item.case_key, shown: 'list', csv: 'case_key', compared: 'identity' },
  idx: { shown: 'list', as: { type: count, reads: ['n'], value: ({ n }: { readonly n: number }) => n } },
  name: {
    stored: text.nullable(),
    from: ({ item }) => label(shownName(item) ?? undefined),
    shown: 'list',
    csv: 'name',
    compared: 'identity',
  },
  status: {
    stored: z.enum(CASE_STATUSES),
    from: ({ item }) => item.status,
    shown: 'list',
    csv: 'status',
    compared: 'outcome',
  },
  output_preview: {
    stored: text.nullable(),
    from: ({ output }) => (output === null ? null : storedBeginning(output, MAX_PREVIEW_CODE_POINTS)),
    shown: 'list',
    csv: 'output_preview',
  },
  asserts: {
    stored: z.array(z.object({ label: text, kind: text, passed: z.boolean(), score: z.number() })),
    from: ({ item }) =>
      item.asserts.map(({ kind, status, score }) => ({ label: kind, kind, passed: status === 'pass', score })),
    encode: JSON.stringify,
    shown: 'list',
    csv: { name: 'failed_assertions', value: ({ asserts }: { readonly asserts: string }) => failedAssertions(asserts) },
    compared: 'outcome',
  },
  prompt_tokens: {
    stored: count.nullable(),
    from: ({ item }) => item.usage?.input_tokens ?? null,
    shown: 'list',
    csv: 'input_tokens',
  },
  completion_tokens: {
    stored: count.nullable(),
    from: ({ item }) => item.usage?.output_tokens ?? null,
    shown: 'list',
    csv: 'output_tokens',
  },
  cost_micro: { stored: count.nullable(), from: ({ item, n }) => micro(item.cost_usd, `cases[${n}].cost_usd`) },
  cost_usd: {
    shown: 'list',
    as: {
      type: z.number().nullable(),
      reads: ['cost_micro'],
      value: (row: { readonly cost_micro: number | null }) => usd(row.cost_micro),
    },
    csv: 'cost_usd',
  },
  latency_ms: {
    stored: count.nullable(),
    from: ({ item }) => item.latency_ms,
    shown: 'list',
    // A latency of 0 was not measured.
    csv: { name: 'latency_ms', value: (row: { readonly latency_ms: number | null }) => row.latency_ms || null },
  },
  provider_id: { stored: text.nullable(), from: ({ item }) => item.cell.provider_id, shown: 'list', csv: 'provider' },
  prompt_id: { stored: text.nullable(), from: ({ item }) => item.cell.prompt_id || null, shown: 'list', csv: 'prompt' },
  test_id: { stored: text.nullable(), from: ({ item }) => item.cell.test_id, shown: 'list', csv: 'test' },
  repeat: { stored: count.nullable(), from: ({ item }) => item.cell.repeat, shown: 'list', csv: 'repeat' },
  score: {
    stored: z.number().nullable(),
    from: ({ item }) => item.score,
    shown: 'list',
    csv: 'score',
    compared: 'outcome',
  },
  stop_reason: {
    stored: text.nullable(),
    from: ({ item }) => item.stop_reason ?? null,
    shown: 'list',
    csv: 'stop_reason',
  },
  cached: { stored: z.boolean().nullable(), from: ({ item }) => item.cached, shown: 'list' },
  error: { stored: text.nullable(), from: ({ item }) => labelUnlessEmpty(item.error), shown: 'list', csv: 'error' },
  error_class: {
    stored: text.nullable(),
    from: ({ item }) => item.error_class ?? null,
    shown: 'list',
    csv: 'error_class',
  },
  empty_reason: {
    stored: text.nullable(),
    from: ({ item }) => item.empty_reason || null,
    shown: 'list',
    as: {
      type: text.optional(),
      value: (row: { readonly empty_reason: string | null }) => row.empty_reason ?? undefined,
    },
  },
  /** Shown if it is another than the provider that was asked. */
  answered_by_provider_id: {
    stored: text.nullable(),
    from: ({ item }) => item.answered_by_provider_id ?? null,
    shown: 'list',
    as: {
      type: text.optional(),
      value: (row: { readonly answered_by_provider_id: string | null; readonly provider_id: string | null }) =>
        row.answered_by_provider_id === row.provider_id ? undefined : (row.answered_by_provider_id ?? undefined),
    },
  },
  call_line: { stored: text.nullable(), from: ({ item }) => line(callLine(item.tool_calls)) },
  /** The first tool call, as `book_flight(from: "NYC")`, and the number of further ones. */
  call: {
    shown: 'rows',
    as: {
      type: text.nullable(),
      reads: ['call_line'],
      value: (row: { readonly call_line: string | null }) => row.call_line,
    },
  },
  failure_line: {
    stored: text.nullable(),
    from: ({ item }) => (item.status === 'pass' ? null : line(failureLine(item))),
  },
  /** The first sentence of why the case failed. */
  reason: {
    shown: 'rows',
    as: {
      type: text.nullable(),
      reads: ['failure_line'],
      value: (row: { readonly failure_line: string | null }) => row.failure_line,
    },
  },
  run_no: { stored: count },
  n: { stored: count, from: ({ n }) => n },
  /** The key of the case in the runs of its suite. */
  history_key: {
    stored: count,
    from: ({ run, item }) => historyKey(run.project ?? null, run.suite ?? null, item.case_key),
  },
  /** That of the run. */
  created_at: { stored: count },
  /** The model that the provider reported. */
  model: { stored: text.nullable(), from: ({ item }) => labelUnlessEmpty(item.model) },
  cache_key: { stored: text.nullable(), from: ({ item }) => item.cache_key ?? null },
  /** SHA-256 of the output as text: hex in the facts, bytes in the table. */
  output_hash: {
    stored: z.instanceof(Buffer).nullable(),
    from: ({ output }) => (output === null ? null : hash('sha256', output, 'hex')),
    encode: (hex: string | null) => (hex === null ? null : Buffer.from(hex, 'hex')),
    compared: 'outcome',
  },
  tags: {
    stored: text.nullable(),
    from: ({ item, n }) => checkedTags(item.tags, `cases[${n}].tags`),
    encode: tagText,
  },
  prompt_digest: {
    stored: text.nullable(),
    from: ({ item }) => labelUnlessEmpty(item.prompt_digest),
    compared: 'cause',
  },
  provider_digest: {
    stored: text.nullable(),
    from: ({ item }) => labelUnlessEmpty(item.provider_digest),
    compared: 'cause',
  },
  assert_digest: {
    stored: text.nullable(),
    from: ({ item }) => labelUnlessEmpty(item.assert_digest),
    compared: 'cause',
  },
  document_offset: { stored: count, from: ({ span }) => span.offset },
  document_length: { stored: count, from: ({ span }) => span.length },
  /** Variables and assertions by name, as JSON text; null for none, and in what earlier versions stored. */
  fields: {
    stored: text.nullable(),
    from: ({ item }) => {
      const fields = JSON.stringify(caseFields(item))
      return fields === '{}' ? null : fields
    },
  },
  /** In the search index. */
  search: {
    from: ({ item, output }): SearchText => {
      const texts = {
        name: item.name ?? '',
        tags: item.tags ?? [],
        error: item.error ?? '',
        reasons: item.asserts.map(({ reason }) => reason),
        output: output ?? '',
        prompt: item.prompt === undefined ? '' : promptProse(item.prompt),
      }
      return { ...caseSearchText(texts), parts: casePartWords([item.case_key, item.cell.test_id], texts) }
    },
  },
} satisfies Record<string, Column<CaseSource, Place, 'identity' | 'outcome' | 'cause'>>

/** A whole row of `cases`. */
export const CaseRow = z.object(storedShape(caseColumns))
export type CaseRow = z.infer<typeof CaseRow>

/** What the read tables store of a case. */
export type CaseFacts = FactsOf<typeof caseColumns>

const failedAssertions = (asserts: string): string =>
  (JSON.parse(asserts) as ReadonlyArray<{ readonly label: string; readonly passed: boolean }>)
    .filter(({ passed }) => !passed)
    .map(({ label: name }) => name)
    .join('; ')
