import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { CHECK_MS } from './connections.ts'
import type { Connections } from './connections.ts'

/** How long requests in flight may still take once the app closes. */
export const CUT_MS = 10_000

/** Cut requests that the log names; the rest is counted. */
const MAX_LOGGED = 20

/**
 * Looks after connections while the app runs and while it closes. A close lets requests in flight finish: each answer
 * ends its connection. What is not done after `CUT_MS` is cut and logged, so that no slow client holds the close back.
 * Returns whether the app is closing.
 */
export const closeInOrder = (app: FastifyInstance, connections: Connections, logger: Logger): (() => boolean) => {
  let closing = false
  let cutting: NodeJS.Timeout | undefined
  const slow = setInterval(connections.dropSlow, CHECK_MS).unref()

  const cut = (): void => {
    const left = connections.cut()
    const requests = left.slice(0, MAX_LOGGED).map(({ method, url = '' }) => ({ method, path: url.split('?', 1)[0] }))
    if (left.length > 0)
      logger.warn(
        { count: left.length, requests },
        `requests that were not done ${CUT_MS / 1000} s after the stop were cut`,
      )
  }
  app.addHook('preClose', async () => {
    closing = true
    connections.endIdle()
    cutting = setTimeout(cut, CUT_MS)
  })
  app.addHook('onClose', async () => {
    clearInterval(slow)
    clearTimeout(cutting)
  })
  // A keep-alive connection would hold the close back.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) void reply.header('connection', 'close')
  })
  return () => closing
}
