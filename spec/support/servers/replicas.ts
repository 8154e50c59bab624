import pg from 'pg'
import { PROGRAM } from './program.ts'
import { startServer, type RunningServer } from './server.ts'

export type ReplicaResponse = {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
  readonly body: Record<string, unknown>
}

type AskOptions = { readonly token?: string | null; readonly body?: unknown; readonly signal?: AbortSignal }

export type Replica = RunningServer & {
  /**
   * Sends a request, by default with the admin's static token. A body that is not a text is sent as JSON. Paths are
   * below /api/v1.
   */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<ReplicaResponse>
}

const askOn =
  ({ url, token: adminToken }: RunningServer): Replica['ask'] =>
  async (method, path, { token = adminToken, body, signal } = {}) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      text,
      body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
    }
  }

/** Starts several processes of the real program on one database at the same time. */
export const startReplicas = async (
  count: number,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
  program = PROGRAM,
): Promise<readonly Replica[]> => {
  const servers = await Promise.all(
    Array.from({ length: count }, () => startServer({ env: { SERVICE_DATABASE_URL: databaseUrl, ...env }, program })),
  )
  return servers.map((server) => ({ ...server, ask: askOn(server) }))
}

/** Returns the replica for request `n`: each in turn. */
export const inRotation = (replicas: readonly Replica[], n: number): Replica => {
  const replica = replicas[n % replicas.length]
  if (!replica) throw new Error('there is no replica')
  return replica
}

/** Returns the rows of a query on a database. */
export const queryRows = async <Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => {
  const client = new pg.Client(url)
  // If the server stops meanwhile, the query fails and reports the error.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text, values as unknown[])).rows
  } finally {
    await client.end()
  }
}

/** Counts the responses by status. */
export const countByStatus = (answers: ReadonlyArray<{ readonly status: number }>): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
