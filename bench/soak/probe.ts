import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import Database from 'better-sqlite3'

// Loaded into every thread of the server before its own code. Reports to the soak how long the main thread was blocked,
// and how many prepared statements are alive. It is not part of the service.

const RESOLUTION_MS = 2
/** How long the main thread waits for the reports of the other threads. A thread that reports later is not counted. */
const PATIENCE_MS = 1000

const channel = new BroadcastChannel('soak')
channel.unref()

let alive = 0
let prepared = 0
const collected = new FinalizationRegistry(() => alive--)
const prepare = Object.getOwnPropertyDescriptor(Database.prototype, 'prepare')?.value as (
  this: Database.Database,
  text: string,
) => Database.Statement
Database.prototype.prepare = function (this: Database.Database, text: string) {
  const statement = prepare.call(this, text)
  alive++
  prepared++
  collected.register(statement, undefined)
  return statement
} as typeof Database.prototype.prepare

type ThreadState = { readonly alive: number; readonly prepared: number; readonly heapMib: number }

/** Memory of this thread's JavaScript in MiB, including buffers outside of its heap. */
const heapMib = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1048576
}
/** Collects garbage first if the message says so. */
const state = (message: unknown): ThreadState => {
  if (message === 'collect') collectGarbage()
  return { alive, prepared, heapMib: heapMib() }
}
const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let states: ThreadState[] = []
  channel.onmessage = (message: unknown) => {
    states.push((message as { data: ThreadState }).data)
  }
  process.on('message', (message) => {
    // The histogram measures the whole time between two ticks of its timer, which includes the timer's own interval.
    const longestBlockMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS)
    states = [state(message)]
    channel.postMessage(message)
    setTimeout(() => {
      process.send?.({
        longestBlockMs,
        statements: states.reduce((sum, each) => sum + each.alive, 0),
        prepared: states.reduce((sum, each) => sum + each.prepared, 0),
        heapMib: states.reduce((sum, each) => sum + each.heapMib, 0),
      })
      delays.reset()
    }, PATIENCE_MS)
  })
  process.channel?.unref()
} else {
  channel.onmessage = (message: unknown) => {
    const { data } = message as { data: unknown }
    if (data === 'report' || data === 'collect') channel.postMessage(state(data))
  }
}
