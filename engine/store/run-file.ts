import { gunzipSync } from 'node:zlib'
import { openDocument, type NormalCase } from '../../domain/run/document.ts'
import type { RunDocument } from '../runner/run-document.ts'

/** Maximum size of a run document after decompression. A gzipped file must not fill the memory. */
const MAX_BYTES = 512 * 1024 * 1024

const names = (text: string): readonly string[] => text.split(' ')

/** Members in the order in which documents are written: what people read first comes first. Others come after them. */
const ORDER = {
  run: names(
    'schema_version run_id project suite started_at finished_at config_digest config_snapshot git ci origin digests share_url evidence_manifest filters',
  ),
  summary: names(
    'total passed failed errored skipped xfailed xpassed prompt_tokens completion_tokens cost_usd cache_hits cache_misses retried_cases cache_read_tokens cache_write_tokens cache_savings_usd grader_cost_usd empty_counts fallback_cases',
  ),
  case: names(
    'cell case_key name tags vars status score output prompt request stop_reason model tool_calls raw asserts usage cost_usd latency_ms wall_ms cached cache_key attempts prompt_digest provider_digest assert_digest error error_details error_class reasoning empty_reason answered_by_provider_id fallback_attempts expect_fail_reason',
  ),
  cell: names('provider_id prompt_id test_id repeat'),
  assertion: names('kind status score weight reason details criteria cached cost_usd'),
  usage: names('input_tokens output_tokens cache_read_tokens cache_write_tokens cache_write_1h_tokens'),
}

/**
 * Reads a run document, gzipped or not, of any version that the service accepts. Unknown members are
 * dropped and defaults filled in. Throws `InvalidDocument` for anything that the service rejects, and the error of zlib
 * for a damaged gzip file.
 */
export const parseRun = (bytes: Uint8Array): RunDocument => {
  const isGzipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const document = openDocument(isGzipped ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes)
  const cases = Array.from({ length: document.caseCount }, (_, index) => caseInOrder(document.caseAt(index)))
  const { summary, ...run } = withManifest(document)
  // The type is that of a document of this engine: it has schema version 3, and each assertion its criteria. A document
  // of another source may have version 2, and no criteria.
  return { ...inOrder(run, ORDER.run), cases, summary: inOrder(summary, ORDER.summary) } as unknown as RunDocument
}

/** Reads a run without its cases. They are checked to be JSON only. Throws like `parseRun`. */
export const parseRunHead = (bytes: Uint8Array): RunHead => withManifest(openDocument(bytes)) as unknown as RunHead

/** The run of a document, with the digest of its manifest, which is no member of what readers compare. */
const withManifest = ({ run, evidenceManifest }: ReturnType<typeof openDocument>) => ({
  ...run,
  ...(evidenceManifest !== null && { evidence_manifest: evidenceManifest }),
})

/** A run without its cases. */
export type RunHead = Omit<RunDocument, 'cases'>

const caseInOrder = (item: NormalCase): NormalCase =>
  inOrder(
    {
      ...item,
      cell: inOrder(item.cell, ORDER.cell),
      asserts: item.asserts.map((result) => inOrder(result, ORDER.assertion)),
      ...(item.usage === undefined ? {} : { usage: inOrder(item.usage, ORDER.usage) }),
    },
    ORDER.case,
  )

/** The same members, those of `order` first, and without those that are undefined. */
export const inOrder = <T extends object>(value: T, order: readonly string[]): T => {
  const ordered: Record<string, unknown> = {}
  for (const name of new Set([...order, ...Object.keys(value)])) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined) ordered[name] = member
  }
  return ordered as T
}

/** Pieces of a document are about as long, so that a file takes few writes. */
const CHUNK_CHARACTERS = 64 * 1024

/**
 * A run document as it is stored: pretty printed, with a line break at its end. In pieces, because the whole text of
 * thousands of cases would be larger than the cases.
 */
export function* runChunks(run: RunDocument): Generator<string> {
  const frame = `${JSON.stringify({ ...run, cases: [] }, null, 2)}\n`
  // Inside strings line breaks are escaped, and inside values the indent is larger: this is the member of the document.
  const member = '\n  "cases": []'
  const at = frame.indexOf(member)
  if (run.cases.length === 0 || at < 0) {
    yield frame
    return
  }
  let chunk = frame.slice(0, at + member.length - 1)
  for (const [index, item] of run.cases.entries()) {
    const text = JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')
    chunk += `${index === 0 ? '' : ','}\n    ${text}`
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  yield `${chunk}\n  ${frame.slice(at + member.length - 1)}`
}

/** The text of `runChunks` as a whole. */
export const runText = (run: RunDocument): string => [...runChunks(run)].join('')
