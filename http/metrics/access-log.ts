import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { requestPath } from '../requests/request-path.ts'
import type { Metrics } from './metrics.ts'

/** One line of the access log. */
type AccessRecord = {
  readonly method: string | undefined
  /** The path as the client wrote it, without its query. */
  readonly path: string
  readonly request_id: string
  readonly status: number
  readonly milliseconds: number
}

export type WriteAccess = (record: AccessRecord) => void

/** Writes one event per request into the log at this level, with its latency to the microsecond. */
export const accessLog =
  (logger: Pick<FastifyBaseLogger, 'info' | 'debug'>, level: 'info' | 'debug'): WriteAccess =>
  ({ method, path, request_id, status, milliseconds }) =>
    logger[level]({ method, path, request_id, status, latency_ms: Math.round(milliseconds * 1000) / 1000 }, 'response')

/** An answer that was sent. */
export type SentAnswer = {
  readonly method: string
  readonly url: string
  /** The pattern of its route. */
  readonly route: string
  readonly request_id: string
  readonly status: number
  readonly milliseconds: number
}

export type RecordAnswer = (answer: SentAnswer) => void

/** Records every answer in the access log and in the metrics. */
export const answerRecorder =
  (writeAccess: WriteAccess, { observe }: Pick<Metrics, 'observe'>): RecordAnswer =>
  ({ method, url, route, request_id, status, milliseconds }) => {
    writeAccess({ method, path: requestPath({ url }), request_id, status, milliseconds })
    observe(method, route, status, milliseconds / 1000)
  }

/** Records every answer of the app, but a stream that had no end was recorded when it began. */
export const recordAnswers = (app: FastifyInstance, record: RecordAnswer): void => {
  app.addHook('onResponse', async ({ method, url, id: request_id, routeOptions }, reply) => {
    if (routeOptions.config.endless && reply.statusCode === 200) return
    record({
      method,
      url,
      // The pattern of the route, never the path. With paths, each name of a run or suite would create another time
      // series.
      route: routeOptions.url ?? 'none',
      request_id,
      status: reply.statusCode,
      milliseconds: reply.elapsedTime,
    })
  })
}
