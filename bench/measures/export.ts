import { Agent, request } from 'node:http'
import { benchDocument } from '../documents.ts'
import { ask } from '../load.ts'
import type { Say } from '../measures.ts'
import { startBenchServer } from '../servers.ts'
import type { Server } from '../servers.ts'

/** A document of 64 MiB goes in and comes out: first byte, and what memory grows by. */
export const exportLargeDocument = async (say: Say): Promise<void> => {
  const body = Buffer.from(benchDocument(0, { cases: 35_000, bytesACase: 1300 }))
  say(`document: ${(body.length / 1048576).toFixed(1)} MiB, 35,000 cases`)
  const server = await startBenchServer('service')
  try {
    const from = performance.now()
    const { status } = await ask(new Agent(), server, '/api/v1/runs', { method: 'POST', body })
    say(
      `upload: ${status} in ${((performance.now() - from) / 1000).toFixed(2)} s, memory ${server.memory().peak.toFixed(0)} MiB at most`,
    )
    for (let i = 0; i < 3; i++) {
      const before = server.memory().now
      const { firstByte, total, same } = await download(server, '/api/v1/runs/bench-00000000/export', body)
      say(
        `export ${i + 1}: first byte ${firstByte.toFixed(1)} ms, whole ${total.toFixed(0)} ms, byte-equal ${same}, memory grows by ${(server.memory().now - before).toFixed(0)} MiB`,
      )
    }
  } finally {
    await server.stop()
  }
}

const download = (
  { url, headers }: Server,
  path: string,
  expected: Buffer,
): Promise<{ firstByte: number; total: number; same: boolean }> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    request(`${url}${path}`, { headers }, (answer) => {
      let firstByte = 0
      let at = 0
      let same = true
      answer.on('data', (chunk: Buffer) => {
        if (firstByte === 0) firstByte = performance.now() - from
        same &&= expected.subarray(at, at + chunk.length).equals(chunk)
        at += chunk.length
      })
      answer.on('end', () =>
        resolve({ firstByte, total: performance.now() - from, same: same && at === expected.length }),
      )
    })
      .on('error', reject)
      .end()
  })
