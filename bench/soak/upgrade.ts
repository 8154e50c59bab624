import { join } from 'node:path'
import Database from 'better-sqlite3'
import { benchDocument, randomOf } from '../documents.ts'
import { fillStore } from '../fill-store.ts'
import { ask, load, type Load } from '../load.ts'
import { runErs, startSoakServer, temporaryFolder, type SoakServer } from './server.ts'
import { setting, wait, type SoakContext } from './soak.ts'

const CASES_PER_RUN = 100
const LISTS = 600
const UPLOADS = 300

type Model = { readonly name: string; readonly state: string; readonly built: number | null }

const isBuilding = async (server: SoakServer): Promise<boolean> => {
  const answer = await fetch(`${server.url}/api/v1/server`, { headers: server.headers })
  const { read_tables } = (await answer.json()) as { readonly read_tables: readonly Model[] }
  return read_tables.some(({ state }) => state !== 'current')
}

/**
 * A start on a state directory whose `search` is of an earlier version, as after an upgrade: how soon it is ready, how fast
 * lists and uploads are while the read model is built, and whether kills at random moments lose anything. Ratios to the
 * same server when nothing is built.
 */
export const upgrade = async ({ print, expect, seed }: SoakContext): Promise<void> => {
  const runs = Math.ceil(setting('SOAK_CASES', 100_000) / CASES_PER_RUN)
  const dataDir = temporaryFolder()
  await fillStore(dataDir, runs, (n) => benchDocument(n))
  let uploaded = runs
  const outdate = (): void => {
    const database = new Database(join(dataDir, 'service.db'))
    database.exec("UPDATE projections SET version = version - 1 WHERE name = 'search'")
    database.close()
  }
  const start = async (): Promise<{ readonly server: SoakServer; readonly ms: number }> => {
    const from = performance.now()
    const server = await startSoakServer({ dataDir })
    return { server, ms: performance.now() - from }
  }
  // Each list and each upload is another one, so that no answer comes from memory.
  const measure = async (server: SoakServer): Promise<{ readonly lists: Load; readonly uploads: Load }> => ({
    lists: await load(4, LISTS, (agent, n) => ask(agent, server, `/api/v1/runs?limit=${50 + (n % 100)}&order=asc`)),
    uploads: await load(4, UPLOADS, (agent) =>
      ask(agent, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(benchDocument(uploaded++)) }),
    ),
  })

  const current = await start()
  await measure(current.server)
  const idle = await measure(current.server)
  await current.server.stop()
  outdate()
  const upgraded = await start()
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
  await upgraded.server.stop()

  const random = randomOf(seed)
  const kills = setting('SOAK_KILLS', 20)
  for (let kill = 0; kill < kills; kill++) {
    const { server } = await start()
    if (!(await isBuilding(server))) {
      await server.stop()
      outdate()
      continue
    }
    await wait(random() * 3_000)
    await server.kill()
  }
  const { server } = await start()
  while (await isBuilding(server)) await wait(200)
  await server.stop()
  const { code, text } = await runErs(['verify', '--deep', '--data-dir', dataDir])
  expect(code === 0, `after ${kills} kills: ${text.trim().split('\n').at(-1) ?? ''}`)
}
