import { hash } from 'node:crypto'
import { caseSearchText, runSearchText } from '../search/search-text.ts'
import { shownName } from '../lists/case-name.ts'
import { storableText } from '../text/stored-values.ts'
import { callLine, failureLine } from './case-outline.ts'
import { factsFrom } from './column.ts'
import { contentHasher, HASH_VERSION, openDocument, outputText, promptProse } from './document.ts'
import type { NormalCase, NormalRun } from './document.ts'
import { beginningOf, checkedTags, label, labelUnlessEmpty, micro } from './document-values.ts'
import type { CaseFacts, ContentHash, HiddenCase } from './facts.ts'
import { historyKey } from './history-key.ts'
import { matrixOf } from './matrix.ts'
import type { MatrixFacts } from './matrix.ts'
import { runColumns } from './run-columns.ts'
import type { RunFacts, RunSource } from './run-columns.ts'

/** Maximum length of an output in a list. */
const MAX_PREVIEW_CODE_POINTS = 300

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
    cases.push(caseFacts(run, normal, n, span))
  }
  const facts = runFacts({ run, content_hash: hasher.digest(), cases, labels })
  return {
    run: { ...facts, search: runSearchText(facts) },
    cases,
    hidden,
    matrix: matrixOf(cases),
  }
}

const runFacts = factsFrom<RunSource, typeof runColumns>(runColumns)

const line = (text: string | null): string | null => (text === null ? null : storableText(text))

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
