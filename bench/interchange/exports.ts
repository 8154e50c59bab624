import { Agent, request } from 'node:http'
import { EXPORT_FORMAT_NAMES } from '../../domain/report/export-formats.ts'
import { benchDocument } from '../documents.ts'
import { ask } from '../load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 3
const SAMPLE_MS = 5
const MEBIBYTE = 1024 * 1024

/**
 * Exports a run of 64 MiB as its document and in each format. Measures the time to the first byte, the throughput, and by how much memory
 * grows at most while the response is sent.
 */
export const measureExports = async (print: Print): Promise<void> => {
  const body = Buffer.from(benchDocument(0, { cases: 35_000, bytesPerCase: 1300 }))
  print(
    `document: ${(body.length / MEBIBYTE).toFixed(1)} MiB, 35,000 cases; goals: first byte 50 ms, CSV 20 MB/s, 30 MiB`,
  )
  print(
    '\n| format | first byte | whole | CPU | file | per second | of the document | memory grows by |\n|---|---|---|---|---|---|---|---|',
  )
  const server = await startBenchServer('service')
  try {
    await ask(new Agent(), server, '/api/v1/runs', { method: 'POST', body })
    for (const format of ['', ...EXPORT_FORMAT_NAMES]) {
      const path = `/api/v1/runs/bench-00000000/export${format === '' ? '' : `/${format}`}`
      // The first download starts the reader thread and compiles the exporter.
      const first = await download(server, path)
      const rounds = []
      for (let i = 0; i < ROUNDS; i++) rounds.push(await download(server, path))
      const best = rounds.toSorted((a, b) => a.wholeMs - b.wholeMs)[1] ?? first
      const perSecond = (bytes: number): string => `${(bytes / 1e6 / (best.wholeMs / 1000)).toFixed(1)} MB`
      print(
        `| ${format || 'the document'} | ${best.firstByteMs.toFixed(1)} ms (first of all ${first.firstByteMs.toFixed(0)} ms) | ${best.wholeMs.toFixed(0)} ms | ${(1000 * best.cpuSeconds).toFixed(0)} ms | ${(best.bytes / MEBIBYTE).toFixed(1)} MiB | ${perSecond(best.bytes)} | ${perSecond(body.length)} | ${Math.max(...rounds.map(({ grownMib }) => grownMib)).toFixed(0)} MiB (first of all ${first.grownMib.toFixed(0)} MiB) |`,
      )
    }
  } finally {
    await server.stop()
  }
}

type Download = {
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly bytes: number
  /** Of all threads of the server. */
  readonly cpuSeconds: number
  readonly grownMib: number
}

const download = ({ url, headers, memory, cpu }: Server, path: string): Promise<Download> =>
  new Promise((resolve, reject) => {
    const before = memory().now
    const cpuBefore = cpu()
    let most = before
    const samples = setInterval(() => (most = Math.max(most, memory().now)), SAMPLE_MS)
    const from = performance.now()
    request(`${url}${path}`, { headers }, (answer) => {
      let firstByteMs = 0
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        if (firstByteMs === 0) firstByteMs = performance.now() - from
        bytes += chunk.length
      })
      answer.on('error', reject)
      answer.on('end', () => {
        clearInterval(samples)
        const wholeMs = performance.now() - from
        resolve({ firstByteMs, wholeMs, bytes, cpuSeconds: cpu() - cpuBefore, grownMib: most - before })
      })
    })
      .on('error', reject)
      .end()
  })
