import type { FastifyRequest } from 'fastify'

/** The URL of this server in a browser: the public URL, else scheme and host of the request. */
export const baseUrl = (request: FastifyRequest, publicUrl: string | null): string => {
  if (publicUrl !== null) return publicUrl
  return `${protoOf(request)}://${request.headers.host ?? 'localhost'}`
}

/** The scheme that the first proxy reports, if it is https; else http. Links never have any other scheme. */
const protoOf = ({ headers }: FastifyRequest): 'http' | 'https' => {
  const [first = ''] = [headers['x-forwarded-proto']].flat()
  return first.split(',', 1)[0]?.trim().toLowerCase() === 'https' ? 'https' : 'http'
}
