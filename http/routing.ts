import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { shell } from './web.ts'

export type RouteTable = {
  /** The methods that a path answers; empty where it is no route. */
  readonly allowed: (path: string) => string[]
  /** A path outside the API that no route took: an asset that is missing, else the web shell, whatever the method. */
  readonly answerElsewhere: (request: FastifyRequest, reply: FastifyReply, path: string) => FastifyReply
}

/** Notes every route as it is made: the router itself answers 404 where a path is right and the method wrong. */
export const methodsOf = (app: FastifyInstance): RouteTable => {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.scope === undefined) throw new Error(`route ${String(method)} ${url} does not say which scope it needs`)
    const known = routes.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const each of [method].flat()) known.methods.add(each)
    routes.set(url, known)
  })
  const allowed = (path: string): string[] => {
    const methods = [...routes.values()].filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods])
    return [...new Set(methods)].sort()
  }
  return {
    allowed,
    answerElsewhere: (request, reply, path) => {
      if (path.startsWith('/assets/')) return reply.code(404).send({ error: 'asset not found' })
      const methods = allowed(path)
      if (methods.length > 0 && !methods.includes(request.method)) return reply.header('allow', methods.join(', ')).code(405).send({ error: `method ${request.method} is not allowed here` })
      return shell(reply)
    },
  }
}

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))).join('/')}$`)
