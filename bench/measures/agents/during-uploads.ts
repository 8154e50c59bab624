import { once } from 'node:events'
import { Agent } from 'node:http'
import { Worker } from 'node:worker_threads'
import { benchDocument } from '../../documents.ts'
import { ask, load, quantile, type Answer } from '../../load.ts'
import type { Print } from '../../measures.ts'
import { startBenchServer, type Server } from '../../servers.ts'
import { agentsFor, type Agents } from './calls.ts'
import type { Uploaded, UploaderData } from './uploader.ts'

const STORED = 300
const UPLOADERS = 4
/** Calls of each row, without and with uploads; few go before them, so that the server has compiled what it runs. */
const CALLS = 1_500
const WARM_UP = 200

type Row = (agents: Agents, agent: Agent, server: Server) => Promise<Answer>
const find =
  (given: Readonly<Record<string, unknown>>): Row =>
  (agents, agent, server) =>
    agents.call(agent, server, ['find_runs', given])

const SET = { project: 'project-1', suite: 'suite-2' }
const FAR = 9_000_000_000_000
let requests = 0
/** The cursor is unique and selects the first page, so that no response of the list is cached. */
const list: Row = (agents, agent, server) =>
  agents.get(agent, server, `/api/v1/runs?limit=10&cursor=${FAR + requests++}%3Ax`)

const ROWS: ReadonlyArray<readonly [string, Row]> = [
  ['find_runs', find({})],
  ['find_runs of a suite, 20 rows', find({ ...SET, limit: 20 })],
  ['find_runs, status fail', find({ status: 'fail' })],
  ['find_runs, group_by suite', find({ group_by: 'suite', project: SET.project })],
  ['GET /runs, not cached', list],
]

/** Measures `find_runs` of one agent without uploads, and while four clients upload without a pause. */
export const duringUploads = async (print: Print): Promise<void> => {
  const agents = agentsFor((2 * CALLS + WARM_UP) * ROWS.length)
  const server = await startBenchServer('service', undefined, agents.env)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  /** Times of each row, sorted. The rows alternate. */
  const measure = async (count: number): Promise<number[][]> => {
    const times: number[][] = ROWS.map(() => [])
    for (let n = 0; n < count; n++)
      for (const [i, [title, row]] of ROWS.entries()) {
        const { status, ms } = await row(agents, agent, server)
        if (status !== 200) throw new Error(`${title}: ${status}`)
        times[i]?.push(ms)
      }
    return times.map((each) => each.sort((a, b) => a - b))
  }
  try {
    await load(UPLOADERS, STORED, (uploading, n) =>
      ask(uploading, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(benchDocument(n)) }),
    )
    await agents.introduce(server)
    await measure(WARM_UP)
    const idle = await measure(CALLS)

    const uploader = new Worker(new URL('uploader.ts', import.meta.url), {
      workerData: {
        url: server.url,
        headers: server.headers,
        clients: UPLOADERS,
        from: STORED,
      } satisfies UploaderData,
    })
    await once(uploader, 'message')
    const busy = await measure(CALLS)
    uploader.postMessage('stop')
    const [{ uploads, seconds }] = (await once(uploader, 'message')) as [Uploaded]

    print(`| ${CALLS} calls each, one at a time | idle: p50, p95, p99, ms | while 4 upload: p50, p95, p99, ms |`)
    print('|---|---|---|')
    const figures = (sorted: readonly number[] = []): string =>
      [0.5, 0.95, 0.99].map((q) => quantile(sorted, q).toFixed(1)).join(', ')
    for (const [i, [title]] of ROWS.entries()) print(`| ${title} | ${figures(idle[i])} | ${figures(busy[i])} |`)
    print(
      `\nMeanwhile ${uploads} runs of 100 cases were uploaded in ${seconds.toFixed(0)} s: ${(uploads / seconds).toFixed(1)} a second.`,
    )
  } finally {
    agent.destroy()
    await server.stop()
  }
}
