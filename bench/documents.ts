import { caseKey } from '../domain/run/case-key.ts'

// Deterministic documents of 100 cases and about 290 KB by default, so that every run of the bench does the same work.
// Their words are as frequent as in a language: a few are in every case, most are in few cases of a few documents.

const FIRST_WORDS = (
  'the answer model returns within thirty days refund order customer policy because evaluation prompt response token latency window context ' +
  'python function returns value list index error exception handler request server client database transaction commit rollback snapshot reader ' +
  'writer thread queue buffer frame document suite case project baseline compare matrix search filter cursor history pass fail skip error grader ' +
  'rubric verdict score weight reason cost usage input output cache hit miss retry attempt timeout branch commit digest schema version field'
).split(' ')

const WORD_COUNT = 24_000
const CONSONANTS = 'bdfghjklmnprstvwz'
const VOWELS = 'aeiou'
const SYLLABLES = [...CONSONANTS].flatMap((consonant) => [...VOWELS].map((vowel) => consonant + vowel))
/** A number without a common divisor with a power of the number of syllables: it spreads words over the alphabet. */
const STEP = 7919

const madeWord = (rank: number): string => {
  const syllables = rank < 6000 ? 2 : 3
  let rest = (rank * STEP) % SYLLABLES.length ** syllables
  let word = ''
  for (let i = 0; i < syllables; i++) {
    word += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return word
}

/** Different words, the most frequent first: some of English, then made ones. */
export const WORDS: readonly string[] = [
  ...new Set([...FIRST_WORDS, ...Array.from({ length: WORD_COUNT }, (_, rank) => madeWord(rank))]),
].slice(0, WORD_COUNT)

/** For each word, the share of a text that it and all more frequent words make up. A word's own share is by Zipf's law. */
const SHARES = (() => {
  let sum = 0
  const sums = Float64Array.from(WORDS, (_, rank) => (sum += 1 / (rank + 1)))
  return sums.map((each) => each / sum)
})()

/** The word at a share of a text, from 0 to 1. */
const wordAt = (share: number): string => {
  let [low, high] = [0, SHARES.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((SHARES[middle] ?? 1) < share) low = middle + 1
    else high = middle
  }
  return WORDS[low] ?? ''
}

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

/** Words, at least so many characters. */
export const randomProse = (random: () => number, characters: number): string => {
  let text = ''
  while (text.length < characters) text += `${wordAt(random())} `
  return text.trimEnd()
}

/** What the names of public benchmarks look like. */
const FAMILIES = ['HumanEval/', 'django__django', 'gsm8k', 'tau-retail', 'lcb'] as const

export type BenchOptions = {
  readonly cases?: number
  /** Bytes of the texts of each case. By default, outputs have 200 to 4,000 bytes and the other texts together 760. */
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
    bytesPerCase,
    projects = 5,
    suites = 4,
    rareWord,
    branch = n % 3 === 0 ? 'main' : `feature-${n % 11}`,
    outcome,
    schemaVersion = 3,
  }: BenchOptions = {},
): string => {
  const random = randomOf(n + 1)
  const prose = (bytes: number): string => randomProse(random, bytes)
  const textBytes = bytesPerCase ?? 2300
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
      name: `${FAMILIES[n % FAMILIES.length]}-${n % 37}${Math.floor(i / 2)}: ${prose(20)}`,
      tags: ['smoke', i % 3 === 0 ? 'slow' : 'fast', wordAt(random())],
      vars: { order: `A-${i}`, days: i % 60 },
      status: passes ? 'pass' : 'fail',
      score: passes ? 1 : Math.round(random() * 100) / 100,
      output: `${prose(bytesPerCase === undefined ? 200 * 20 ** random() : bytesPerCase * 0.4)}${rareWord !== undefined && i === Math.min(7, cases - 1) ? ` ${rareWord}` : ''}`,
      prompt: {
        messages: [
          { role: 'system', content: prose(textBytes * 0.1) },
          { role: 'user', content: prose(textBytes * 0.15) },
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
          reason: prose(textBytes * 0.08),
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
