import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { caseKey } from '../../../domain/run/case-key.ts'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { EXAMPLE } from './example.ts'

/** A case as a client writes it; further fields are kept. */
export type ACase = {
  cell: { provider_id: string; prompt_id?: string | null; test_id: string; repeat: number }
  case_key: string
  status: CaseStatus
  score: number
  asserts: ReadonlyArray<Readonly<Record<string, unknown>>>
  latency_ms: number
  [field: string]: unknown
}

/** A run document as a client writes it; further fields are kept. */
export type ADocument = {
  schema_version: number
  run_id: string
  project?: string | null
  suite?: string | null
  started_at: string
  finished_at: string
  config_digest: string
  config_snapshot: unknown
  cases: readonly ACase[]
  summary: Readonly<Record<string, unknown>>
  [field: string]: unknown
}

type CaseOverrides = {
  readonly cell?: Partial<ACase['cell']>
  readonly case_key?: string
  readonly status?: CaseStatus
  readonly [field: string]: unknown
}

/** A passing case with the case key of its cell. */
export const aCase = ({ cell: cellFields = {}, status = 'pass', ...overrides }: CaseOverrides = {}): ACase => {
  const cell = { provider_id: 'model', prompt_id: 'terse', test_id: 'greeting', repeat: 0, ...cellFields }
  return {
    cell,
    case_key: caseKey(cell),
    status,
    score: status === 'pass' || status === 'xpass' ? 1 : 0,
    output: 'Hello there.',
    asserts: [{ kind: 'contains', status: 'pass', score: 1, weight: 1, reason: 'found' }],
    latency_ms: 10,
    ...overrides,
  }
}

/** A document with one passing case, and a summary computed from its cases. `summary` adds fields to the summary. */
export const aDocument = ({ summary, ...overrides }: Partial<ADocument> = {}): ADocument => {
  const document = {
    schema_version: 3,
    run_id: 'run-1',
    project: 'chat',
    suite: 'smoke',
    started_at: '2026-05-04T09:00:00Z',
    finished_at: '2026-05-04T09:00:01Z',
    config_digest: '',
    config_snapshot: null,
    cases: [aCase()],
    ...overrides,
  }
  return { ...document, summary: { ...summaryOf(document.cases), ...summary } }
}

/** The summary that a client computes from its cases. */
export const summaryOf = (cases: readonly ACase[]): Record<string, unknown> => {
  const countOf = (status: CaseStatus): number => cases.filter((item) => item.status === status).length
  const usage = cases.map((item) => (item['usage'] ?? {}) as Record<string, number>)
  const sum = (...fields: readonly string[]): number =>
    usage.reduce((total, item) => total + fields.reduce((part, field) => part + (item[field] ?? 0), 0), 0)
  const costs = cases.map((item) => item['cost_usd']).filter((cost) => typeof cost === 'number')
  const hits = cases.filter((item) => item['cached'] === true).length
  return {
    total: cases.length,
    passed: countOf('pass'),
    failed: countOf('fail'),
    errored: countOf('error'),
    skipped: countOf('skip'),
    xfailed: countOf('xfail'),
    xpassed: countOf('xpass'),
    prompt_tokens: sum('input_tokens', 'cache_read_tokens'),
    completion_tokens: sum('output_tokens'),
    ...(costs.length > 0 ? { cost_usd: costs.reduce((total, cost) => total + Math.round(cost * 1e6), 0) / 1e6 } : {}),
    cache_hits: hits,
    cache_misses: cases.length - hits,
    cache_read_tokens: sum('cache_read_tokens'),
    cache_write_tokens: sum('cache_write_tokens'),
  }
}

/** The worked example of the wire format. */
export const theExample = (): ADocument => structuredClone(EXAMPLE)

/** The real documents of the repository, as bytes. */
export const realDocuments = (): Array<{ readonly name: string; readonly bytes: Buffer }> => {
  const folder = fileURLToPath(new URL('../../data/', import.meta.url))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json.gz'))
    .sort()
    .map((name) => ({ name, bytes: gunzipSync(readFileSync(join(folder, name))) }))
}
