import { Agent } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { benchDocument } from '../../documents.ts'
import { ask } from '../../load.ts'
import type { Server } from '../../servers.ts'

// A thread that uploads new runs without a pause until it receives a message. Its own thread, so that its work does not
// delay the clients that are measured.

/** `from` is the number of the first run. */
export type UploaderData = Pick<Server, 'url' | 'headers'> & { readonly clients: number; readonly from: number }
/** What it posts at its end. */
export type Uploaded = { readonly uploads: number; readonly seconds: number }

const DIFFERENT = 100
const { clients, from, ...server } = workerData as UploaderData

// Writing a document takes as long as uploading it. So only their beginnings are new: ids, sets and times.
const SPLIT = '"config_digest"'
const tails = Array.from({ length: DIFFERENT }, (_, n) => {
  const text = benchDocument(n)
  return Buffer.from(text.slice(text.indexOf(SPLIT)))
})
const bodyOf = (n: number): Buffer => {
  const text = benchDocument(n, { cases: 0 })
  return Buffer.concat([Buffer.from(text.slice(0, text.indexOf(SPLIT))), tails[n % DIFFERENT] ?? Buffer.alloc(0)])
}

let isStopped = false
parentPort?.once('message', () => (isStopped = true))
parentPort?.postMessage('ready')
let next = from
const start = performance.now()
await Promise.all(
  Array.from({ length: clients }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isStopped) {
      const { status } = await ask(agent, server, '/api/v1/runs', { method: 'POST', body: bodyOf(next++) })
      if (status !== 201) throw new Error(`an upload was answered ${status}`)
    }
    agent.destroy()
  }),
)
parentPort?.postMessage({ uploads: next - from, seconds: (performance.now() - start) / 1000 } satisfies Uploaded)
