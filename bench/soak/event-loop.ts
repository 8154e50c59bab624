import { randomOf } from '../documents.ts'
import { caseKey } from '../../domain/run/case-key.ts'
import { ask } from './clients.ts'
import { startSoakServer } from './server.ts'
import { quantile, wait, type SoakContext } from './soak.ts'

const MAX_MS = 50
const ROUNDS = 5
const CASES = 10_000
const PROVIDERS = 4
/** Number of cases with an output of OUTPUT_BYTES. With all outputs that long, the document would exceed 64 MiB. */
const LONG_OUTPUTS = 400
const OUTPUT_BYTES = 130_000

/** A run with many cases from several providers, some with long outputs. */
const wideDocument = (run_id: string, seed: number): Buffer => {
  const random = randomOf(seed)
  const long = (n: number): string => `the answer ${n} is `.concat('word '.repeat(OUTPUT_BYTES / 5))
  const cases = Array.from({ length: CASES }, (_, n) => {
    const cell = {
      provider_id: `provider-${n % PROVIDERS}`,
      prompt_id: 'terse',
      test_id: `topic-${n % 50}/test-${Math.floor(n / PROVIDERS)}`,
      repeat: 0,
    }
    const passes = random() < 0.7
    return {
      cell,
      case_key: caseKey(cell),
      name: `test ${n} of the wide run`,
      tags: ['wide', `tag-${n % 100}`],
      status: passes ? 'pass' : 'fail',
      score: passes ? 1 : 0,
      output: n % (CASES / LONG_OUTPUTS) === 0 ? long(n) : `answer ${n}: ${random()}`,
      asserts: [
        {
          kind: 'icontains',
          status: passes ? 'pass' : 'fail',
          score: passes ? 1 : 0,
          weight: 1,
          reason: passes ? 'found' : 'not found at all',
        },
      ],
      latency_ms: 400,
    }
  })
  const passed = cases.filter(({ status }) => status === 'pass').length
  return Buffer.from(
    JSON.stringify({
      schema_version: 3,
      run_id,
      project: 'wide',
      suite: 'all',
      started_at: '2026-05-04T09:00:00Z',
      finished_at: '2026-05-04T09:01:00Z',
      config_digest: '',
      config_snapshot: { prompts: Array.from({ length: 2000 }, (_, n) => `prompt ${n} of many`) },
      cases,
      summary: { total: CASES, passed, failed: CASES - passed, errored: 0, skipped: 0 },
    }),
  )
}

/**
 * Measures the longest block of the main thread during the largest reads: first one read at a time, so that the cause
 * is clear, then all reads at once.
 */
export const eventLoop = async ({ print, expect, fail, seed }: SoakContext): Promise<void> => {
  const server = await startSoakServer({ probe: true })
  try {
    for (const [n, id] of ['wide-a', 'wide-b'].entries()) {
      await server.probe()
      const { status, ms } = await ask(server, '/runs', { method: 'POST', body: wideDocument(id, seed + n) })
      if (status !== 201) return fail(`${id}: status ${status}`)
      print(
        `upload of ${id}: ${(ms / 1000).toFixed(1)} s; the main thread was blocked for ${(await server.probe()).longestBlockMs.toFixed(0)} ms at most`,
      )
    }
    for (let n = 0; n < 400; n++) await ask(server, '/runs', { method: 'POST', body: smallRun(n) })

    const READS: Readonly<Record<string, string>> = {
      'run list of 200': '/runs?limit=200',
      'case list of 200': '/runs/wide-a/cases?limit=200',
      'case list, failing': '/runs/wide-a/cases?limit=200&status=fail',
      'case list, text filter': '/runs/wide-a/cases?limit=200&q=answer',
      'long case': `/runs/wide-a/cases/${caseKey({ provider_id: 'provider-0', prompt_id: 'terse', test_id: 'topic-0/test-0', repeat: 0 })}`,
      'matrix, largest page': '/runs/wide-a/matrix?limit=500',
      compare: '/runs/wide-a/compare/wide-b',
      'search, common word': '/search?q=answer&limit=200',
      'search, prefix': '/search?q=w&limit=200',
      config: '/runs/wide-a/config',
      export: '/runs/wide-a/export',
      projects: '/projects',
      set: '/sets/wide/suites/all',
      'the API document': '/openapi.json',
    }
    await wait(500)
    await server.probe()
    const idle: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await wait(200)
      idle.push((await server.probe()).longestBlockMs)
    }
    print(
      `no requests: ${quantile(idle, 0.5).toFixed(1)} ms (median of ${ROUNDS} rounds), ${Math.max(...idle).toFixed(1)} ms at most`,
    )
    for (const [name, path] of Object.entries(READS)) {
      const blocks: number[] = []
      let bytes = 0
      for (let round = 0; round < ROUNDS; round++) {
        const { status, body } = await ask(server, path)
        if (status !== 200) return fail(`${path}: status ${status}`)
        bytes = body.length
        blocks.push((await server.probe()).longestBlockMs)
      }
      // The median, because other load on the machine affects single rounds.
      expect(
        quantile(blocks, 0.5) <= MAX_MS,
        `${name}: ${quantile(blocks, 0.5).toFixed(1)} ms, ${Math.max(...blocks).toFixed(1)} ms at most (${(bytes / 1024).toFixed(0)} KiB)`,
      )
    }
    const together: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(Object.values(READS).map((path) => ask(server, path)))
      together.push((await server.probe()).longestBlockMs)
    }
    print(`all at once: ${quantile(together, 0.5).toFixed(1)} ms, ${Math.max(...together).toFixed(1)} ms at most`)
  } finally {
    await server.stop()
  }
}

const smallRun = (n: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      schema_version: 3,
      run_id: `small-${n}`,
      project: 'wide',
      suite: `suite-${n % 3}`,
      started_at: '2026-05-04T09:00:00Z',
      finished_at: new Date(Date.UTC(2026, 4, 4) + n * 1000).toISOString(),
      config_digest: '',
      config_snapshot: { description: `wide note ${'x'.repeat(500)}` },
      filters: { tags: Array.from({ length: 50 }, (_, tag) => `tag-${tag}-${n}`) },
      cases: [],
      summary: { total: 0, passed: 0, failed: 0, errored: 0, skipped: 0 },
    }),
  )
