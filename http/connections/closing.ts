import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { CHECK_MS, type Connections } from './connections.ts'
import type { EventStreams } from '../streams/event-streams.ts'

/** How long requests in flight may still take after the app starts to close. */
export const CUT_MS = 10_000

/** Maximum number of cut requests that the log names; the rest is counted. */
const MAX_LOGGED = 20

type Parts = { readonly connections: Connections; readonly streams: Pick<EventStreams, 'close'> }

/**
 * Manages connections while the app runs and while it closes. A close lets requests in flight finish, and each answer
 * ends its connection. Streams of events never finish, so they are ended first. Requests that are not done after `CUT_MS` are cut and logged, so that no slow client delays the
 * close. Returns a function that says whether the app is closing.
 */
export const closeInOrder = (
  app: FastifyInstance,
  { connections, streams }: Parts,
  logger: Logger,
): (() => boolean) => {
  let closing = false
  let cutTimer: NodeJS.Timeout | undefined
  const slowTimer = setInterval(connections.dropSlow, CHECK_MS).unref()

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
    streams.close()
    connections.endIdle()
    cutTimer = setTimeout(cut, CUT_MS)
  })
  app.addHook('onClose', async () => {
    clearInterval(slowTimer)
    clearTimeout(cutTimer)
  })
  // A keep-alive connection would delay the close.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) void reply.header('connection', 'close')
  })
  return () => closing
}
