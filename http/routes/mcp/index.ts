import type { Gate } from '../../identity/gate.ts'
import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import { openMethods } from '../../mcp/methods.ts'
import { allowedOrigins } from '../../mcp/origins.ts'
import type { McpConfig, Services } from '../../services.ts'
import type { Route } from '../route.ts'
import { callAgentMethodRoute } from './call-agent-method.ts'
import { preflightAgentCallRoute } from './preflight-agent-call.ts'

/** The endpoint for agents. */
export const mcpRoutes = (services: Services, gate: Gate, mcp: McpConfig, outlines: Outlines): readonly Route[] => {
  const { version, publicUrl } = services.config
  const origins = allowedOrigins(publicUrl, mcp.allowedOrigins)
  return [
    preflightAgentCallRoute(origins),
    callAgentMethodRoute({ services, gate, outlines, origins, runMethod: openMethods(version) }),
  ]
}
