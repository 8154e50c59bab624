import type { Agent } from 'node:http'
import { ask, load, type Answer } from '../../load.ts'
import type { Server } from '../../servers.ts'

/** Calls that one identity may make at once. Each identity makes at most as many here, so that none ever waits. */
const BURST = 10

type Target = Pick<Server, 'url' | 'headers'>

/** A tool and its arguments. */
export type ToolCall = readonly [name: string, given: Readonly<Record<string, unknown>>]

/** The clients of a measure: as many static tokens as its calls need. */
export type Agents = {
  /** The environment of the server, with the endpoint and the tokens of all agents. */
  readonly env: Readonly<Record<string, string>>
  /** Reads with each token once, so that later calls do not include the first comparison of a token. Takes no budget. */
  readonly introduce: (server: Target) => Promise<void>
  /** Calls a tool. Throws unless the result is one without an error. */
  readonly call: (agent: Agent, server: Target, call: ToolCall) => Promise<Answer>
  /** A GET as the first agent. */
  readonly get: (agent: Agent, server: Target, path: string) => Promise<Answer>
}

const NO_ERROR = Buffer.from('"isError":false}')

/**
 * Agents for a number of calls. A server counts ten calls at once and one a second for each identity. Static tokens are
 * identities, and a server accepts thousands: so the real program answers as fast as it can, without a change of its
 * limits. `admin` is the secret of one more token, which uploads.
 */
export const agentsFor = (calls: number, admin = 'bench'): Agents => {
  const tokens = Array.from({ length: Math.ceil(calls / BURST) }, (_, n) => `agent-${n}`)
  const headersOf = ({ headers }: Target, n: number) => ({
    ...headers,
    authorization: `Bearer ${tokens[n % tokens.length] ?? ''}`,
  })
  let next = 0
  return {
    env: {
      SERVICE_MCP_ENABLED: 'true',
      SERVICE_TOKENS: [`admin:${admin}`, 'read:reader', ...tokens.map((token) => `read:${token}`)].join(','),
    },
    introduce: async (server) => {
      const { statuses, count } = await load(4, tokens.length, (agent, n) =>
        ask(agent, { url: server.url, headers: headersOf(server, n) }, '/api/v1/runs?limit=1'),
      )
      if (statuses[200] !== count) throw new Error(`the tokens were answered ${JSON.stringify(statuses)}`)
    },
    call: async (agent, server, [name, given]) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
      const chunks: Buffer[] = []
      const target = { url: server.url, headers: headersOf(server, next++) }
      const answer = await ask(agent, target, '/api/v1/mcp', {
        method: 'POST',
        body: Buffer.from(JSON.stringify(message)),
        onChunk: (chunk) => chunks.push(chunk),
      })
      const text = Buffer.concat(chunks)
      if (answer.status !== 200 || !text.includes(NO_ERROR))
        throw new Error(`${name} ${JSON.stringify(given)}: ${answer.status} ${text.toString().slice(0, 500)}`)
      return answer
    },
    get: (agent, server, path) => ask(agent, { url: server.url, headers: headersOf(server, 0) }, path),
  }
}
