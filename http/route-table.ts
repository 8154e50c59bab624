import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../queries/access/viewer.ts'
import { sendError } from './answer-error.ts'
import { isOfDocs, sendDocs, type DocsSite } from './docs-site.ts'
import type { RouteRules } from './identity/gate.ts'
import { isOfApi, routedPathOf } from './requests/request-path.ts'
import { CHECKER_PATH, sendAsset, sendChecker, sendPage, type WebBuild } from './web.ts'

export type RouteTable = {
  /**
   * Whether a route may answer a path. If there is a route without parameters for exactly this path, only that route
   * may answer it. A route with parameters may not, even if the exact route does not have the method of the request.
   */
  readonly takes: (route: string | undefined, path: string) => boolean
  /** The rules of a route about its callers, by its pattern; undefined if there is no such route. */
  readonly rulesOf: (route: string, method: string) => RouteRules | undefined
  /** The scope of the route that matches a path; undefined if none does. */
  readonly scopeOf: (path: string, method: string) => Scope | null | undefined
  /** Answers a path without a route: 404 or 405 in the API, elsewhere the documentation, an asset of the web app, else its page. */
  readonly answerUnrouted: (request: FastifyRequest, reply: FastifyReply) => FastifyReply
  /** Answers a request of the API that no route takes: 405 if the path has routes for other methods, else 404. */
  readonly answerNoRoute: (request: FastifyRequest, reply: FastifyReply) => FastifyReply
}

/**
 * Addresses that only programs ask for: the metadata of a site (RFC 8615), and where an authorization server is if it has
 * no metadata (Model Context Protocol, 2025-03-26). Clients for agents look there before they call a tool, and stop
 * with an error if they get a page.
 */
const FOR_PROGRAMS = /^\/(?:\.well-known(?:\/.*)?|(?:authorize|token|register|revoke)\/?)$/s
/** Where agents call tools, if the service is configured to serve them. */
const FOR_AGENTS = '/api/v1/mcp'
const NO_AGENTS = 'route not found: agents are not served here; start the service with SERVICE_MCP_ENABLED=true'
const NO_OAUTH = 'not found: this service issues no OAuth tokens; use an API key as a bearer token'

/** Records every route when it is added. The router itself would answer a wrong method with 404 instead of 405. */
export const routeTable = (app: FastifyInstance, web: WebBuild | null, docs: DocsSite): RouteTable => {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Map<string, RouteRules> }>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.scope === undefined) throw new Error(`route ${String(method)} ${url} does not say which scope it needs`)
    const route = routes.get(url) ?? { pattern: routePattern(url), methods: new Map<string, RouteRules>() }
    for (const name of [method].flat()) route.methods.set(name, config)
    routes.set(url, route)
  })
  const routeWithoutParameters = (path: string) => (path.includes(':') ? undefined : routes.get(path))
  const routesFor = (path: string) => {
    const exact = routeWithoutParameters(path)
    return exact ? [exact] : [...routes.values()].filter(({ pattern }) => pattern.test(path))
  }
  /** The methods of a path; empty if it is no route. Browsers alone send OPTIONS, and only before another method. */
  const allowed = (path: string): string[] =>
    [...new Set(routesFor(path).flatMap(({ methods }) => [...methods.keys()]))]
      .filter((method) => method !== 'OPTIONS')
      .sort()
  const notAllowed = (request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): FastifyReply =>
    sendError(reply.header('allow', methods.join(', ')), 405, `method ${request.method} is not allowed here`)
  const answerNoRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = routedPathOf(request)
    const methods = allowed(path)
    if (methods.length > 0) return notAllowed(request, reply, methods)
    return sendError(reply, 404, path === FOR_AGENTS ? NO_AGENTS : 'route not found')
  }
  const answerElsewhere = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply => {
    if (path.startsWith('/assets/'))
      return sendAsset(web, request, reply, path) ?? sendError(reply, 404, 'asset not found')
    if (isOfDocs(path)) return sendDocs(docs, request, reply, path)
    if (path === CHECKER_PATH) return sendChecker(web, request, reply) ?? sendPage(web, request, reply, path)
    const methods = allowed(path)
    if (methods.length > 0 && !methods.includes(request.method)) return notAllowed(request, reply, methods)
    if (FOR_PROGRAMS.test(path)) return sendError(reply, 404, NO_OAUTH)
    return sendPage(web, request, reply, path)
  }
  return {
    takes: (route, path) => route === path || routeWithoutParameters(path) === undefined,
    scopeOf: (path, method) =>
      routesFor(path)
        .find(({ methods }) => methods.has(method))
        ?.methods.get(method)?.scope,
    rulesOf: (route, method) => routes.get(route)?.methods.get(method),
    answerNoRoute,
    answerUnrouted: (request, reply) =>
      isOfApi(request) ? answerNoRoute(request, reply) : answerElsewhere(request, reply, routedPathOf(request)),
  }
}

const routePattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) =>
        part === '*' ? '.+' : part.startsWith(':') ? '[^/]+' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
      )
      .join('/')}$`,
  )
