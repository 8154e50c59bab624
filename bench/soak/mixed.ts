import { Agent } from 'node:http'
import { benchDocument, randomOf } from '../documents.ts'
import { ask } from './clients.ts'
import { startSoakServer } from './server.ts'
import { quantile, setting, wait } from './soak.ts'
import type { Ground } from './soak.ts'

const LANES = 8
/** Runs that are kept: the oldest is deleted for each that comes, so that what is stored stays the same while the load goes on. */
const KEPT = 300
const SAMPLES = 50

/** How much the median of the last fifth may be above that of the second. */
const MOST_GROWTH = { resident: 1.1, handles: 1.1, statements: 1.1 } as const

/** Uploads, deletes, pins and every kind of read by turns, for long: memory, handles and prepared statements stay where they are. */
export const mixed = async ({ say, expect, seed }: Ground): Promise<void> => {
  const minutes = setting('SOAK_MINUTES', 30)
  const random = randomOf(seed)
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)]
  const server = await startSoakServer({ probe: true })
  const stored: string[] = []
  let next = 0
  const statuses: Record<number, number> = {}

  const upload = async (agent: Agent): Promise<number> => {
    const n = next++
    const { status } = await ask(server, '/runs', { method: 'POST', body: Buffer.from(benchDocument(n, { cases: 20 + (n % 60) })), agent })
    if (status === 201) stored.push(`bench-${String(n).padStart(8, '0')}`)
    return status
  }
  const word = (): string => pick(['refund', 'policy', 'window', 'commit', 'tok', 'order customer', '"thirty days"']) ?? ''
  const filters = (): string => {
    // Any subset: each makes a text of its own.
    const all = ['project=project-1', 'suite=suite-2', 'branch=main', 'origin=ci', 'actor=actor-3', 'tag=nightly', 'status=fail', 'cached=all', 'since=2024-01-01T00:00:00Z']
    return all.filter(() => random() < 0.3).map((one) => `&${one}`).join('')
  }
  const STEPS: ReadonlyArray<readonly [weight: number, run: (agent: Agent, id: string, other: string) => Promise<number>]> = [
    [8, upload],
    [
      8,
      async (agent) => {
        const id = stored.length > KEPT ? stored.shift() : undefined
        return id === undefined ? 204 : (await ask(server, `/runs/${id}`, { method: 'DELETE', agent })).status
      },
    ],
    [10, async (agent) => (await ask(server, `/runs?limit=${1 + Math.floor(random() * 50)}${filters()}`, { agent })).status],
    [10, async (agent, id) => (await ask(server, `/runs/${id}${pick(['', '/cases', '/cases?status=fail', `/cases?q=${encodeURIComponent(word())}`, '/matrix', '/config', '/export']) ?? ''}`, { agent })).status],
    [4, async (agent, id, other) => (await ask(server, `/runs/${id}/compare/${other}`, { agent })).status],
    [4, async (agent) => (await ask(server, `/search?q=${encodeURIComponent(word())}&limit=20`, { agent })).status],
    [3, async (agent) => (await ask(server, '/projects', { agent })).status],
    [3, async (agent) => (await ask(server, `/sets/project-${next % 5}/suites/suite-${next % 4}`, { agent })).status],
    [1, async (agent) => (await ask(server, '/runs', { method: 'POST', body: Buffer.from('{"schema_version":3}'), agent })).status],
  ]
  const wheel = STEPS.flatMap(([weight, run]) => Array.from({ length: weight }, () => run))

  let going = true
  const lane = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (going) {
      const status = (await pick(wheel)?.(agent, pick(stored) ?? 'none', pick(stored) ?? 'none')) ?? 0
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    agent.destroy()
  }

  try {
    const agent = new Agent({ keepAlive: true })
    while (stored.length < KEPT) await upload(agent)
    agent.destroy()
    const lanes = Promise.all(Array.from({ length: LANES }, lane))
    const samples: Array<{ resident: number; handles: number; statements: number; prepared: number; heap: number }> = []
    for (let n = 0; n < SAMPLES; n++) {
      await Promise.race([wait((minutes * 60_000) / SAMPLES), lanes])
      const { statements, prepared, heapMib } = await server.probe()
      const { resident, handles } = server.usage()
      samples.push({ resident, handles, statements, prepared, heap: heapMib })
      if (n % 5 === 4) say(`${(((n + 1) * minutes) / SAMPLES).toFixed(1)} min: ${resident.toFixed(0)} MiB resident, ${heapMib.toFixed(0)} MiB held by JavaScript, ${handles} handles, ${statements} statements alive of ${prepared} prepared`)
    }
    going = false
    await lanes
    say(`answers: ${Object.entries(statuses).map(([status, count]) => `${count} × ${status}`).join(', ')}`)
    const fifth = (n: number) => samples.slice((n * SAMPLES) / 5, ((n + 1) * SAMPLES) / 5)
    for (const name of ['resident', 'handles', 'statements'] as const) {
      const [second, last] = [fifth(1), fifth(4)].map((part) => quantile(part.map((sample) => sample[name]), 0.5))
      expect((last ?? 0) <= (second ?? 0) * MOST_GROWTH[name], `${name}: ${second?.toFixed(0)} in the second fifth, ${last?.toFixed(0)} in the last`)
    }
    const unexpected = Object.keys(statuses).map(Number).filter((status) => ![200, 201, 204, 404, 422, 400].includes(status))
    expect(unexpected.length === 0 && server.isAlive() && server.failures.length === 0, `nothing else was answered than that; ${server.failures.length} failures in the log ${server.failures[0]?.slice(0, 300) ?? ''}`)
  } finally {
    going = false
    await server.stop()
  }
}
