import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'

/**
 * Replaces the `inject` of an app, which waits for the end of an answer. A stream of events has none: its answer ends
 * with its first bytes, without the random id.
 */
export const injectEndless = (app: FastifyInstance): FastifyInstance['inject'] => {
  const inject = app.inject.bind(app)
  const injectStream = async (options: InjectOptions): Promise<LightMyRequestResponse> => {
    const answer = await inject({ ...options, payloadAsStream: true })
    const isEndless = answer.statusCode === 200
    const chunks: Buffer[] = []
    for await (const chunk of answer.stream() as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      if (isEndless) break
    }
    if (isEndless) answer.raw.res.destroy()
    const body = Buffer.concat(chunks)
      .toString()
      .replace(/^id: .*$/m, 'id:')
    // The answer to HEAD has none.
    const { 'transfer-encoding': _, ...headers } = answer.headers
    return { ...answer, headers, body, payload: body, json: <T>() => JSON.parse(body) as T }
  }
  return ((options: InjectOptions | string) =>
    typeof options === 'object' && typeof options.url === 'string' && options.url.startsWith('/api/v1/events/stream')
      ? injectStream(options)
      : inject(options)) as FastifyInstance['inject']
}
