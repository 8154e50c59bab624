import { Agent } from 'node:http'
import { benchDocument } from '../documents.ts'
import { ask, load, median } from '../load.ts'
import type { Print } from '../measures.ts'
import { rawLoad } from '../raw-load.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 5
const STORED = 100
const READS = 20_000
const CLIENTS = 16

/**
 * Reads the badge of a suite in closed mode with a key, as an image proxy does. First each request has a label of its
 * own, which no earlier answer has; then all are the same.
 */
export const readBadges = async (print: Print): Promise<void> => {
  const server = await startBenchServer('service')
  try {
    await load(4, STORED, (agent, n) =>
      ask(agent, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(benchDocument(n)) }),
    )
    const path = await badgePath(server)
    const proxy: Server = { ...server, headers: {} }
    const [different, same]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      const labels = (n: number): string => `${path}&label=${round}-${n}`
      const others = await rawLoad(CLIENTS, READS / 4, proxy, labels)
      const kept = await rawLoad(CLIENTS, READS, proxy, path)
      // The first round is the warm-up.
      if (round === 0) continue
      different.push(others.perSecond)
      same.push(kept.perSecond)
    }
    print('| badge of a suite, 16 connections | req/s |')
    print('|---|---|')
    print(`| computed for each request | ${median(different).toFixed(0)} |`)
    print(`| from the cache of answers (goal 10,000) | ${median(same).toFixed(0)} |`)
  } finally {
    await server.stop()
  }
}

/** Makes a key for the badge of the first stored suite. Returns the path of the image with its key. */
const badgePath = async (server: Server): Promise<string> => {
  const { project, suite } = JSON.parse(benchDocument(0)) as { readonly project: string; readonly suite: string }
  const chunks: Buffer[] = []
  const path = `/api/v1/projects/${encodeURIComponent(project)}/suites/${encodeURIComponent(suite)}/badge`
  const { status } = await ask(new Agent(), server, path, { method: 'POST', onChunk: (chunk) => chunks.push(chunk) })
  if (status !== 201) throw new Error(`the key of a badge: ${status} ${Buffer.concat(chunks).toString()}`)
  const { pathname, search } = new URL((JSON.parse(Buffer.concat(chunks).toString()) as { readonly url: string }).url)
  return `${pathname}${search}`
}
