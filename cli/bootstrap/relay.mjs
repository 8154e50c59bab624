// A process of Node in the terminal of this one. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { clearInterval, setInterval } from 'node:timers'

/**
 * Settings of glibc's allocator: few arenas, and freed large blocks are returned to the system. Without them the
 * process retains the memory of ended threads. They only take effect at the start of a process. Other systems ignore
 * them.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Runs Node on `args` with our terminal, forwards signals and returns its exit code. The child has its own process
 * group. Otherwise Ctrl-C would reach it two or three times (from the terminal, npm and this process), and a second
 * signal stops a server before it finishes the requests in flight. Signals repeated within `pause` milliseconds count
 * as one.
 */
export const relay = async (
  node,
  args,
  { env = { ...ALLOCATOR, ...process.env }, cwd, started, stdio = 'inherit', pause = 1000 } = {},
) => {
  let child
  const last = new Map()
  const forward = (signal) => {
    const before = last.get(signal) ?? -Infinity
    last.set(signal, Date.now())
    // A signal that repeats without a pause is a duplicate. After a pause, the user has sent it again.
    if (Date.now() - before > pause) child.kill(signal)
  }
  const end = () => child?.kill()
  // If npm is terminated, it ends only its shell, and the shell sends no signal. Then only the change of the parent
  // process shows that the child must stop.
  const parent = process.ppid
  // If a signal was forwarded, the child is already stopping.
  const watch = setInterval(
    () => process.env.npm_lifecycle_event && process.ppid !== parent && last.size === 0 && forward('SIGTERM'),
    300,
  ).unref()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  // Before the child starts: a signal in between would end this process and leave the child running.
  for (const signal of signals) process.on(signal, forward)
  process.on('exit', end)
  try {
    child = spawn(node, args, { env, cwd, stdio, detached: process.platform !== 'win32' })
    started?.(child)
    const [code, signal] = await once(child, 'exit')
    return signal ? 128 + constants.signals[signal] : code
  } finally {
    for (const signal of signals) process.off(signal, forward)
    process.off('exit', end)
    clearInterval(watch)
  }
}
