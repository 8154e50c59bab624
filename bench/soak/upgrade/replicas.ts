import { Agent } from 'node:http'
import { RAISED } from '../../../spec/support/servers/program.ts'
import { benchDocument, randomOf } from '../../documents.ts'
import { ask } from '../clients.ts'
import { runErs, type SoakServer } from '../server.ts'
import { quantile, wait, type SoakContext } from '../soak.ts'
import { commitsWaited, isBuilding, MAX_WAIT_MS, postgresStore } from './stores.ts'

const REPLICAS = 3
const CLIENTS = 6

type Replica = { readonly server: SoakServer; inFlight: number; isKilled: boolean }

/**
 * Three replicas behind a proxy, under lists, searches and uploads, are replaced one after another by those of a build
 * whose `search` is of a newer version. No request may be refused. One replica builds; when it is killed, another one goes
 * on from where it was.
 */
export const upgradeReplicas = async ({ print, expect, seed }: SoakContext): Promise<void> => {
  const store = await postgresStore()
  const random = randomOf(seed)
  /** Those that the proxy sends requests to. */
  let replicas: Replica[] = []
  const statuses: Record<string, number> = {}
  const refused: string[] = []
  const times: number[] = []
  let [uploaded, cut, isRunning] = [store.runs, 0, true]
  const waits: number[] = []
  const onLine = (line: string): void => {
    const ms = commitsWaited(line)
    if (ms !== null) waits.push(ms)
  }
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<Replica> => {
    const replica = { server: await store.start({ env, onLine }), inFlight: 0, isKilled: false }
    replicas = [...replicas, replica]
    return replica
  }
  const retire = async (replica: Replica): Promise<void> => {
    replicas = replicas.filter((each) => each !== replica)
    while (replica.inFlight > 0) await wait(10)
    await replica.server.stop()
  }

  /** Sends a request to a replica; to another one if this one is killed meanwhile. */
  const send = async (agent: Agent, path: string, body?: Buffer): Promise<void> => {
    const replica = replicas[Math.floor(random() * replicas.length)]
    if (!replica) throw new Error('there is no replica')
    replica.inFlight++
    try {
      const {
        status,
        ms,
        body: text,
      } = await ask(replica.server, path, body ? { method: 'POST', body, agent } : { agent })
      statuses[status] = (statuses[status] ?? 0) + 1
      times.push(ms)
      if (status >= 300) refused.push(`${path}: ${status} ${text.toString().slice(0, 200)}`)
    } catch (error) {
      if (!replica.isKilled) throw error
      cut++
      await send(agent, path, body)
    } finally {
      replica.inFlight--
    }
  }
  const reads = ['/search?q=refund&limit=5', '/runs/bench-00000003/cases', '/sets']
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true })
    for (let n = 0; isRunning; n++) {
      if (n % 6 === 0) await send(agent, '/runs', Buffer.from(benchDocument(uploaded++)))
      else if (n % 2 === 1) await send(agent, `/runs?limit=${1 + Math.floor(random() * 100)}`)
      else await send(agent, reads[Math.floor(n / 2) % reads.length] ?? '')
      await wait(50)
    }
    agent.destroy()
  }
  const findBuild = async (): Promise<{ readonly holder: string; readonly position: number } | null> => {
    const [row] = await store.sql((sql) => sql.rows('SELECT holder, position FROM rebuilds'))
    return row ? { holder: String(row['holder']), position: Number(row['position']) } : null
  }
  const instanceOf = async ({ server: { url, headers } }: Replica): Promise<string> =>
    ((await (await fetch(`${url}/api/v1/server`, { headers })).json()) as { readonly instance: string }).instance

  try {
    const old = await Promise.all(Array.from({ length: REPLICAS }, () => start()))
    const clients = Promise.all(Array.from({ length: CLIENTS }, client))
    clients.catch(() => {})
    const guarded = <T>(work: Promise<T>): Promise<T> =>
      Promise.race([work, clients.then(() => Promise.reject(new Error('the clients have ended')))])
    await guarded(wait(2_000))
    for (const replica of old) {
      await guarded(start(RAISED))
      expect(
        await isBuilding(replica.server).then(() => replica.server.isAlive()),
        `an old replica works next to ${replicas.filter((each) => !old.includes(each)).length} new ones`,
      )
      await guarded(retire(replica))
    }
    const before = await findBuild()
    expect(before !== null, 'the build goes on after the last old replica is replaced')

    const instances = await Promise.all(replicas.map(instanceOf))
    const builder = replicas[instances.indexOf(before?.holder ?? '')]
    if (!before || !builder) throw new Error('none of the replicas holds the build')
    const killedAt = performance.now()
    replicas = replicas.filter((each) => each !== builder)
    builder.isKilled = true
    await builder.server.kill()
    const at = await findBuild()
    let next = at
    while (next && next.holder === before.holder) {
      await guarded(wait(500))
      next = await findBuild()
    }
    expect(
      next !== null && instances.includes(next.holder) && next.position >= (at?.position ?? 0),
      `another replica goes on at record ${next?.position} (${at?.position} when the builder was killed), after ${((performance.now() - killedAt) / 1000).toFixed(1)} s`,
    )
    const [watched = await start(RAISED)] = replicas
    await guarded(start(RAISED))
    while (await isBuilding(watched.server)) await guarded(wait(500))
    await guarded(wait(2_000))
    isRunning = false
    await clients

    expect(refused.length === 0, `statuses ${JSON.stringify(statuses)} ${refused.slice(0, 3).join('; ')}`)
    print(
      `${times.length} requests: p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms; ${cut} cut by the kill and sent again`,
    )
    expect(
      waits.length === 1 && Math.max(...waits) <= MAX_WAIT_MS,
      `one swap, which made commits wait for ${waits.join(', ')} ms (goal ${MAX_WAIT_MS} ms)`,
    )
    const failures = replicas.flatMap(({ server }) => server.failures)
    expect(failures.length === 0, `${failures.length} failures in the logs ${failures[0]?.slice(0, 300) ?? ''}`)
    for (const replica of replicas) await retire(replica)
    const verified = await runErs(['verify', '--deep', ...store.options], () => {}, RAISED)
    expect(verified.code === 0, verified.text.trim().split('\n').at(-1) ?? '')
  } finally {
    isRunning = false
    await Promise.allSettled(replicas.map(({ server }) => server.kill()))
    await store.close()
  }
}
