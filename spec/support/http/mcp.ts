import type { HttpConfig } from '../../../http/services.ts'
import type { CallBudget } from '../../../runtime/call-budget.ts'
import type { Send } from '../servers/app.ts'

/** The endpoint for agents, for pages of this machine alone. */
export const MCP: NonNullable<HttpConfig['mcp']> = { allowedOrigins: [] }

/** A budget that never ends, for specs that are not about it. */
export const ENDLESS: CallBudget = { take: async () => 0, close: async () => {} }

type Headers = Readonly<Record<string, string>>
export type McpMessage = Readonly<Record<string, unknown>>

export type McpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The body; empty if there is none. */
  readonly text: string
  readonly message: McpMessage
}

/** Sends a body as it is. */
export const post = async (send: Send, body: string | Buffer, headers: Headers = {}): Promise<McpResponse> => {
  const { statusCode, body: text, headers: received } = await send('POST', '/mcp', { headers, body })
  return { status: statusCode, headers: received, text, message: text === '' ? {} : (JSON.parse(text) as McpMessage) }
}

/** Sends a request of a legacy version. */
export const ask = (send: Send, method: string, params: McpMessage = {}, headers: Headers = {}): Promise<McpResponse> =>
  post(send, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)

const PREFIX = 'io.modelcontextprotocol/'

/** What a request of the modern version carries: the parameters, and the headers that repeat parts of them. */
export const modern = (
  method: string,
  params: McpMessage = {},
): { readonly body: McpMessage; readonly headers: Headers } => {
  const name = params['name']
  return {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: {} },
      },
    },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
  }
}

export const askModern = (send: Send, method: string, params: McpMessage = {}): Promise<McpResponse> => {
  const { body, headers } = modern(method, params)
  return post(send, JSON.stringify(body), headers)
}

export type ToolAnswer = {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
  readonly isError: boolean
  /** What follows the text block. */
  readonly links: readonly McpMessage[]
}

type ToolResult = {
  readonly content: ReadonlyArray<McpMessage & { readonly text: string }>
  readonly structuredContent: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

/** The text between the markers of a fence, which the warning follows. */
export const insideFence = (text: string): string => text.split('\n').slice(1, -3).join('\n')

/** Calls a tool. Throws if the answer is not a result. */
export const callTool = async (send: Send, name: string, given: McpMessage = {}): Promise<ToolAnswer> => {
  const { message, text } = await ask(send, 'tools/call', { name, arguments: given })
  if (message['result'] === undefined) throw new Error(`no result of ${name}: ${text}`)
  const { content, structuredContent: data, isError } = message['result'] as ToolResult
  const [block, ...links] = content
  return { text: block?.text ?? '', data, isError, links }
}
