import { caseKey } from '../domain/run/case-key.ts'

// Deterministic documents of 100 cases and about 250 KB by default, so that every run of the bench does the same work.

export const WORDS = (
  'the answer model returns within thirty days refund order customer policy because evaluation prompt response token latency window context ' +
  'python function returns value list index error exception handler request server client database transaction commit rollback snapshot reader ' +
  'writer thread queue buffer frame document suite case project baseline compare matrix search filter cursor history pass fail skip error grader ' +
  'rubric verdict score weight reason cost usage input output cache hit miss retry attempt timeout branch commit digest schema version field'
).split(' ')

/** mulberry32, a small and fast generator of random numbers with the same results on every platform. */
export const randomOf = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export type BenchOptions = {
  readonly cases?: number
  readonly bytesPerCase?: number
  readonly projects?: number
  readonly suites?: number
  readonly rareWord?: string
  readonly branch?: string
  /** For filters of the run list: a run with an error, or a run whose answers all came from the cache. */
  readonly outcome?: 'errored' | 'cached' | undefined
  readonly schemaVersion?: number
}

/**
 * The n-th document. Its time increases with n; projects and suites alternate.
 */
export const benchDocument = (
  n: number,
  {
    cases = 100,
    bytesPerCase = 2300,
    projects = 5,
    suites = 4,
    rareWord,
    branch = n % 3 === 0 ? 'main' : `feature-${n % 11}`,
    outcome,
    schemaVersion = 3,
  }: BenchOptions = {},
): string => {
  const random = randomOf(n + 1)
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? ''
  const prose = (bytes: number): string => {
    let text = ''
    while (text.length < bytes) text += `${word()} `
    return text.trimEnd()
  }
  const caseList = Array.from({ length: cases }, (_, i) => {
    const cell = {
      provider_id: i % 2 === 0 ? 'fast-model' : 'large-model',
      prompt_id: 'terse',
      test_id: `topic-${Math.floor(i / 2) % 7}/test-${Math.floor(i / 2)}`,
      repeat: 0,
    }
    const passes = random() < 0.8
    return {
      cell,
      case_key: caseKey(cell),
      name: `test ${Math.floor(i / 2)} of ${cell.provider_id}`,
      tags: ['smoke', i % 3 === 0 ? 'slow' : 'fast'],
      vars: { order: `A-${i}`, days: i % 60 },
      status: passes ? 'pass' : 'fail',
      score: passes ? 1 : Math.round(random() * 100) / 100,
      output: `${prose(bytesPerCase * 0.4)}${rareWord !== undefined && i === Math.min(7, cases - 1) ? ` ${rareWord}` : ''}`,
      prompt: {
        messages: [
          { role: 'system', content: prose(bytesPerCase * 0.1) },
          { role: 'user', content: prose(bytesPerCase * 0.15) },
        ],
      },
      stop_reason: 'end_turn',
      model: 'fast-model-2026-04',
      asserts: [
        {
          kind: 'icontains',
          status: 'pass',
          score: 1,
          weight: 1,
          reason: 'found',
          criteria: { type: 'icontains', value: '30 days' },
          cached: false,
        },
        {
          kind: 'llm-rubric',
          status: passes ? 'pass' : 'fail',
          score: passes ? 0.9 : 0.3,
          weight: 2,
          reason: prose(bytesPerCase * 0.08),
          criteria: { type: 'llm-rubric', value: 'States the window' },
          cached: false,
          cost_usd: 0.0042,
        },
      ],
      usage: { input_tokens: 400 + (i % 50), output_tokens: 100 + (i % 20), cache_read_tokens: 300 },
      cost_usd: 0.00031,
      latency_ms: 400 + Math.floor(random() * 800),
      cached: false,
      attempts: 1,
      prompt_digest: 'blake3:c1',
      provider_digest: 'blake3:d1',
      assert_digest: 'blake3:e1',
    }
  })
  const passed = caseList.filter(({ status }) => status === 'pass').length
  const finishedAt = Date.UTC(2024, 0, 1) + n * 60_000
  return JSON.stringify({
    schema_version: schemaVersion,
    run_id: `bench-${String(n).padStart(8, '0')}`,
    project: `project-${n % projects}`,
    suite: `suite-${Math.floor(n / projects) % suites}`,
    started_at: new Date(finishedAt - 42_000).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    config_digest: 'blake3:5d1f',
    config_snapshot: { description: 'Bench answers', providers: ['fast-model', 'large-model'] },
    git: { branch, commit: (n * 2654435761).toString(16).slice(0, 7), dirty: false },
    ...(n % 2 === 0 ? { ci: { provider: 'github', run_url: `https://ci.example/runs/${n}` } } : {}),
    origin: { actor: `actor-${n % 7}`, host: 'runner-3', version: '1.4.0' },
    filters: { tags: [n % 4 === 0 ? 'nightly' : 'push'] },
    cases: caseList,
    summary: {
      total: cases,
      passed,
      failed: cases - passed,
      errored: outcome === 'errored' ? 1 : 0,
      skipped: 0,
      prompt_tokens: 72_000,
      completion_tokens: 11_000,
      cost_usd: 0.031,
      cache_hits: outcome === 'cached' ? cases : 0,
      cache_misses: outcome === 'cached' ? 0 : cases,
      grader_cost_usd: 0.42,
    },
  })
}
