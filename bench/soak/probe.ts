import { monitorEventLoopDelay } from 'node:perf_hooks'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import Database from 'better-sqlite3'

// Loaded into the server before its own code, in every thread: tells the soak how long the main thread was blocked, and
// how many prepared statements live. Nothing of it is part of the service.

const RESOLUTION_MS = 2
/** How long the threads have to answer; one that is busy is left out. */
const PATIENCE_MS = 1000

const channel = new BroadcastChannel('soak')
channel.unref()

let alive = 0
let prepared = 0
const gone = new FinalizationRegistry(() => alive--)
const prepare = Object.getOwnPropertyDescriptor(Database.prototype, 'prepare')?.value as (
  this: Database.Database,
  text: string,
) => Database.Statement
Database.prototype.prepare = function (this: Database.Database, text: string) {
  const statement = prepare.call(this, text)
  alive++
  prepared++
  gone.register(statement, undefined)
  return statement
} as typeof Database.prototype.prepare

type Told = { readonly alive: number; readonly prepared: number; readonly heapMib: number }

/** What the JavaScript of this thread holds, buffers outside of its heap included. */
const heapMib = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1048576
}
const state = (): Told => ({ alive, prepared, heapMib: heapMib() })

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let told: Told[] = []
  channel.onmessage = (message: unknown) => {
    told.push((message as { data: Told }).data)
  }
  process.on('message', () => {
    // The histogram holds whole intervals, the timer's own among them.
    const longestBlockMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS)
    told = [state()]
    channel.postMessage('tell')
    setTimeout(() => {
      process.send?.({
        longestBlockMs,
        statements: told.reduce((sum, each) => sum + each.alive, 0),
        prepared: told.reduce((sum, each) => sum + each.prepared, 0),
        heapMib: told.reduce((sum, each) => sum + each.heapMib, 0),
      })
      delays.reset()
    }, PATIENCE_MS)
  })
  process.channel?.unref()
} else {
  channel.onmessage = (message: unknown) => {
    if ((message as { data: unknown }).data === 'tell') channel.postMessage(state())
  }
}
