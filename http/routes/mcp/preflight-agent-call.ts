import { allowOrigin, type Origins } from '../../mcp/origins.ts'
import type { Route } from '../route.ts'

const PREFLIGHT = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
}

export const preflightAgentCallRoute =
  (origins: Origins): Route =>
  (app) =>
    app.options('/api/v1/mcp', { config: { scope: null }, schema: { hide: true } }, async (request, reply) => {
      if (allowOrigin(origins, request, reply)) void reply.headers(PREFLIGHT)
      return reply.code(204).send()
    })
