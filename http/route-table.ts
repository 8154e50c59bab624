import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../queries/access/viewer.ts'
import { sendError } from './errors.ts'
import type { RouteRules } from './identity/gate.ts'
import { isOfApi, routedPathOf } from './requests/request-path.ts'
import { asset, shell } from './web.ts'
import type { WebBuild } from './web.ts'

export type RouteTable = {
  /**
   * Whether a route may take a path: one with a parameter takes no path of fixed words that is a route itself, whatever
   * its methods.
   */
  readonly takes: (route: string | undefined, path: string) => boolean
  /** What a route says of who may call it, by its pattern; undefined if there is no such route. */
  readonly rulesOf: (route: string, method: string) => RouteRules | undefined
  /** The scope of the route that takes a path; undefined where none does. */
  readonly scopeOf: (path: string, method: string) => Scope | null | undefined
  /** Answers a path that no route took: 404 or 405 in the API; outside of it an asset of the web app, else its page. */
  readonly answerUnrouted: (request: FastifyRequest, reply: FastifyReply) => FastifyReply
  /** Answers a path in the API that no route took: 405 if it has other methods, else 404. */
  readonly answerNoRoute: (request: FastifyRequest, reply: FastifyReply) => FastifyReply
}

/** Notes every route as it is made: the router itself answers 404 where a path is right and the method wrong. */
export const routeTable = (app: FastifyInstance, web: WebBuild | null): RouteTable => {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Map<string, RouteRules> }>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.scope === undefined) throw new Error(`route ${String(method)} ${url} does not say which scope it needs`)
    const known = routes.get(url) ?? { pattern: patternOf(url), methods: new Map<string, RouteRules>() }
    for (const each of [method].flat()) known.methods.set(each, config)
    routes.set(url, known)
  })
  const fixed = (path: string) => (path.includes(':') ? undefined : routes.get(path))
  const taking = (path: string) => {
    const own = fixed(path)
    return own ? [own] : [...routes.values()].filter(({ pattern }) => pattern.test(path))
  }
  /** The methods that a path answers; empty where it is no route. */
  const allowed = (path: string): string[] =>
    [...new Set(taking(path).flatMap(({ methods }) => [...methods.keys()]))].sort()
  const notAllowed = (request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): FastifyReply =>
    sendError(reply.header('allow', methods.join(', ')), 405, `method ${request.method} is not allowed here`)
  const answerNoRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const methods = allowed(routedPathOf(request))
    return methods.length > 0 ? notAllowed(request, reply, methods) : sendError(reply, 404, 'route not found')
  }
  const answerElsewhere = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply => {
    if (path.startsWith('/assets/')) return asset(web, request, reply, path) ?? sendError(reply, 404, 'asset not found')
    const methods = allowed(path)
    if (methods.length > 0 && !methods.includes(request.method)) return notAllowed(request, reply, methods)
    return shell(web, request, reply)
  }
  return {
    takes: (route, path) => route === path || fixed(path) === undefined,
    scopeOf: (path, method) =>
      taking(path)
        .find(({ methods }) => methods.has(method))
        ?.methods.get(method)?.scope,
    rulesOf: (route, method) => routes.get(route)?.methods.get(method),
    answerNoRoute,
    answerUnrouted: (request, reply) =>
      isOfApi(request) ? answerNoRoute(request, reply) : answerElsewhere(request, reply, routedPathOf(request)),
  }
}

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
      .join('/')}$`,
  )
