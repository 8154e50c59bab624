import { Agent } from 'node:http'
import pg from 'pg'
import { startPostgres } from '../../spec/support/postgres/server.ts'
import { appendLeaf, decodeFrontier, encodeFrontier } from '../../storage/log/merkle.ts'
import { benchDocument, randomOf } from '../documents.ts'
import { ask, type SoakAnswer } from './clients.ts'
import { startSoakServer, type SoakServer } from './server.ts'
import { quantile, setting, wait, type SoakContext } from './soak.ts'

const REPLICAS = 3
const CLIENTS = 50
const RESTART_EVERY_MS = 5_000
/** Maximum time of any response, whatever the state of the database. */
const MAX_ANSWER_MS = 45_000

type Kind = 'upload' | 'delete' | 'pin' | 'read'
type RecordedAnswer = { readonly kind: Kind; readonly status: number; readonly ms: number }

const idOf = (n: number): string => `bench-${String(n).padStart(8, '0')}`

/**
 * Three replicas and fifty clients on a durable PostgreSQL that crashes (immediate mode) every five seconds. A client
 * that gets 503 sends the same request again until it succeeds. No acknowledged write may be lost or stored twice, and
 * a write that one replica acknowledged must be visible on all others.
 */
export const postgres = async ({ print, expect, seed }: SoakContext): Promise<void> => {
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
  const recordedAnswers: RecordedAnswer[] = []
  const violations: string[] = []
  /** The acknowledged state of each run, by id. */
  const acknowledged = new Map<string, 'stored' | 'deleted'>()
  let next = 0
  let isRunning = true
  let restarts = 0
  const downtimes: number[] = []

  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)]
    if (value === undefined) throw new Error('there is nothing to pick from')
    return value
  }

  const sendOnce = async (kind: Kind, path: string, options: Parameters<typeof ask>[2] = {}): Promise<SoakAnswer> => {
    const answer = await ask(pick(replicas), path, { ...options, agent })
    recordedAnswers.push({ kind, status: answer.status, ms: answer.ms })
    if (answer.status >= 500 && (answer.status !== 503 || answer.retryAfter === null))
      violations.push(`${kind} ${path}: ${answer.status} ${answer.body.toString().slice(0, 200)}`)
    return answer
  }
  /** Sends the request to random replicas until it does not get 503. Returns the status and the number of tries. */
  const sendUntilDone = async (
    kind: Kind,
    path: string,
    options: Parameters<typeof ask>[2],
  ): Promise<{ readonly status: number; readonly tries: number }> => {
    for (let tries = 1; ; tries++) {
      const { status, retryAfter } = await sendOnce(kind, path, options)
      if (status !== 503) return { status, tries }
      await wait(Number(retryAfter ?? 1) * 1000 * random())
    }
  }

  const upload = async (): Promise<void> => {
    const n = next++
    const { status, tries } = await sendUntilDone('upload', '/runs', {
      method: 'POST',
      body: Buffer.from(benchDocument(n, { cases: 10 })),
    })
    // An earlier try may have been recorded although it got 503. Then the next try gets 200.
    if (status !== 201 && !(status === 200 && tries > 1))
      violations.push(`upload of ${idOf(n)}: status ${status} at try ${tries}`)
    const { status: seen } = await sendOnce('read', `/runs/${idOf(n)}`)
    if (seen !== 200 && seen !== 503) violations.push(`${idOf(n)}: status ${seen} after its upload was acknowledged`)
    // From now on other clients may delete it.
    acknowledged.set(idOf(n), 'stored')
  }
  const remove = async (): Promise<void> => {
    const [id] = [...acknowledged].find(([, state]) => state === 'stored') ?? []
    if (id === undefined) return
    acknowledged.set(id, 'deleted')
    const { status, tries } = await sendUntilDone('delete', `/runs/${id}`, { method: 'DELETE' })
    if (status !== 204 && !(status === 404 && tries > 1))
      violations.push(`deletion of ${id}: status ${status} at try ${tries}`)
    const { status: seen } = await sendOnce('read', `/runs/${id}`)
    if (seen !== 404 && seen !== 503) violations.push(`${id}: status ${seen} after its deletion was acknowledged`)
  }
  const read = async (): Promise<void> => {
    const id = idOf(Math.floor(random() * Math.max(1, next)))
    const { status } = await sendOnce(
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
    if (![200, 404, 503].includes(status)) violations.push(`a read: status ${status}`)
  }
  const pin = async (): Promise<void> => {
    const id = [...acknowledged].findLast(([, state]) => state === 'stored')?.[0]
    if (id === undefined) return
    const { status, body } = await sendOnce('read', `/runs/${id}`)
    if (status !== 200) return
    const { project, suite } = JSON.parse(body.toString()) as { project: string; suite: string }
    const pinned = await sendUntilDone('pin', `/projects/${project}/suites/${suite}/baseline`, {
      method: 'PUT',
      body: Buffer.from(JSON.stringify({ run_id: id })),
    })
    if (![200, 404].includes(pinned.status)) violations.push(`a pin: status ${pinned.status}`)
  }
  const wheel = [upload, upload, upload, remove, pin, read, read, read, read, read]
  const client = async (): Promise<void> => {
    while (isRunning) await pick(wheel)()
  }

  try {
    const superuser = new pg.Client(server.url())
    await superuser.connect()
    await superuser.query('CREATE ROLE ers LOGIN')
    await superuser.query('CREATE DATABASE ers OWNER ers')
    await superuser.end()
    const [settings] = await query<{ summary: string }>(
      "SELECT format('fsync %s, synchronous_commit %s, full_page_writes %s', current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes')) AS summary",
    )
    replicas.push(
      ...(await Promise.all(
        Array.from({ length: REPLICAS }, () =>
          startSoakServer({ env: { SERVICE_DATABASE_URL: server.url('ers', 'ers') } }),
        ),
      )),
    )
    print(`PostgreSQL ${server.major}: ${settings?.summary}; ${REPLICAS} replicas, ${CLIENTS} clients, ${seconds} s`)

    const clients = Promise.all(Array.from({ length: CLIENTS }, client))
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      await Promise.race([wait(RESTART_EVERY_MS), clients])
      const from = performance.now()
      await server.halt('immediate')
      await server.resume()
      downtimes.push(performance.now() - from)
      restarts++
    }
    isRunning = false
    await clients

    for (const kind of ['upload', 'delete', 'pin', 'read'] as const) {
      const ofKind = recordedAnswers.filter((answer) => answer.kind === kind)
      const counts = new Map<number, number>()
      for (const { status } of ofKind) counts.set(status, (counts.get(status) ?? 0) + 1)
      const ms = ofKind.map((answer) => answer.ms)
      print(
        `${kind}: ${[...counts].map(([status, count]) => `${count} × ${status}`).join(', ')}; p50 ${quantile(ms, 0.5).toFixed(0)} ms, p99 ${quantile(ms, 0.99).toFixed(0)} ms, longest ${Math.max(0, ...ms).toFixed(0)} ms`,
      )
    }
    print(`${restarts} crashes of the database; each time down for ${quantile(downtimes, 0.5).toFixed(0)} ms (median)`)
    expect(
      recordedAnswers.every(({ ms }) => ms < MAX_ANSWER_MS),
      `no response took longer than ${MAX_ANSWER_MS / 1000} s`,
    )
    expect(
      violations.length === 0,
      `${violations.length} responses were neither a success nor a 503 with Retry-After, or contradicted an acknowledged write ${violations.slice(0, 3).join('; ')}`,
    )
    expect(
      replicas.every((replica) => replica.isAlive() && replica.failures.length === 0),
      `all replicas are running, with ${replicas.flatMap(({ failures }) => failures).length} failures in their logs ${replicas[0]?.failures[0]?.slice(0, 300) ?? ''}`,
    )

    const stored = [...acknowledged].filter(([, state]) => state === 'stored').map(([id]) => id)
    const present = new Set((await query<{ id: string }>('SELECT id FROM runs')).map(({ id }) => id))
    const lost = stored.filter((id) => !present.has(id))
    const undeleted = [...acknowledged].filter(([id, state]) => state === 'deleted' && present.has(id))
    expect(
      lost.length === 0 && undeleted.length === 0 && present.size === stored.length,
      `${acknowledged.size} uploads and ${acknowledged.size - stored.length} deletions acknowledged: ${lost.length} uploads lost, ${undeleted.length} deletions undone, ${present.size - stored.length} extra runs`,
    )
    const duplicates = await query<{ n: number }>(
      "SELECT count(*)::int AS n FROM (SELECT stream FROM event_bodies b JOIN events e ON e.seq = b.seq WHERE e.type IN ('RunIngested', 'RunDeleted') GROUP BY stream, type HAVING count(*) > 1) x",
    )
    expect(duplicates[0]?.n === 0, `${duplicates[0]?.n} runs recorded or deleted more than once`)

    const leaves = await query<{ seq: string; leaf: Buffer }>('SELECT seq, leaf FROM events ORDER BY seq')
    const [head] = await query<{ size: string; frontier: Buffer }>('SELECT size, frontier FROM log_head')
    let frontier = decodeFrontier(0, Buffer.alloc(0))
    for (const { leaf } of leaves) frontier = appendLeaf(frontier, leaf)
    const isWhole =
      leaves.every(({ seq }, i) => Number(seq) === i + 1) &&
      Number(head?.size) === leaves.length &&
      head?.frontier.equals(encodeFrontier(frontier)) === true
    expect(isWhole, `the log's ${leaves.length} records have no gap, and their root equals the stored root`)
  } finally {
    isRunning = false
    agent.destroy()
    await Promise.allSettled(replicas.map((replica) => replica.stop()))
    await server.stop()
  }
}
