import { Agent, request } from 'node:http'
import { benchDocument } from '../documents.ts'
import { ask } from '../load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

/** Uploads and exports a document of 64 MiB. Measures the time to the first byte and the growth of memory. */
export const exportLargeDocument = async (print: Print): Promise<void> => {
  const body = Buffer.from(benchDocument(0, { cases: 35_000, bytesPerCase: 1300 }))
  print(`document: ${(body.length / 1048576).toFixed(1)} MiB, 35,000 cases`)
  const server = await startBenchServer('service')
  try {
    const from = performance.now()
    const { status } = await ask(new Agent(), server, '/api/v1/runs', { method: 'POST', body })
    print(
      `upload: ${status} in ${((performance.now() - from) / 1000).toFixed(2)} s, memory ${server.memory().peak.toFixed(0)} MiB at most`,
    )
    for (let i = 0; i < 3; i++) {
      const before = server.memory().now
      const { firstByte, total, same } = await download(server, '/api/v1/runs/bench-00000000/export', body)
      print(
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
      let offset = 0
      let same = true
      answer.on('data', (chunk: Buffer) => {
        if (firstByte === 0) firstByte = performance.now() - from
        same &&= expected.subarray(offset, offset + chunk.length).equals(chunk)
        offset += chunk.length
      })
      answer.on('end', () =>
        resolve({ firstByte, total: performance.now() - from, same: same && offset === expected.length }),
      )
    })
      .on('error', reject)
      .end()
  })
