import { caseKey } from '../../domain/run/case-key.ts'
import { freshUrl, startPostgres } from '../postgres.ts'
import { ask, load, median, quantile, type Load } from '../load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

/** Cases to draw from, in runs of one suite, and queues of the most cases that one may have. */
const POPULATION = { runs: 20, cases: Number(process.env['BENCH_CASES'] ?? 100_000) }
const QUEUES = { count: Math.ceil(POPULATION.cases / 2_000), items: 2_000 }
/** A queue may have so many people, each of whom gives 120 labels a minute. */
const PEOPLE = 50
const PASSWORD = 'correct horse battery'
const LABELLED = { cases: 10_000, items: 1_000 }
const SUITE = { project: 'bench', suite: 'review' } as const
const READS = 200

/** A run whose cases one judge decided: two of three passed. */
const judgedDocument = (run_id: string, suite: string, count: number): object => {
  const failed = Math.ceil(count / 3)
  return {
    ...{ schema_version: 3, run_id, project: SUITE.project, suite, config_digest: '', config_snapshot: null },
    ...{ started_at: '2026-05-04T09:00:00.000Z', finished_at: '2026-05-04T09:00:01.000Z' },
    cases: Array.from({ length: count }, (_, n) => {
      const cell = { provider_id: 'model', prompt_id: null, test_id: `test-${n}`, repeat: 0 }
      const [status, score] = n % 3 === 0 ? ['fail', 0] : ['pass', 1]
      const criteria = { value: 'Is it right?' }
      const asserts = [
        { kind: 'llm-rubric', status, score, weight: 1, reason: '', criteria, details: { judge: { model: 'judge' } } },
      ]
      const texts = { output: `Output ${n} of ${run_id}.`, prompt: { text: `Question ${n}?` } }
      return { cell, case_key: caseKey(cell), status, score, ...texts, asserts, latency_ms: 10 }
    }),
    summary: {
      ...{ total: count, passed: count - failed, failed, errored: 0, skipped: 0, xfailed: 0, xpassed: 0 },
      ...{ prompt_tokens: 0, completion_tokens: 0, cache_hits: 0, cache_misses: count },
      ...{ cache_read_tokens: 0, cache_write_tokens: 0 },
    },
  }
}

const sent = async <T>({ url, headers }: Pick<Server, 'url' | 'headers'>, path: string, body?: object): Promise<T> => {
  const answer = await fetch(`${url}/api/v1${path}`, {
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    headers,
  })
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

/** Counts what a step costs: requests, wall time and CPU time of the server. */
const timed = async (server: Server, step: () => Promise<Load>): Promise<Load & { readonly cpuMs: number }> => {
  const cpu = server.cpu()
  const found = await step()
  if (Object.keys(found.statuses).some((status) => Number(status) >= 300))
    throw new Error(`the answers were ${JSON.stringify(found.statuses)}`)
  return { ...found, cpuMs: ((server.cpu() - cpu) * 1_000) / found.count }
}

type Person = Pick<Server, 'url' | 'headers'>

const addPeople = async (server: Server): Promise<Person[]> => {
  const people: Person[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const username = `reviewer-${n}`
    await sent(server, '/users', { username, password: PASSWORD, role: 'reviewer' })
    const { token } = await sent<{ token: string }>(server, '/auth/login', { username, password: PASSWORD })
    people.push({ url: server.url, headers: { ...server.headers, authorization: `Bearer ${token}` } })
  }
  return people
}
const NAMES = Array.from({ length: PEOPLE }, (_, n) => `reviewer-${n}`)

let ids = 0
const labelBody = (): Buffer =>
  Buffer.from(
    JSON.stringify({ label_id: `01J${String(++ids).padStart(23, '0')}`, answers: { right: 'pass' }, seconds: 8 }),
  )

const measure = async (server: Server, storage: string, print: Print): Promise<void> => {
  const people = await addPeople(server)
  const runs = Array.from({ length: POPULATION.runs }, (_, n) => `run-${n}`)
  for (const run_id of runs)
    await sent(server, '/runs', judgedDocument(run_id, SUITE.suite, POPULATION.cases / POPULATION.runs))
  await sent(server, '/runs', judgedDocument('labelled', 'labelled', LABELLED.cases))
  const rubric = (suite: string) =>
    sent<{ id: string }>(server, '/rubrics', {
      ...{ project: SUITE.project, suite, name: 'Right', text: 'Pass if it is right.' },
      questions: [{ key: 'right', kind: 'verdict', label: 'Is it right?', deciding: true }],
    })
  const { id: rubric_id } = await rubric(SUITE.suite)
  const queue = (more: object) => ({
    ...{ ...SUITE, rubric_id, target: 'metric', metric: 'llm-rubric', per_item: 5, reviewers: NAMES },
    selection: { kind: 'random', runs, count: QUEUES.items },
    ...more,
  })
  const queues: string[] = []
  const row = (what: string, goal: string, { perSecond, p50, p99, cpuMs }: Load & { readonly cpuMs: number }): void =>
    print(
      `| ${storage}: ${what} | ${goal} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${cpuMs.toFixed(2)} |`,
    )
  const opened = await timed(server, () =>
    load(1, QUEUES.count, (agent) => {
      let body = ''
      return ask(agent, server, '/api/v1/review-queues', {
        method: 'POST',
        body: Buffer.from(JSON.stringify(queue({}))),
        onChunk: (chunk) => (body += String(chunk)),
      }).then((answer) => {
        queues.push((JSON.parse(body) as { id: string }).id)
        return answer
      })
    }),
  )
  row(`open a queue of 2,000 of ${POPULATION.cases} cases`, '500 ms', opened)
  const next = await timed(server, () =>
    load(4, READS, (agent, n) =>
      ask(agent, people[n % PEOPLE]!, '/api/v1/review/next', {
        method: 'POST',
        body: Buffer.from(JSON.stringify({ queue_id: queues[n % queues.length], count: 5 })),
      }),
    ),
  )
  row(`next 5 of ${QUEUES.count * QUEUES.items} items`, 'p99 20 ms', next)
  const label = (queue_id: string, items: number) => (agent: Parameters<typeof ask>[0], n: number) =>
    ask(agent, people[Math.floor(n / items) % PEOPLE]!, `/api/v1/review/items/${queue_id}.${(n % items) + 1}/labels`, {
      method: 'POST',
      body: labelBody(),
    })
  // Each person gives 80 labels, and 40 more below: 120 a minute are allowed.
  const [first = ''] = queues
  const labels = await timed(server, () => load(8, PEOPLE * 80, (agent, n) => label(first, 1_000)(agent, spread(n))))
  row('labels', storage === 'SQLite' ? '300/s, p99 50 ms' : '150/s, p99 50 ms', labels)

  const own = await rubric('labelled')
  const labelled = await sent<{ id: string }>(server, '/review-queues', {
    ...queue({ suite: 'labelled', rubric_id: own.id, per_item: 2 }),
    selection: { kind: 'random', runs: ['labelled'], count: LABELLED.items },
  })
  await timed(server, () =>
    load(8, LABELLED.items * 2, (agent, n) =>
      ask(agent, people[n % PEOPLE]!, `/api/v1/review/items/${labelled.id}.${Math.floor(n / 2) + 1}/labels`, {
        method: 'POST',
        body: labelBody(),
      }),
    ),
  )
  const calibrations: Array<Load & { readonly cpuMs: number }> = []
  for (let n = 0; n < 5; n++)
    calibrations.push(
      await timed(server, () =>
        load(1, 1, (agent) => ask(agent, server, '/api/v1/runs/labelled/calibration?metric=llm-rubric')),
      ),
    )
  const times = calibrations.flatMap(({ times: [ms = 0] }) => [ms])
  print(
    `| ${storage}: calibration of ${LABELLED.cases} cases, ${LABELLED.items * 2} labels | 250 ms | first ${times[0]?.toFixed(0)} ms | ${median(times).toFixed(1)} | ${quantile(
      times.toSorted((a, b) => a - b),
      1,
    ).toFixed(1)} | ${median(calibrations.map(({ cpuMs }) => cpuMs)).toFixed(2)} |`,
  )
}

/** An order of labels in which neighbours are of other people and items. */
const spread = (n: number): number =>
  (n % PEOPLE) * 1_000 + Math.floor(n / PEOPLE) * 10 + (Math.floor((n % PEOPLE) / 5) % 10)

/** Measures what those who review wait for, by the goals for it, with the CPU time of the server per request next to it. */
export const reviews = async (print: Print): Promise<void> => {
  print('| reviews | goal | per second | p50, ms | p99, ms | CPU, ms a request |')
  print('|---|---|---|---|---|---|')
  const server = await startBenchServer('service')
  try {
    await measure(server, 'SQLite', print)
  } finally {
    await server.stop()
  }
  const postgres = await startPostgres({ durable: true })
  try {
    const second = await startBenchServer('service', undefined, { SERVICE_DATABASE_URL: await freshUrl(postgres) })
    try {
      await measure(second, 'PostgreSQL', print)
    } finally {
      await second.stop()
    }
  } finally {
    await postgres.stop()
  }
}
