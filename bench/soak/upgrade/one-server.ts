import { benchDocument, randomOf } from '../../documents.ts'
import { ask, load, median, type Load } from '../../load.ts'
import { runErs, type SoakServer } from '../server.ts'
import { setting, wait, type Soak, type SoakContext } from '../soak.ts'
import { commitsWaited, isBuilding, MAX_WAIT_MS, postgresStore, sqliteStore, type UpgradedStore } from './stores.ts'

const STARTS = 3
const LISTS = 600
const UPLOADS = 300
/** A build goes on in each start. So about ten starts build it to its end, but no start takes longer than this. */
const MAX_LIFE_MS = 10_000

const measured =
  (open: () => Promise<UpgradedStore>): Soak =>
  async (context) => {
    const store = await open()
    try {
      await upgradeStore(store, context)
    } finally {
      await store.close()
    }
  }

/**
 * Starts on a store whose `search` is of an earlier version, as after an upgrade: how soon the server is ready, how fast
 * lists and uploads are while the read model is built, how long commits wait for the swap, and whether kills at random
 * moments lose anything. Ratios to the same server when nothing is built.
 */
export const upgrade = measured(sqliteStore)
export const upgradePostgres = measured(postgresStore)

const upgradeStore = async (store: UpgradedStore, context: SoakContext): Promise<void> => {
  const { print, expect } = context
  const waits: number[] = []
  const onLine = (line: string): void => {
    const ms = commitsWaited(line)
    if (ms !== null) waits.push(ms)
  }
  const start = async (): Promise<{ readonly server: SoakServer; readonly ms: number }> => {
    const from = performance.now()
    const server = await store.start({ onLine })
    return { server, ms: performance.now() - from }
  }
  const outdate = (): Promise<void> =>
    store.sql((sql) => sql.execute("UPDATE projections SET version = version - 1 WHERE name = 'search'"))
  /** The median of several starts, and the server of the last one. */
  const startOften = async (): Promise<{ readonly server: SoakServer; readonly ms: number }> => {
    const times: number[] = []
    for (;;) {
      const { server, ms } = await start()
      times.push(ms)
      if (times.length === STARTS) return { server, ms: median(times) }
      await server.stop()
    }
  }
  let uploaded = store.runs
  // Each list and each upload is another one, so that no answer comes from memory.
  const upload = (server: SoakServer): Promise<Response> =>
    fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: server.headers,
      body: benchDocument(uploaded++),
    })
  const measure = async (server: SoakServer): Promise<{ readonly lists: Load; readonly uploads: Load }> => ({
    lists: await load(4, LISTS, (agent, n) => ask(agent, server, `/api/v1/runs?limit=${50 + (n % 100)}&order=asc`)),
    uploads: await load(4, UPLOADS, (agent) =>
      ask(agent, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(benchDocument(uploaded++)) }),
    ),
  })

  print(`${store.name}, ${store.runs} runs`)
  const current = await startOften()
  await measure(current.server)
  const idle = await measure(current.server)
  await current.server.stop()
  await outdate()
  const from = performance.now()
  const upgraded = await startOften()
  const building = await measure(upgraded.server)
  print(`the read model was ${(await isBuilding(upgraded.server)) ? 'still' : 'no longer'} being built at the end`)
  expect(
    upgraded.ms <= 1.2 * current.ms,
    `ready after ${upgraded.ms.toFixed(0)} ms, ${current.ms.toFixed(0)} ms if nothing is built`,
  )
  expect(
    building.lists.p99 <= 2 * idle.lists.p99,
    `list p99 ${building.lists.p99.toFixed(1)} ms, ${idle.lists.p99.toFixed(1)} ms if nothing is built`,
  )
  expect(
    building.uploads.perSecond >= 0.7 * idle.uploads.perSecond,
    `${building.uploads.perSecond.toFixed(1)} uploads a second, ${idle.uploads.perSecond.toFixed(1)} if nothing is built`,
  )
  for (const part of [building.lists, building.uploads])
    expect(
      Object.keys(part.statuses).every((status) => status.startsWith('2')),
      `statuses ${JSON.stringify(part.statuses)}`,
    )
  while (await isBuilding(upgraded.server)) {
    await upload(upgraded.server)
    await wait(100)
  }
  const buildMs = performance.now() - from
  print(`built after ${(buildMs / 1000).toFixed(0)} s`)
  await upgraded.server.stop()

  await killOften(store, context, { start, outdate, upload, lifeMs: Math.min(buildMs / 5, MAX_LIFE_MS) })
  const longest = Math.max(...waits)
  expect(
    longest <= MAX_WAIT_MS,
    `the swap made commits wait for ${longest} ms at most (${waits.length} swaps, goal ${MAX_WAIT_MS} ms)`,
  )
}

type Kills = {
  readonly start: () => Promise<{ readonly server: SoakServer }>
  readonly outdate: () => Promise<void>
  readonly upload: (server: SoakServer) => Promise<unknown>
  /** The longest time from a start to the kill. */
  readonly lifeMs: number
}

/** Kills servers that build at random moments, during uploads. Then all must be as after a rebuild of all read models. */
const killOften = async (
  store: UpgradedStore,
  { print, expect, seed }: SoakContext,
  { start, outdate, upload, lifeMs }: Kills,
): Promise<void> => {
  const random = randomOf(seed)
  const kills = setting('SOAK_KILLS', 20)
  if (kills === 0) return
  let killed = 0
  while (killed < kills) {
    const { server } = await start()
    if (!(await isBuilding(server))) {
      await server.stop()
      await outdate()
      continue
    }
    let isRunning = true
    const uploads = (async () => {
      // The kill cuts the last one.
      while (isRunning) await upload(server).catch(() => (isRunning = false))
    })()
    await wait(random() * lifeMs)
    await server.kill()
    isRunning = false
    await uploads
    killed++
    // Otherwise another server goes on with the build after 30 seconds.
    await store.sql((sql) => sql.execute('UPDATE rebuilds SET until = 0'))
  }
  print(`${kills} kills within ${(lifeMs / 1000).toFixed(1)} s of a start`)

  const { server } = await start()
  while (await isBuilding(server)) await wait(200)
  const built = await answersOf(server)
  await server.stop()
  const verified = await runErs(['verify', '--deep', ...store.options])
  expect(verified.code === 0, `after the kills: ${lastLine(verified.text)}`)
  const rebuilt = await runErs(['rebuild', ...store.options])
  expect(rebuilt.code === 0, lastLine(rebuilt.text))
  const { server: fresh } = await start()
  const answers = await answersOf(fresh)
  await fresh.stop()
  const different = Object.keys(built).filter((path) => built[path] !== answers[path])
  expect(
    different.length === 0,
    `${different.length} of ${Object.keys(built).length} answers differ ${different[0] ?? ''}`,
  )
}

const READS = [
  '/runs?limit=200',
  '/search?q=refund&limit=100',
  '/search?q=refund%20policy&in=cases&limit=100',
  '/search?q=%22order%20A%22',
  '/sets',
  '/projects',
  '/runs/bench-00000007',
  '/runs/bench-00000007/cases?limit=100',
  '/runs/bench-00000007/matrix',
]

const answersOf = async (server: SoakServer): Promise<Record<string, string>> => {
  const answers: Record<string, string> = {}
  for (const path of READS) {
    const answer = await fetch(`${server.url}/api/v1${path}`, { headers: server.headers })
    answers[path] = `${answer.status} ${await answer.text()}`
  }
  return answers
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
