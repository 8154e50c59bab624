import { Agent } from 'node:http'
import { benchDocument } from '../documents.ts'
import { ask, interleaved, load, median } from '../load.ts'
import type { Load } from '../load.ts'
import type { Say } from '../measures.ts'
import { startBenchServer } from '../servers.ts'
import type { Server } from '../servers.ts'

const ROUNDS = 3

type Round = { readonly page: Load; readonly one: Load | null }

/** 100 rows of the matrix of a 10,000-case run, and one case of it. */
export const matrix = async (say: Say): Promise<void> => {
  const body = Buffer.from(benchDocument(0, { cases: 10_000, bytesACase: 1000 }))
  const round = async (name: Server['name']): Promise<Round> => {
    const server = await startBenchServer(name)
    try {
      await ask(new Agent(), server, '/api/v1/runs', { method: 'POST', body })
      const page = await load(1, 300, (agent) => ask(agent, server, '/api/v1/runs/bench-00000000/matrix?limit=100'))
      if (name === 'floor') return { page, one: null }
      const listed = (await (
        await fetch(`${server.url}/api/v1/runs/bench-00000000/cases?limit=200&cursor=5000`, { headers: server.headers })
      ).json()) as { cases: Array<{ case_key: string }> }
      const keys = listed.cases.map(({ case_key }) => case_key)
      return {
        page,
        one: await load(1, 400, (agent, n) =>
          ask(agent, server, `/api/v1/runs/bench-00000000/cases/${keys[n % keys.length]}`),
        ),
      }
    } finally {
      await server.stop()
    }
  }
  const { floor, service } = await interleaved(ROUNDS, round)
  const [f, s] = [median(floor.map(({ page }) => page.p50)), median(service.map(({ page }) => page.p50))]
  say(`matrix, 100 rows, p50: floor ${f.toFixed(2)} ms, service ${s.toFixed(2)} ms, ratio ${(s / f).toFixed(2)}`)
  const ones = service.flatMap(({ one }) => (one ? [one] : []))
  say(
    `one case of that run: p50 ${median(ones.map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${median(ones.map(({ p99 }) => p99)).toFixed(2)} ms`,
  )
}
