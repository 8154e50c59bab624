import { Agent } from 'node:http'
import pg from 'pg'
import { startPostgres } from '../../spec/support/postgres/server.ts'
import { appendLeaf, decodeFrontier, encodeFrontier } from '../../storage/log/merkle.ts'
import { benchDocument, randomOf } from '../documents.ts'
import { ask } from './clients.ts'
import type { Answered } from './clients.ts'
import { startSoakServer } from './server.ts'
import type { SoakServer } from './server.ts'
import { quantile, setting, wait } from './soak.ts'
import type { Ground } from './soak.ts'

const REPLICAS = 3
const CLIENTS = 50
const RESTART_EVERY_MS = 5_000
/** No answer may take longer, whatever the database does. */
const BOUND_MS = 45_000

type Kind = 'upload' | 'delete' | 'pin' | 'read'
type Noted = { readonly kind: Kind; readonly status: number; readonly ms: number; readonly at: number }

const idOf = (n: number): string => `bench-${String(n).padStart(8, '0')}`

/**
 * Three replicas and fifty clients on a durable PostgreSQL that crashes (immediate mode) every five seconds. A client
 * that is told to come back sends the same again until it is told that it is done. Nothing acknowledged is lost or
 * there twice, and what was acknowledged by one replica is seen on every other.
 */
export const postgres = async ({ say, expect, seed }: Ground): Promise<void> => {
  const seconds = setting('SOAK_SECONDS', 60)
  const random = randomOf(seed)
  const server = await startPostgres({ durable: true })
  const query = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new pg.Client(server.url('ers'))
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }
  const replicas: SoakServer[] = []
  const agent = new Agent({ keepAlive: true })
  const noted: Noted[] = []
  const wrong: string[] = []
  /** What was acknowledged, by run id. */
  const known = new Map<string, 'stored' | 'deleted'>()
  let next = 0
  let going = true
  let restarts = 0
  const away: number[] = []

  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)]
    if (value === undefined) throw new Error('there is nothing to pick from')
    return value
  }

  const sent = async (kind: Kind, path: string, asked: Parameters<typeof ask>[2] = {}): Promise<Answered> => {
    const answer = await ask(pick(replicas), path, { ...asked, agent })
    noted.push({ kind, status: answer.status, ms: answer.ms, at: performance.now() })
    if (answer.status >= 500 && (answer.status !== 503 || answer.retryAfter === null))
      wrong.push(`${kind} ${path}: ${answer.status} ${answer.body.toString().slice(0, 200)}`)
    return answer
  }
  /** The same again, wherever, until it is done; how often it was asked. */
  const until = async (
    kind: Kind,
    path: string,
    asked: Parameters<typeof ask>[2],
  ): Promise<{ readonly status: number; readonly tries: number }> => {
    for (let tries = 1; ; tries++) {
      const { status, retryAfter } = await sent(kind, path, asked)
      if (status !== 503) return { status, tries }
      await wait(Number(retryAfter ?? 1) * 1000 * random())
    }
  }

  const upload = async (): Promise<void> => {
    const n = next++
    const { status, tries } = await until('upload', '/runs', {
      method: 'POST',
      body: Buffer.from(benchDocument(n, { cases: 10 })),
    })
    // Whether the try before was recorded nobody knows: then the next one is told that it was.
    if (status !== 201 && !(status === 200 && tries > 1))
      wrong.push(`upload of ${idOf(n)} was answered ${status} at try ${tries}`)
    const { status: seen } = await sent('read', `/runs/${idOf(n)}`)
    if (seen !== 200 && seen !== 503) wrong.push(`${idOf(n)} was answered ${seen} after it was acknowledged`)
    // From here on others may delete it.
    known.set(idOf(n), 'stored')
  }
  const remove = async (): Promise<void> => {
    const [id] = [...known].find(([, state]) => state === 'stored') ?? []
    if (id === undefined) return
    known.set(id, 'deleted')
    const { status, tries } = await until('delete', `/runs/${id}`, { method: 'DELETE' })
    if (status !== 204 && !(status === 404 && tries > 1))
      wrong.push(`deletion of ${id} was answered ${status} at try ${tries}`)
    const { status: seen } = await sent('read', `/runs/${id}`)
    if (seen !== 404 && seen !== 503) wrong.push(`${id} was answered ${seen} after its deletion was acknowledged`)
  }
  const read = async (): Promise<void> => {
    const id = idOf(Math.floor(random() * Math.max(1, next)))
    const { status } = await sent(
      'read',
      pick([
        '/runs?limit=20',
        `/runs/${id}`,
        `/runs/${id}/cases`,
        `/runs/${id}/matrix`,
        `/runs/${id}/export`,
        '/search?q=refund',
        '/projects',
        '/sets',
        '/audit?limit=5',
      ]),
    )
    if (![200, 404, 503].includes(status)) wrong.push(`a read was answered ${status}`)
  }
  const pin = async (): Promise<void> => {
    const id = [...known].findLast(([, state]) => state === 'stored')?.[0]
    if (id === undefined) return
    const { status, body } = await sent('read', `/runs/${id}`)
    if (status !== 200) return
    const { project, suite } = JSON.parse(body.toString()) as { project: string; suite: string }
    const pinned = await until('pin', `/projects/${project}/suites/${suite}/baseline`, {
      method: 'PUT',
      body: Buffer.from(JSON.stringify({ run_id: id })),
    })
    if (![200, 404].includes(pinned.status)) wrong.push(`a pin was answered ${pinned.status}`)
  }
  const wheel = [upload, upload, upload, remove, pin, read, read, read, read, read]
  const client = async (): Promise<void> => {
    while (going) await pick(wheel)()
  }

  try {
    const started = new pg.Client(server.url())
    await started.connect()
    await started.query('CREATE ROLE ers LOGIN')
    await started.query('CREATE DATABASE ers OWNER ers')
    await started.end()
    const [settings] = await query<{ told: string }>(
      "SELECT format('fsync %s, synchronous_commit %s, full_page_writes %s', current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes')) AS told",
    )
    replicas.push(
      ...(await Promise.all(
        Array.from({ length: REPLICAS }, () =>
          startSoakServer({ env: { SERVICE_DATABASE_URL: server.url('ers', 'ers') } }),
        ),
      )),
    )
    say(`PostgreSQL ${server.major}: ${settings?.told}; ${REPLICAS} replicas, ${CLIENTS} clients, ${seconds} s`)

    const clients = Promise.all(Array.from({ length: CLIENTS }, client))
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      await Promise.race([wait(RESTART_EVERY_MS), clients])
      const from = performance.now()
      await server.halt('immediate')
      await server.resume()
      away.push(performance.now() - from)
      restarts++
    }
    going = false
    await clients

    for (const kind of ['upload', 'delete', 'pin', 'read'] as const) {
      const of = noted.filter((each) => each.kind === kind)
      const counts = new Map<number, number>()
      for (const { status } of of) counts.set(status, (counts.get(status) ?? 0) + 1)
      const ms = of.map((each) => each.ms)
      say(
        `${kind}: ${[...counts].map(([status, count]) => `${count} × ${status}`).join(', ')}; p50 ${quantile(ms, 0.5).toFixed(0)} ms, p99 ${quantile(ms, 0.99).toFixed(0)} ms, longest ${Math.max(0, ...ms).toFixed(0)} ms`,
      )
    }
    say(`${restarts} crashes of the database, away for ${quantile(away, 0.5).toFixed(0)} ms (median)`)
    expect(
      noted.every(({ ms }) => ms < BOUND_MS),
      `no answer took longer than ${BOUND_MS / 1000} s`,
    )
    expect(
      wrong.length === 0,
      `${wrong.length} answers were neither success nor a 503 with Retry-After, or not what had been acknowledged ${wrong.slice(0, 3).join('; ')}`,
    )
    expect(
      replicas.every((replica) => replica.isAlive() && replica.failures.length === 0),
      `all replicas live, with ${replicas.flatMap(({ failures }) => failures).length} failures in their logs ${replicas[0]?.failures[0]?.slice(0, 300) ?? ''}`,
    )

    const stored = [...known].filter(([, state]) => state === 'stored').map(([id]) => id)
    const there = new Set((await query<{ id: string }>('SELECT id FROM runs')).map(({ id }) => id))
    const lost = stored.filter((id) => !there.has(id))
    const left = [...known].filter(([id, state]) => state === 'deleted' && there.has(id))
    expect(
      lost.length === 0 && left.length === 0 && there.size === stored.length,
      `${known.size} uploads and ${known.size - stored.length} deletions acknowledged: ${lost.length} uploads lost, ${left.length} deletions undone, ${there.size - stored.length} runs too many`,
    )
    const twice = await query<{ n: number }>(
      "SELECT count(*)::int AS n FROM (SELECT stream FROM event_bodies b JOIN events e ON e.seq = b.seq WHERE e.type IN ('RunIngested', 'RunDeleted') GROUP BY stream, type HAVING count(*) > 1) x",
    )
    expect(twice[0]?.n === 0, `${twice[0]?.n} runs recorded or deleted more than once`)

    const leaves = await query<{ seq: string; leaf: Buffer }>('SELECT seq, leaf FROM events ORDER BY seq')
    const [head] = await query<{ size: string; frontier: Buffer }>('SELECT size, frontier FROM log_head')
    let frontier = decodeFrontier(0, Buffer.alloc(0))
    for (const { leaf } of leaves) frontier = appendLeaf(frontier, leaf)
    const isWhole =
      leaves.every(({ seq }, i) => Number(seq) === i + 1) &&
      Number(head?.size) === leaves.length &&
      head?.frontier.equals(encodeFrontier(frontier)) === true
    expect(isWhole, `the log's ${leaves.length} records are without a gap and their root is the one that is kept`)
  } finally {
    going = false
    agent.destroy()
    await Promise.allSettled(replicas.map((replica) => replica.stop()))
    await server.stop()
  }
}
