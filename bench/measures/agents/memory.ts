import { agentsFor, type ToolCall } from './calls.ts'
import { benchDocument } from '../../documents.ts'
import { ask, load } from '../../load.ts'
import type { Print } from '../../measures.ts'
import { startSoakServer } from '../../soak/server.ts'

const CALLS = Number(process.env['BENCH_CALLS'] ?? 10_000)
const READ_EVERY = 1_000
/** The heap after a collection is read after 1,000 calls and every 3,000 further ones: a collection costs a pause. */
const HEAP_EVERY = 3
const CLIENTS = 4

const RUNS = 200
/** Five projects of four suites: a suite has each twentieth run. */
const SUITES = 20
const WORDS = ['refund order', 'timeout', 'python function', 'quokka', 'cursor history', 'answ']

const idOf = (n: number): string => `bench-${String(n % RUNS).padStart(8, '0')}`

type StoredCase = { readonly case_key: string }
const keys = (JSON.parse(benchDocument(0)) as { readonly cases: readonly StoredCase[] }).cases.map(
  ({ case_key }) => case_key,
)
const keyOf = (n: number): string => keys[(n * 7) % keys.length] ?? ''
const suiteOf = (n: number) => ({ project: `project-${n % 5}`, suite: `suite-${Math.floor(n / 5) % 4}` })

/** The calls of an agent that looks into a run, in turn: all eight tools, some with several forms of arguments. */
const STEPS: ReadonlyArray<(n: number) => ToolCall> = [
  () => ['get_server_info', {}],
  (n) => ['find_runs', { ...suiteOf(n), limit: 10 + (n % 40) }],
  () => ['find_runs', { group_by: 'project' }],
  (n) => ['find_runs', { group_by: 'suite', project: suiteOf(n).project }],
  (n) => ['get_run', { run_id: idOf(n) }],
  (n) => ['get_run', { run_id: idOf(n), include: ['matrix', 'config'] }],
  (n) => ['list_cases', { run_id: idOf(n), status: 'fail', limit: 10 }],
  (n) => ['list_cases', { run_id: idOf(n), q: 'refund', limit: 10, provider: 'fast-model' }],
  (n) => ['get_case', { run_id: idOf(n), case_key: keyOf(n) }],
  (n) => ['get_case', { run_id: idOf(n), case_key: keyOf(n), fields: ['prompt'], max_chars: 20_000 }],
  (n) => ['case_history', { ...suiteOf(n), case_key: keyOf(n) }],
  (n) => ['compare_runs', { base_run_id: idOf(n), head_run_id: idOf(n + SUITES) }],
  (n) => ['search', { q: WORDS[Math.floor(n / 13) % WORDS.length] ?? '', limit: 10 }],
  (n) => ['get_server_info', { include: n % 2 === 0 ? ['cache'] : [] }],
]

/** Measures the memory of the server during many calls of all tools. No answer to a call is cached. */
export const agentMemory = async (print: Print): Promise<void> => {
  // The calls, and those before the first figure.
  const agents = agentsFor(CALLS + STEPS.length * CLIENTS, 'soak-token')
  const server = await startSoakServer({ probe: true, env: agents.env })
  try {
    const stored = await load(2, RUNS, (agent, n) =>
      ask(agent, server, '/api/v1/runs', {
        method: 'POST',
        body: Buffer.from(benchDocument(n, n % 50 === 0 ? { rareWord: 'quokka' } : {})),
      }),
    )
    if (stored.statuses[201] !== RUNS) throw new Error(`uploads were answered ${JSON.stringify(stored.statuses)}`)
    await agents.introduce(server)

    print(
      '| tool calls | RSS, MiB | JavaScript of all threads, MiB | after a collection, MiB | p50, ms | p99, ms | calls/s |',
    )
    print('|---|---|---|---|---|---|---|')
    const row = async (made: number, times: readonly string[]): Promise<void> => {
      const { resident } = server.usage()
      const { heapMib } = await server.probe()
      const collected =
        made === 0 || (made / READ_EVERY) % HEAP_EVERY === 1 ? await server.probe({ collect: true }) : null
      print(
        `| ${[String(made), resident.toFixed(0), heapMib.toFixed(1), collected?.heapMib.toFixed(1) ?? '', ...times].join(' | ')} |`,
      )
    }
    let n = 0
    const step = () => STEPS[n % STEPS.length]?.(n++) ?? ([''] as never)
    await load(CLIENTS, STEPS.length, (agent) => agents.call(agent, server, step()))
    await row(0, ['', '', ''])
    for (let made = 0; made < CALLS;) {
      const { count, p50, p99, perSecond } = await load(CLIENTS, Math.min(READ_EVERY, CALLS - made), (agent) =>
        agents.call(agent, server, step()),
      )
      made += count
      await row(made, [p50.toFixed(1), p99.toFixed(1), perSecond.toFixed(0)])
    }
    if (server.failures.length > 0) print(`\nfailures in the log: ${server.failures.join('\n')}`)
  } finally {
    await server.stop()
  }
}
