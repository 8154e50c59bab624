import { Agent } from 'node:http'
import { benchDocument, randomOf } from '../documents.ts'
import { ask } from './clients.ts'
import { startSoakServer } from './server.ts'
import { slowReaders } from './slow-readers.ts'
import { MIB, quantile, setting, wait, type SoakContext } from './soak.ts'

const LANES = 8
/**
 * Number of stored runs. For each new run the oldest is deleted, so that the amount of stored data stays the same.
 */
const STORED_RUNS = 300
const SAMPLES = 50

/** Maximum ratio of the median of the last fifth of the samples to the median of the second fifth. */
const MAX_GROWTH = { handles: 1.1, statements: 1.1 } as const

/**
 * The samples after the first third must show constant memory. They are divided into quarters: this is the maximum
 * relative deviation of a quarter's median from the median of all these samples.
 */
const MAX_DEVIATION = 0.05
const QUARTERS = 4

/**
 * Two runs whose comparison, matrix and export are sent in parts, and the speeds at which slow clients read them, in
 * bytes per second.
 */
const LARGE = [90_000_000, 90_000_001] as const
const LARGE_CASES = 12_000
const PACES = [0, 16 * 1024, 256 * 1024] as const

const idOf = (n: number): string => `bench-${String(n).padStart(8, '0')}`
const LARGE_PATHS = [
  `/runs/${idOf(LARGE[0])}/compare/${idOf(LARGE[1])}`,
  `/runs/${idOf(LARGE[1])}/compare/${idOf(LARGE[0])}`,
  `/runs/${idOf(LARGE[0])}/matrix?limit=500`,
  `/runs/${idOf(LARGE[1])}/export`,
]

/**
 * A long run of uploads, deletes, all kinds of reads, and clients that read slowly or not at all. Memory, handles and
 * prepared statements must not grow.
 */
export const mixed = async ({ print, expect, seed }: SoakContext): Promise<void> => {
  const minutes = setting('SOAK_MINUTES', 30)
  const random = randomOf(seed)
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)]
  const server = await startSoakServer({ probe: true })
  const stored: string[] = []
  let next = 0
  const statuses: Record<number, number> = {}

  const upload = async (agent: Agent): Promise<number> => {
    const n = next++
    const { status } = await ask(server, '/runs', {
      method: 'POST',
      body: Buffer.from(benchDocument(n, { cases: 20 + (n % 60) })),
      agent,
    })
    if (status === 201) stored.push(idOf(n))
    return status
  }
  const word = (): string =>
    pick(['refund', 'policy', 'window', 'commit', 'tok', 'order customer', '"thirty days"']) ?? ''
  const filters = (): string => {
    // A random subset, because each subset has its own SQL text.
    const all = [
      'project=project-1',
      'suite=suite-2',
      'branch=main',
      'origin=ci',
      'actor=actor-3',
      'tag=nightly',
      'status=fail',
      'cached=all',
      'since=2024-01-01T00:00:00Z',
    ]
    return all
      .filter(() => random() < 0.3)
      .map((filter) => `&${filter}`)
      .join('')
  }
  const STEPS: ReadonlyArray<
    readonly [weight: number, run: (agent: Agent, id: string, other: string) => Promise<number>]
  > = [
    [8, upload],
    [
      8,
      async (agent) => {
        const id = stored.length > STORED_RUNS ? stored.shift() : undefined
        return id === undefined ? 204 : (await ask(server, `/runs/${id}`, { method: 'DELETE', agent })).status
      },
    ],
    [
      10,
      async (agent) =>
        (await ask(server, `/runs?limit=${1 + Math.floor(random() * 50)}${filters()}`, { agent })).status,
    ],
    [
      10,
      async (agent, id) =>
        (
          await ask(
            server,
            `/runs/${id}${pick(['', '/cases', '/cases?status=fail', `/cases?q=${encodeURIComponent(word())}`, '/matrix', '/config', '/export']) ?? ''}`,
            { agent },
          )
        ).status,
    ],
    [
      1,
      async (agent) =>
        (
          await ask(
            server,
            pick([...LARGE_PATHS, `/runs/${idOf(LARGE[0])}/distribution?${'&'.repeat(next % 50)}`]) ?? '',
            { agent },
          )
        ).status,
    ],
    [4, async (agent, id, other) => (await ask(server, `/runs/${id}/compare/${other}`, { agent })).status],
    [4, async (agent) => (await ask(server, `/search?q=${encodeURIComponent(word())}&limit=20`, { agent })).status],
    [3, async (agent) => (await ask(server, '/projects', { agent })).status],
    [3, async (agent) => (await ask(server, `/sets/project-${next % 5}/suites/suite-${next % 4}`, { agent })).status],
    [
      1,
      async (agent) =>
        (await ask(server, '/runs', { method: 'POST', body: Buffer.from('{"schema_version":3}'), agent })).status,
    ],
  ]
  const wheel = STEPS.flatMap(([weight, run]) => Array.from({ length: weight }, () => run))

  let isRunning = true
  const lane = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (isRunning) {
      const status = (await pick(wheel)?.(agent, pick(stored) ?? 'none', pick(stored) ?? 'none')) ?? 0
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    agent.destroy()
  }

  try {
    const agent = new Agent({ keepAlive: true })
    for (const n of LARGE)
      await ask(server, '/runs', {
        method: 'POST',
        body: Buffer.from(benchDocument(n, { cases: LARGE_CASES, bytesPerCase: 100 })),
        agent,
      })
    while (stored.length < STORED_RUNS) await upload(agent)
    agent.destroy()
    const slow = slowReaders(server, LARGE_PATHS, PACES)
    const lanes = Promise.all(Array.from({ length: LANES }, lane))
    const samples: Array<{ resident: number; handles: number; statements: number; prepared: number; heap: number }> = []
    for (let n = 0; n < SAMPLES; n++) {
      await Promise.race([wait((minutes * 60_000) / SAMPLES), lanes])
      const { statements, prepared, heapMib } = await server.probe()
      const { resident, handles } = server.usage()
      samples.push({ resident, handles, statements, prepared, heap: heapMib })
      if (n % 5 === 4)
        print(
          `${(((n + 1) * minutes) / SAMPLES).toFixed(1)} min: ${resident.toFixed(0)} MiB resident, ${heapMib.toFixed(0)} MiB used by JavaScript, ${handles} handles, ${statements} statements alive of ${prepared} prepared`,
        )
    }
    isRunning = false
    await lanes
    const slowTotals = await slow.stop()
    print(
      `clients that read slowly or not at all: ${LARGE_PATHS.length * PACES.length} at once, ${slowTotals.connections} connections, ${(slowTotals.bytes / MIB).toFixed(0)} MiB read`,
    )
    print(
      `answers: ${Object.entries(statuses)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ')}`,
    )
    const fifth = (n: number) => samples.slice((n * SAMPLES) / 5, ((n + 1) * SAMPLES) / 5)
    for (const name of ['handles', 'statements'] as const) {
      const [second, last] = [fifth(1), fifth(4)].map((part) =>
        quantile(
          part.map((sample) => sample[name]),
          0.5,
        ),
      )
      expect(
        (last ?? 0) <= (second ?? 0) * MAX_GROWTH[name],
        `${name}: ${second?.toFixed(0)} in the second fifth, ${last?.toFixed(0)} in the last`,
      )
    }
    const rest = samples.slice(Math.ceil(SAMPLES / 3)).map(({ resident }) => resident)
    const restMedian = quantile(rest, 0.5)
    const quarters = Array.from({ length: QUARTERS }, (_, n) =>
      quantile(
        rest.slice(Math.floor((n * rest.length) / QUARTERS), Math.floor(((n + 1) * rest.length) / QUARTERS)),
        0.5,
      ),
    )
    const deviation = Math.max(...quarters.map((median) => Math.abs(median / restMedian - 1)))
    expect(
      deviation <= MAX_DEVIATION,
      `resident memory after the first third: median ${restMedian.toFixed(0)} MiB, medians of its quarters ${quarters.map((median) => median.toFixed(0)).join(', ')} MiB, maximum deviation ${(deviation * 100).toFixed(1)} %, peak ${server.usage().peak.toFixed(0)} MiB`,
    )
    const unexpected = Object.keys(statuses)
      .map(Number)
      .filter((status) => ![200, 201, 204, 404, 422, 400].includes(status))
    expect(
      unexpected.length === 0 && server.isAlive() && server.failures.length === 0,
      `unexpected statuses: ${unexpected.join(', ') || 'none'}; ${server.failures.length} failures in the log ${server.failures[0]?.slice(0, 300) ?? ''}`,
    )
  } finally {
    isRunning = false
    await server.stop()
  }
}
