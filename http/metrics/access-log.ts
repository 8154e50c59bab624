import type { FastifyBaseLogger } from 'fastify'

/** What the access log says of a request. */
export type AccessRecord = {
  readonly method: string | undefined
  /** The path as the client wrote it, without its query. */
  readonly path: string
  readonly request_id: string
  readonly status: number
  readonly milliseconds: number
}

export type WriteAccess = (record: AccessRecord) => void

/** Writes one event per request into the log, with its latency to the microsecond. */
export const accessLog =
  (logger: Pick<FastifyBaseLogger, 'info'>): WriteAccess =>
  ({ method, path, request_id, status, milliseconds }) =>
    logger.info({ method, path, request_id, status, latency_ms: Math.round(milliseconds * 1000) / 1000 }, 'response')
