/** The variable from which an agent reads its key, so that no file contains it. */
const VARIABLE = 'SERVICE_TOKEN'
const NAME = 'evaluation-results'

const json = (value: unknown): string => JSON.stringify(value, null, 2)
const servers = (entry: object): string => json({ mcpServers: { [NAME]: entry } })
/** The headers of a request with a key, or none. */
const headers = (key: string, hasKey: boolean) => (hasKey ? { headers: { Authorization: `Bearer ${key}` } } : {})

/** Asks for the key once, and stores it where no file shows it. */
const ASKED_KEY = {
  id: 'evaluation-results-key',
  type: 'promptString',
  description: 'API key of the Evaluation Results Service',
  password: true,
}

/**
 * How an agent connects to the service: the file that it reads, and what to put there for an endpoint. Without a key the
 * configuration names no variable, because some agents refuse one that is not set.
 */
export type AgentClient = {
  readonly label: string
  readonly file: string
  readonly language: 'json' | 'toml' | 'sh'
  readonly config: (endpoint: string, hasKey: boolean) => string
}

/** The common agents. The documentation has the same examples. */
export const AGENT_CLIENTS = {
  claude: {
    label: 'Claude Code',
    file: '.mcp.json',
    language: 'json',
    config: (url, hasKey) => servers({ type: 'http', url, ...headers(`\${${VARIABLE}}`, hasKey) }),
  },
  cursor: {
    label: 'Cursor',
    file: '.cursor/mcp.json',
    language: 'json',
    config: (url, hasKey) => servers({ url, ...headers(`\${env:${VARIABLE}}`, hasKey) }),
  },
  code: {
    label: 'Visual Studio Code',
    file: '.vscode/mcp.json',
    language: 'json',
    config: (url, hasKey) =>
      json({
        ...(hasKey ? { inputs: [ASKED_KEY] } : {}),
        servers: { [NAME]: { type: 'http', url, ...headers(`\${input:${ASKED_KEY.id}}`, hasKey) } },
      }),
  },
  codex: {
    label: 'Codex',
    file: '~/.codex/config.toml',
    language: 'toml',
    config: (url, hasKey) =>
      [
        `[mcp_servers.${NAME}]`,
        `url = ${JSON.stringify(url)}`,
        ...(hasKey ? [`bearer_token_env_var = "${VARIABLE}"`] : []),
      ].join('\n'),
  },
  gemini: {
    label: 'Gemini CLI',
    file: '.gemini/settings.json',
    language: 'json',
    config: (url, hasKey) => servers({ httpUrl: url, ...headers(`$${VARIABLE}`, hasKey) }),
  },
  shell: {
    label: 'Command line',
    file: 'a shell',
    language: 'sh',
    config: (url, hasKey) =>
      [
        `curl -s ${url}`,
        ...(hasKey ? [`-H "Authorization: Bearer $${VARIABLE}"`] : []),
        `-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_runs"}}'`,
      ].join(' \\\n  '),
  },
} as const satisfies Readonly<Record<string, AgentClient>>
export type AgentClientName = keyof typeof AGENT_CLIENTS
