import { gunzipSync } from 'node:zlib'
import { openDocument } from '../../domain/run/document.ts'
import type { NormalCase, NormalRun } from '../../domain/run/document.ts'
import type { RunDocument } from '../runner/run-document.ts'

/** Maximum size of a run document after decompression. A gzipped file must not fill the memory. */
const MAX_BYTES = 512 * 1024 * 1024

/** The members of a run in the order in which documents are written: what people read first comes first. */
const RUN_MEMBERS: ReadonlyArray<keyof NormalRun> = [
  'schema_version',
  'run_id',
  'project',
  'suite',
  'started_at',
  'finished_at',
  'config_digest',
  'config_snapshot',
  'git',
  'ci',
  'origin',
  'digests',
  'share_url',
  'filters',
]

const CASE_MEMBERS: ReadonlyArray<keyof NormalCase> = [
  'cell',
  'case_key',
  'name',
  'tags',
  'vars',
  'status',
  'score',
  'output',
  'prompt',
  'request',
  'stop_reason',
  'model',
  'tool_calls',
  'raw',
  'asserts',
  'usage',
  'cost_usd',
  'latency_ms',
  'wall_ms',
  'cached',
  'cache_key',
  'attempts',
  'prompt_digest',
  'provider_digest',
  'assert_digest',
  'error',
  'error_details',
  'error_class',
  'reasoning',
  'empty_reason',
  'answered_by_provider_id',
  'fallback_attempts',
  'expect_fail_reason',
]

/**
 * Reads a run document, gzipped or not, of any version that the service accepts (wire-format 2). Unknown members are
 * dropped and defaults filled in. Throws `InvalidDocument` for anything that the service rejects, and the error of zlib
 * for a damaged gzip file.
 */
export const parseRun = (bytes: Uint8Array): RunDocument => {
  const isGzipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const document = openDocument(isGzipped ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes)
  const cases = Array.from({ length: document.caseCount }, (_, index) => inOrder(document.caseAt(index), CASE_MEMBERS))
  const { summary } = document.run
  // The type is that of a document of this engine: it has schema version 3, and each assertion its criteria. A document
  // of another source may have version 2, and no criteria.
  return { ...inOrder(document.run, RUN_MEMBERS), cases, summary } as unknown as RunDocument
}

/** Reads a run without its cases. They are checked to be JSON only. Throws like `parseRun`. */
export const parseRunHead = (bytes: Uint8Array): RunHead => openDocument(bytes).run as unknown as RunHead

/** A run without its cases. */
export type RunHead = Omit<RunDocument, 'cases'>

const inOrder = <T extends object>(value: T, members: ReadonlyArray<keyof T>): Partial<T> => {
  const ordered: Partial<T> = {}
  for (const member of members) if (value[member] !== undefined) ordered[member] = value[member]
  return ordered
}

/** A run document as it is stored: pretty printed, with a line break at its end. */
export const runText = (run: RunDocument): string => `${JSON.stringify(run, null, 2)}\n`
