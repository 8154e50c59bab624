import { hash } from 'node:crypto'
import { caseSearchText, runSearchText } from '../search/search-text.ts'
import { shownName } from '../lists/case-name.ts'
import { callLine, failureLine } from './case-outline.ts'
import { byCodePoint } from '../text/code-point-order.ts'
import {
  contentHasher,
  durationMs,
  firstCodePoints,
  HASH_VERSION,
  instantMs,
  openDocument,
  outputText,
  promptProse,
} from './document.ts'
import type { NormalCase, NormalRun } from './document.ts'
import type { CaseFacts, ContentHash, HiddenCase, RunFacts } from './facts.ts'
import { historyKey } from './history-key.ts'
import { InvalidDocument } from './invalid-document.ts'
import { matrixOf } from './matrix.ts'
import type { MatrixFacts } from './matrix.ts'
import { ownText } from '../text/own-text.ts'
import { MAX_USD, microUsd, storableText } from '../text/stored-values.ts'

/** Maximum length of an output in a list. */
const MAX_PREVIEW_CODE_POINTS = 300

/** Maximum length of any other free text in a list; the document contains the whole text. */
const MAX_LABEL_CODE_POINTS = 2_000

/** Maximum number of tags of a run or a case: each is a row of an index. */
const MAX_TAGS = 200

/** A run document prepared for the read tables: it contains everything that a projection needs. */
export type PreparedRun = {
  readonly run: RunFacts
  readonly cases: readonly CaseFacts[]
  readonly hidden: readonly HiddenCase[]
  readonly matrix: MatrixFacts
}

/**
 * Checks a whole run document and derives what the read tables store. Throws `InvalidDocument`. If several cases have
 * the same key, only the first is among `cases`; of the others, `hidden` has the places. For a document that is recorded
 * already, the caller passes its content hash, which saves a third of the work.
 */
export const prepareRun = (bytes: Uint8Array, recorded?: ContentHash): PreparedRun => {
  // A recorded document stays readable even if a limit was added later.
  const document = recorded ? openDocument(bytes, Number.POSITIVE_INFINITY) : openDocument(bytes)
  const { run } = document
  const hasher =
    recorded?.hash_version === HASH_VERSION
      ? { add: () => {}, digest: () => recorded.content_hash }
      : contentHasher(run)
  const cases: CaseFacts[] = []
  const hidden: HiddenCase[] = []
  const keys = new Map<string, number>()
  const labels = new Set<string>()
  const empty = new Map<string, number>()
  for (let n = 0; n < document.caseCount; n++) {
    const normal = document.caseAt(n)
    hasher.add(normal)
    for (const { kind } of normal.asserts) labels.add(kind)
    const span = document.caseSpan(n)
    const hidden_by = keys.get(normal.case_key)
    if (hidden_by !== undefined) {
      const { provider_id } = normal.cell
      hidden.push({ n, hidden_by, provider_id, document_offset: span.offset, document_length: span.length })
      continue
    }
    keys.set(normal.case_key, n)
    const facts = caseFacts(run, normal, n, span)
    if (facts.empty_reason !== null) empty.set(facts.empty_reason, (empty.get(facts.empty_reason) ?? 0) + 1)
    cases.push(facts)
  }
  return {
    run: runFacts(run, { content_hash: hasher.digest(), labels, empty }),
    cases,
    hidden,
    matrix: matrixOf(cases),
  }
}

const label = (text: string | undefined): string | null =>
  text === undefined ? null : beginningOf(text, MAX_LABEL_CODE_POINTS)
const line = (text: string | null): string | null => (text === null ? null : storableText(text))
const labelUnlessEmpty = (text: string | undefined): string | null => label(text || undefined)

/** The first code points of a text as stored. The facts of all cases are in memory at once, so they keep no whole text. */
const beginningOf = (text: string, codePoints: number): string => {
  const beginning = firstCodePoints(text, codePoints)
  return beginning === text ? storableText(text) : ownText(storableText(beginning))
}

/** Returns the tags of a run or a case. Throws `InvalidDocument` for more than `MAX_TAGS`. */
const checkedTags = (tags: readonly string[] | undefined, path: string): readonly string[] => {
  if (tags !== undefined && tags.length > MAX_TAGS)
    throw new InvalidDocument('invalid', `invalid run document: ${path}: at most ${MAX_TAGS} tags, got ${tags.length}`)
  return tags ?? []
}

/** Whole micro-USD. Throws `InvalidDocument` for an amount that would not be exact. */
const micro = (usd: number | undefined, path: string): number | null => {
  if (usd === undefined) return null
  if (Math.abs(usd) > MAX_USD)
    throw new InvalidDocument('invalid', `invalid run document: ${path}: must be at most ${MAX_USD} USD`)
  return microUsd(usd)
}

const caseFacts = (
  run: NormalRun,
  normal: NormalCase,
  n: number,
  { offset, length }: { offset: number; length: number },
): CaseFacts => {
  const output = outputText(normal.output)
  return {
    n,
    history_key: historyKey(run.project ?? null, run.suite ?? null, normal.case_key),
    case_key: normal.case_key,
    name: label(shownName(normal) ?? undefined),
    status: normal.status,
    score: normal.score,
    provider_id: normal.cell.provider_id,
    prompt_id: normal.cell.prompt_id || null,
    test_id: normal.cell.test_id,
    repeat: normal.cell.repeat,
    stop_reason: normal.stop_reason ?? null,
    error: labelUnlessEmpty(normal.error),
    error_class: normal.error_class ?? null,
    empty_reason: normal.empty_reason || null,
    answered_by_provider_id: normal.answered_by_provider_id ?? null,
    model: labelUnlessEmpty(normal.model),
    cached: normal.cached,
    cache_key: normal.cache_key ?? null,
    prompt_tokens: normal.usage?.input_tokens ?? null,
    completion_tokens: normal.usage?.output_tokens ?? null,
    cost_micro: micro(normal.cost_usd, `cases[${n}].cost_usd`),
    latency_ms: normal.latency_ms,
    output_hash: output === null ? null : hash('sha256', output, 'hex'),
    output_preview: output === null ? null : beginningOf(output, MAX_PREVIEW_CODE_POINTS),
    call_line: line(callLine(normal.tool_calls)),
    failure_line: normal.status === 'pass' ? null : line(failureLine(normal)),
    asserts: normal.asserts.map(({ kind, status, score }) => ({ label: kind, kind, passed: status === 'pass', score })),
    tags: checkedTags(normal.tags, `cases[${n}].tags`),
    prompt_digest: labelUnlessEmpty(normal.prompt_digest),
    provider_digest: labelUnlessEmpty(normal.provider_digest),
    assert_digest: labelUnlessEmpty(normal.assert_digest),
    document_offset: offset,
    document_length: length,
    search: caseSearchText({
      name: normal.name ?? '',
      tags: normal.tags ?? [],
      error: normal.error ?? '',
      reasons: normal.asserts.map(({ reason }) => reason),
      output: output ?? '',
      prompt: normal.prompt === undefined ? '' : promptProse(normal.prompt),
    }),
  }
}

type DerivedFromCases = {
  readonly content_hash: string
  readonly labels: ReadonlySet<string>
  readonly empty: ReadonlyMap<string, number>
}

const runFacts = (run: NormalRun, { content_hash, labels, empty }: DerivedFromCases): RunFacts => {
  const { summary, git, ci, origin } = run
  const facts = {
    id: run.run_id,
    project: run.project ?? null,
    suite: run.suite ?? null,
    created_at: instantMs(run.finished_at),
    started_at: instantMs(run.started_at),
    schema_version: run.schema_version,
    content_hash,
    hash_version: HASH_VERSION,
    config_digest: labelUnlessEmpty(run.config_digest),
    config: JSON.stringify(run.config_snapshot),
    git_branch: git?.branch ?? null,
    git_commit: label(git?.commit),
    git_dirty: git?.dirty ?? null,
    case_count: summary.total,
    pass_count: summary.passed,
    fail_count: summary.failed,
    error_count: summary.errored,
    xfail_count: summary.xfailed ?? 0,
    xpass_count: summary.xpassed ?? 0,
    prompt_tokens: summary.prompt_tokens,
    completion_tokens: summary.completion_tokens,
    cost_micro: micro(summary.cost_usd, 'summary.cost_usd'),
    grader_cost_micro: micro(summary.grader_cost_usd, 'summary.grader_cost_usd'),
    cache_savings_micro: micro(summary.cache_savings_usd, 'summary.cache_savings_usd'),
    duration_ms: durationMs(run.started_at, run.finished_at),
    cache_hits: summary.cache_hits,
    cache_misses: summary.cache_misses,
    cache_read_tokens: summary.cache_read_tokens ?? 0,
    cache_write_tokens: summary.cache_write_tokens ?? 0,
    empty_count: [...empty.values()].reduce((sum, n) => sum + n, 0),
    empty_counts: Object.fromEntries([...empty].sort(([a], [b]) => (a < b ? -1 : 1))),
    assert_labels: [...labels].sort(),
    actor: origin?.actor ?? null,
    host: label(origin?.host),
    ci_provider: ci?.provider ?? null,
    ci_run_url: label(ci?.run_url),
    note: noteOf(run),
    service_version: label(origin?.version),
    tags: [...new Set(checkedTags(run.filters.tags, 'filters.tags'))].sort(byCodePoint),
    digests: digestsOf(run),
  }
  return { ...facts, search: runSearchText(facts) }
}

/** The note of a run: its own, or else the description of its configuration; null if it is blank. */
const noteOf = ({ origin, config_snapshot }: NormalRun): string | null => {
  // The configuration can be any JSON value. From null, a string or a number, `Object` makes an object without
  // `description`.
  const { description } = Object(config_snapshot) as { description?: unknown }
  const note = origin?.note ?? (typeof description === 'string' ? description : '')
  return note.trim() === '' ? null : label(note)
}

const digestsOf = ({ digests }: NormalRun): RunFacts['digests'] => ({
  prompts: labelUnlessEmpty(digests?.prompts),
  providers: labelUnlessEmpty(digests?.providers),
  tests: labelUnlessEmpty(digests?.tests),
  asserts: labelUnlessEmpty(digests?.asserts),
  grader: labelUnlessEmpty(digests?.grader),
})
