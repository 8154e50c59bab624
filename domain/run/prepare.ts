import { judgeSlots, type JudgeSlot } from '../review/judged-cases.ts'
import { runPartWords, runSearchText } from '../search/search-text.ts'
import { caseColumns, type CaseFacts, type CaseSource } from './case-columns.ts'
import { factsFrom } from './column.ts'
import { contentHasher, HASH_VERSION, openDocument, outputText } from './document.ts'
import { matrixOf, type MatrixFacts } from './matrix.ts'
import { runColumns, type RunFacts, type RunSource } from './run-columns.ts'

/**
 * A case that has the key of an earlier case of the document, whose number is in `hidden_by`: lists show the earlier one alone.
 */
export type HiddenCase = {
  readonly n: number
  readonly hidden_by: number
  readonly provider_id: string
  readonly document_offset: number
  readonly document_length: number
}

/** The recorded hash of a document's content. */
export type ContentHash = { readonly content_hash: string; readonly hash_version: number }

/** A run document prepared for the read tables: it contains everything that a projection needs. */
export type PreparedRun = {
  readonly run: RunFacts
  readonly cases: readonly CaseFacts[]
  readonly hidden: readonly HiddenCase[]
  readonly matrix: MatrixFacts
  readonly judges: readonly JudgeSlot[]
  /** The digest of the manifest of evidence that the document names. Absent if it names none. */
  readonly evidence_manifest?: string
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
  const judges = judgeSlots(run.config_snapshot)
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
    judges.add(n, normal.asserts)
    cases.push(caseFacts({ run, item: normal, n, span, output: outputText(normal.output) }))
  }
  const facts = runFacts({ run, content_hash: hasher.digest(), cases, labels })
  return {
    run: { ...facts, search: { ...runSearchText(facts), parts: runPartWords(facts.id, facts) } },
    cases,
    hidden,
    matrix: matrixOf(cases),
    judges: judges.slots(),
    ...(document.evidenceManifest !== null && { evidence_manifest: document.evidenceManifest }),
  }
}

const runFacts = factsFrom<RunSource, typeof runColumns>(runColumns)

const caseFacts = factsFrom<CaseSource, typeof caseColumns>(caseColumns)
