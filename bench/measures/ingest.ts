import type { Agent } from 'node:http'
import { benchDocument } from '../documents.ts'
import { ask, interleaved, load, median, type Load } from '../load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 3
const WARM_UP = 100
const DOCUMENTS = 160

type Round = { readonly first: Load; readonly again: Load; readonly cpuMs: number }

/** Measures uploads of new documents, and of the same documents again, by 1, 4 and 16 clients. */
export const ingest = async (print: Print): Promise<void> => {
  const documents = Array.from({ length: WARM_UP + DOCUMENTS }, (_, n) => Buffer.from(benchDocument(n)))
  const upload = (server: Server) => (from: number) => (agent: Agent, n: number) =>
    ask(agent, server, '/api/v1/runs', { method: 'POST', body: documents[from + n] ?? Buffer.alloc(0) })

  const round = async (name: Server['name'], clients: number): Promise<Round> => {
    const server = await startBenchServer(name)
    try {
      await load(2, WARM_UP, upload(server)(0))
      const before = server.cpu()
      const first = await load(clients, DOCUMENTS, upload(server)(WARM_UP))
      const cpuMs = ((server.cpu() - before) / DOCUMENTS) * 1000
      if (first.statuses[201] !== DOCUMENTS) throw new Error(`${name} answered ${JSON.stringify(first.statuses)}`)
      return { first, again: await load(clients, DOCUMENTS, upload(server)(WARM_UP)), cpuMs }
    } finally {
      await server.stop()
    }
  }

  print(
    '| uploaders | floor docs/s | service docs/s | ratio | CPU ms/doc floor, service | ratio | p99 ms floor, service | ratio | again ratio |',
  )
  print('|---|---|---|---|---|---|---|---|---|')
  for (const clients of [1, 4, 16]) {
    const { floor, service } = await interleaved(ROUNDS, (name) => round(name, clients))
    const medians = (pick: (round: Round) => number) => [median(floor.map(pick)), median(service.map(pick))] as const
    const [fps, sps] = medians(({ first }) => first.perSecond)
    const [fcpu, scpu] = medians(({ cpuMs }) => cpuMs)
    const [fp99, sp99] = medians(({ first }) => first.p99)
    const [fagain, sagain] = medians(({ again }) => again.perSecond)
    const r = (a: number, b: number) => (a / b).toFixed(2)
    print(
      `| ${clients} | ${fps.toFixed(0)} | ${sps.toFixed(0)} | ${r(sps, fps)} | ${fcpu.toFixed(1)}, ${scpu.toFixed(1)} | ${r(scpu, fcpu)} | ${fp99.toFixed(0)}, ${sp99.toFixed(0)} | ${r(sp99, fp99)} | ${r(sagain, fagain)} |`,
    )
  }
}
