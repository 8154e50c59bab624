import { createHash } from 'node:crypto'
import type { CaseRow } from './cases.ts'
import { ciOf, gitOf } from './provenance.ts'
import { named } from './texts.ts'

export type RunFacts = {
  readonly run_id: string
  readonly suite: string
  readonly project: string | undefined
  readonly startedMs: number
  readonly finishedMs: number
  readonly tags: readonly string[]
  /** The program and its version. */
  readonly tool: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
}

/** Identifies a case across runs: the beginning of the SHA-256 of provider, prompt, test and repeat. */
const caseKey = (provider: string, test: string, repeat: number): string => {
  const index = Buffer.alloc(4)
  index.writeUInt32LE(repeat)
  return createHash('sha256').update(`${provider}\0\0${test}\0`).update(index).digest('hex').slice(0, 16)
}

/** Two cases of the same test and provider are repeats of it, in their order. */
const numbered = (cases: readonly CaseRow[]): object[] => {
  const seen = new Map<string, number>()
  return cases.map((row) => {
    const { provider_id, test_id } = row.cell
    const cell = JSON.stringify([provider_id, test_id])
    const repeat = seen.get(cell) ?? 0
    seen.set(cell, repeat + 1)
    return { ...row, cell: { provider_id, test_id, repeat }, case_key: caseKey(provider_id, test_id, repeat) }
  })
}

const summaryOf = (cases: readonly CaseRow[]): object => {
  const countOf = (status: CaseRow['status']): number => cases.filter((row) => row.status === status).length
  const sum = (field: string): number => cases.reduce((total, { usage }) => total + (usage?.[field] ?? 0), 0)
  const costs = cases.flatMap(({ cost_usd }) => cost_usd ?? [])
  return {
    total: cases.length,
    passed: countOf('pass'),
    failed: countOf('fail'),
    errored: countOf('error'),
    skipped: countOf('skip'),
    xfailed: countOf('xfail'),
    xpassed: countOf('xpass'),
    prompt_tokens: sum('input_tokens') + sum('cache_read_tokens'),
    completion_tokens: sum('output_tokens'),
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((total, cost) => total + Math.round(cost * 1e6), 0) / 1e6 }),
  }
}

/** The document of a run (`GET /api/v1/schemas/run-document`). */
export const runDocument = (cases: readonly CaseRow[], facts: RunFacts): object => {
  const [git, ci] = [gitOf(facts.environment, facts.folder), ciOf(facts.environment)]
  return {
    schema_version: 3,
    run_id: named(facts.run_id),
    ...(facts.project === undefined ? {} : { project: named(facts.project) }),
    suite: named(facts.suite),
    started_at: new Date(facts.startedMs).toISOString(),
    finished_at: new Date(Math.max(facts.startedMs, facts.finishedMs)).toISOString(),
    config_digest: '',
    config_snapshot: { runner: facts.tool },
    ...(git ? { git } : {}),
    ...(ci ? { ci } : {}),
    origin: { version: facts.tool },
    filters: facts.tags.length === 0 ? {} : { tags: [...new Set(facts.tags.map(named))].sort() },
    cases: numbered(cases),
    summary: summaryOf(cases),
  }
}
