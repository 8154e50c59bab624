import { caseKey } from '../../../domain/run/case-key.ts'
import { aDocument, realDocuments, type ACase, type ADocument } from './documents.ts'

/** A fixed pseudo-random number from 0 up to 1 for `n`. */
const pseudoRandom = (n: number): number => {
  let x = Math.imul(n + 1, 0x9e3779b1) >>> 0
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b) >>> 0
  return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32
}

/** The cases of the real documents, in order. */
const realCases = (): ACase[] =>
  realDocuments()
    .filter(({ name }) => /livecodebench|swe-bench|theory_of_mind|all-agents|tau-bench/.test(name))
    .flatMap(({ bytes }) => (JSON.parse(bytes.toString('utf8')) as ADocument).cases)

/** 130 KB that would do harm if it were interpreted. */
const HOSTILE_OUTPUT =
  `<script>document.title = 'taken over'</script><img src="https://elsewhere.example/x.png" onerror="document.title='taken over'"> ![x](https://elsewhere.example/y.png) `.repeat(
    800,
  )

/**
 * A run of many cases, repeated from real ones, with added latencies and scores. The first has an output of 130 KB full
 * of script tags; others have right-to-left text, emoji, or an empty output.
 */
export const largeRun = (run_id: string, count = 10_000): ADocument => {
  const real = realCases()
  const cases = Array.from({ length: count }, (_, n) => {
    const source = real[n % real.length]
    if (!source) throw new Error('no real cases')
    const cell = {
      ...source.cell,
      provider_id: 'o1-mini',
      prompt_id: 'default',
      test_id: `${source.cell.test_id}/${Math.floor(n / real.length)}`,
      repeat: n % real.length,
    }
    const spread = pseudoRandom(n)
    const score = source.status === 'pass' ? 0.6 + 0.4 * spread : 0.55 * spread
    const output =
      n === 0
        ? HOSTILE_OUTPUT
        : n === 1
          ? 'مرحبا بالعالم ‮evil‬'
          : n === 2
            ? '🧪👩🏽‍🔬 café'
            : n === 3
              ? ''
              : source['output']
    return {
      ...source,
      cell,
      case_key: caseKey(cell),
      score,
      latency_ms: n % 97 === 0 ? 0 : Math.round(300 * 60 ** pseudoRandom(n + 7)),
      output,
    }
  })
  return aDocument({
    run_id,
    project: 'coding',
    suite: 'everything',
    cases,
    finished_at: '2026-05-04T09:18:04Z',
    config_digest: 'sha256:1abb3344aa',
    config_snapshot: {
      description: '<script>alert(1)</script>',
      providers: ['o1-mini'],
      seed: '12345678901234567890',
      nested: { a: [1, 2.5, null, true] },
    },
    git: { branch: 'main', commit: '9f3c2ab1d04c', dirty: true },
    origin: { actor: 'mira', host: 'runner-3' },
    summary: { grader_cost_usd: 0.42 },
  })
}

/**
 * A run with many columns: models of different skill on the same tests, with names of real cases. Some cells are
 * missing.
 */
export const wideRun = (run_id: string, { columns = 30, tests = 156 } = {}): ADocument => {
  const real = realCases()
  const cases: ACase[] = []
  for (let test = 0; test < tests; test++) {
    for (let column = 0; column < columns; column++) {
      const n = test * columns + column
      const source = real[(test * 7) % real.length]
      if (!source || pseudoRandom(n + 99) < 0.02) continue
      const cell = {
        provider_id: `model-${String(column).padStart(2, '0')}`,
        prompt_id: 'default',
        test_id: `test-${String(test).padStart(4, '0')}`,
        repeat: 0,
      }
      // Each column has its own skill; the columns are not sorted by it.
      const chance = ((column * 11) % columns) / columns
      const drawn = pseudoRandom(n) * 1.2 - chance * 0.9
      const score = drawn <= 0 ? 0 : Math.min(1, Math.round(drawn * 100) / 100)
      cases.push({
        cell,
        case_key: caseKey(cell),
        name: source['name'],
        status: score >= 0.5 ? 'pass' : 'fail',
        score,
        asserts: [],
        latency_ms: Math.round(300 * 60 ** pseudoRandom(n + 3)),
        output: `answer ${n % 5}`,
      })
    }
  }
  return aDocument({
    run_id,
    project: 'coding',
    suite: 'models',
    config_snapshot: { description: 'Thirty models on the same tests' },
    cases,
  })
}
