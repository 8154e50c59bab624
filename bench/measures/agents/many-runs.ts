import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { benchDocument } from '../../documents.ts'
import { fillStore } from '../../fill-store.ts'
import { median, quantile } from '../../load.ts'
import type { Print } from '../../measures.ts'
import { startBenchServer } from '../../servers.ts'
import { agentsFor, type ToolCall } from './calls.ts'

/** Number of runs; `BENCH_RUNS=10000` gives a quicker run. `BENCH_AGENTS_STORE` names a data directory to use instead. */
const RUNS = Number(process.env['BENCH_RUNS'] ?? 100_000)
const CALLS = 500
const WARM_UP = 200
const STARTS = 3
/** Time from the start until a server has finished what it does after its first answer. */
const SETTLE_MS = 1_500

/** A thousand run sets: five with a tenth of the runs each, and the other half of the runs in the remaining sets. */
const documentOf = (n: number): string =>
  benchDocument(n, {
    cases: 4,
    bytesPerCase: 200,
    ...(n % 2 === 0 ? { projects: 5, suites: 1 } : { projects: 10, suites: 199 }),
    ...(n % 1000 === 0 ? { rareWord: 'quokka' } : {}),
  })

const SET = { project: 'project-1', suite: 'suite-0' }
const FAR = 9_000_000_000_000
let requests = 0
/** Both make an address unique, so that its response is not cached. The cursor selects the first page. */
const cursor = (): string => `&cursor=${FAR + requests++}%3Ax`
const blanks = (): string => '+'.repeat(1 + (requests++ % 2_000))

/** A call, and the same question over REST. `fresh` makes its address unique. */
type Question = {
  readonly title: string
  readonly call: ToolCall
  readonly path: string
  readonly fresh: () => string
}
const find = (title: string, given: Readonly<Record<string, string>>): Question => ({
  title,
  call: ['find_runs', given],
  path: `/api/v1/runs?${new URLSearchParams({ ...given, limit: '10' }).toString()}`,
  fresh: cursor,
})
const searchFor = (title: string, q: string): Question => ({
  title: `search, ${title}`,
  call: ['search', { q }],
  path: `/api/v1/search?limit=10&q=${encodeURIComponent(q)}`,
  fresh: blanks,
})

const FIND = find('find_runs', {})
const SEARCH = searchFor('rare word', 'quokka')
const QUESTIONS: readonly Question[] = [
  FIND,
  find('find_runs of a suite', SET),
  find('find_runs, status fail', { status: 'fail' }),
  find('find_runs, branch', { branch: 'feature-3' }),
  SEARCH,
  searchFor('common word', 'answer'),
  searchFor('two common words', 'answer model'),
  searchFor('beginning of a common word', 'answ'),
  searchFor('no such word', 'zyzzyva'),
]

type Times = { readonly p50: number; readonly p99: number }
type Kind = 'call' | 'fresh' | 'again'

/**
 * Measures `find_runs` and `search` with many runs: the first call of a process, and warm ones, next to the same
 * questions over REST. Tool calls are never cached; a REST response is only in the column that says so.
 */
export const manyRuns = async (print: Print): Promise<void> => {
  const given = process.env['BENCH_AGENTS_STORE']
  const dataDir = given ?? mkdtempSync(join(tmpdir(), 'ers-bench-agents-'))
  try {
    if (given === undefined) await fillStore(dataDir, RUNS, documentOf)
    await firstCalls(print, dataDir)
    await warmCalls(print, dataDir)
  } finally {
    if (given === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Each figure is the first request of its own process. The files are in the page cache of the system. */
const firstCalls = async (print: Print, dataDir: string): Promise<void> => {
  const agents = agentsFor(1)
  print(`| first request after a start, median of ${STARTS}, ms | MCP | REST |`)
  print('|---|---|---|')
  for (const { title, call, path } of [FIND, SEARCH]) {
    const times: Record<'call' | 'get', number[]> = { call: [], get: [] }
    for (let i = 0; i < STARTS; i++)
      for (const kind of ['call', 'get'] as const) {
        const server = await startBenchServer('service', dataDir, agents.env)
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        try {
          await fetch(`${server.url}/api/v1/ready`)
          await wait(SETTLE_MS)
          const answer =
            kind === 'call' ? await agents.call(agent, server, call) : await agents.get(agent, server, path)
          times[kind].push(answer.ms)
        } finally {
          agent.destroy()
          await server.stop()
        }
      }
    print(`| ${title} | ${median(times.call).toFixed(1)} | ${median(times.get).toFixed(1)} |`)
  }
  print('')
}

const warmCalls = async (print: Print, dataDir: string): Promise<void> => {
  const agents = agentsFor((WARM_UP + CALLS) * QUESTIONS.length)
  const server = await startBenchServer('service', dataDir, agents.env)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await agents.introduce(server)
    /** The three kinds alternate, so that other load on the machine affects all of them. */
    const measure = async ({ title, call, path, fresh }: Question, count: number): Promise<Record<Kind, Times>> => {
      const times: Record<Kind, number[]> = { call: [], fresh: [], again: [] }
      for (let n = 0; n < count; n++) {
        const answers = {
          fresh: await agents.get(agent, server, path + fresh()),
          call: await agents.call(agent, server, call),
          again: await agents.get(agent, server, path),
        }
        for (const kind of ['call', 'fresh', 'again'] as const) {
          if (answers[kind].status !== 200) throw new Error(`${title}, ${kind}: ${answers[kind].status}`)
          times[kind].push(answers[kind].ms)
        }
      }
      const figures = (values: number[]): Times => {
        values.sort((a, b) => a - b)
        return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) }
      }
      return { call: figures(times.call), fresh: figures(times.fresh), again: figures(times.again) }
    }
    print(
      `| ${CALLS} warm requests each, one at a time | MCP: p50, p99, ms | REST, not cached: p50, p99, ms | ratio of p50 | REST, cached: p50, p99, ms | ratio of p50 |`,
    )
    print('|---|---|---|---|---|---|')
    const both = ({ p50, p99 }: Times): string => `${p50.toFixed(2)}, ${p99.toFixed(2)}`
    for (const question of QUESTIONS) {
      await measure(question, WARM_UP)
      const { call, fresh, again } = await measure(question, CALLS)
      print(
        `| ${question.title} | ${both(call)} | ${both(fresh)} | ${(call.p50 / fresh.p50).toFixed(2)} | ${both(again)} | ${(call.p50 / again.p50).toFixed(2)} |`,
      )
    }
  } finally {
    agent.destroy()
    await server.stop()
  }
}
