import type { FastifyInstance } from 'fastify'
import type { Viewer } from '../../queries/access/viewer.ts'
import { isApiRead } from '../answers/cache-rules.ts'
import { routedPathOf } from '../requests/request-path.ts'
import type { RouteTable } from '../route-table.ts'
import type { HttpConfig } from '../services.ts'
import { clientAddress, trustedProxies } from './client-address.ts'
import { NO_ROUTE, type Gate } from './gate.ts'
import { rulesFor } from '../requests/keyed-routes.ts'
import { requiredScope, viewerOf } from './identity.ts'

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer
  }
}

type Parts = {
  readonly gate: Gate
  readonly table: RouteTable
  readonly config: HttpConfig
  readonly mint: () => string
}

/** Lets the gate check every request of the app, and sets its `viewer`. */
export const gateRoutes = (app: FastifyInstance, { gate, table, config, mint }: Parts): void => {
  const proxies = trustedProxies(config.trustedProxies)
  app.decorateRequest('viewer')
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(gate.headersOf(request.id, isApiRead(request)))
    await gate.waitUntilFresh(request.raw)
    const identity = await gate.identify(request.raw)
    const isRouted = !request.is404 && table.takes(request.routeOptions.url, routedPathOf(request))
    const rules = isRouted ? rulesFor(request.routeOptions.config, request.url) : NO_ROUTE
    gate.checkOrigin(request.raw, identity, rules)
    const address = clientAddress(proxies, request.socket.remoteAddress, request.headers['x-forwarded-for'])
    const needed = requiredScope(config.authMode, rules.scope ?? null)
    request.viewer = viewerOf(request, identity, { address, needed, mint })
    // Answered here, before Fastify checks the body, which it does for some methods: without a route, the body does not
    // matter.
    if (!isRouted) return table.answerUnrouted(request, reply)
    // An empty path part matches a parameter of a route, but it is not a valid name.
    if (Object.values(request.params as Record<string, string>).includes('')) return reply.callNotFound()
    gate.checkAccess(identity, rules)
  })
}
