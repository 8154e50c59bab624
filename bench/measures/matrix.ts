import { Agent } from 'node:http'
import { benchDocument } from '../documents.ts'
import { ask, interleaved, load, median, type Load } from '../load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 3

type Round = { readonly page: Load; readonly singleCase: Load | null }

/** Measures 100 rows of the matrix of a run with 10,000 cases, and one case of that run. */
export const matrix = async (print: Print): Promise<void> => {
  const body = Buffer.from(benchDocument(0, { cases: 10_000, bytesPerCase: 1000 }))
  const round = async (name: Server['name']): Promise<Round> => {
    const server = await startBenchServer(name)
    try {
      await ask(new Agent(), server, '/api/v1/runs', { method: 'POST', body })
      const page = await load(1, 300, (agent) => ask(agent, server, '/api/v1/runs/bench-00000000/matrix?limit=100'))
      if (name === 'floor') return { page, singleCase: null }
      const listed = (await (
        await fetch(`${server.url}/api/v1/runs/bench-00000000/cases?limit=200&cursor=5000`, { headers: server.headers })
      ).json()) as { cases: Array<{ case_key: string }> }
      const keys = listed.cases.map(({ case_key }) => case_key)
      return {
        page,
        singleCase: await load(1, 400, (agent, n) =>
          ask(agent, server, `/api/v1/runs/bench-00000000/cases/${keys[n % keys.length]}`),
        ),
      }
    } finally {
      await server.stop()
    }
  }
  const { floor, service } = await interleaved(ROUNDS, round)
  const [f, s] = [median(floor.map(({ page }) => page.p50)), median(service.map(({ page }) => page.p50))]
  print(`matrix, 100 rows, p50: floor ${f.toFixed(2)} ms, service ${s.toFixed(2)} ms, ratio ${(s / f).toFixed(2)}`)
  const caseLoads = service.flatMap(({ singleCase }) => (singleCase ? [singleCase] : []))
  print(
    `one case of that run: p50 ${median(caseLoads.map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${median(caseLoads.map(({ p99 }) => p99)).toFixed(2)} ms`,
  )
}
