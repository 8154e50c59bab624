import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openService } from '../../runtime/open-service.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { benchDocument } from '../documents.ts'
import { ask, load, median } from '../load.ts'
import type { Say } from '../measures.ts'
import { hideAllBut, hideOnly, readerOf } from '../restrict.ts'
import { startBenchServer } from '../servers.ts'
import type { Server } from '../servers.ts'

/** `BENCH_RUNS=40000` ends earlier than at a hundred thousand, for a quick look. */
const MOST = Number(process.env['BENCH_RUNS'] ?? 100_000)
const SIZES = [...new Set([1_000, 10_000, MOST])].filter((size) => size <= MOST)

const LIMIT = 50
const PAGE = 50
const REQUESTS = 20
const ROUNDS = 5

/**
 * Every filter has at least a page of runs at the smallest size, and those of the rare branch are the oldest of all.
 */
const RARE = 60
const documentOf = (n: number): string =>
  benchDocument(n, {
    cases: 1,
    bytesACase: 200,
    // A thousand run sets: five with a tenth of the runs each, the other half of the runs spread over the rest.
    ...(n % 2 === 0 ? { projects: 5, suites: 1 } : { projects: 10, suites: 199 }),
    ...(n < RARE ? { branch: 'rare' } : {}),
    outcome: n % 10 === 3 ? 'errored' : n % 10 === 7 ? 'cached' : undefined,
  })

const FIRST = Date.UTC(2024, 0, 1)
const SET = { project: 'project-1', suite: 'suite-0' }

const QUERIES = [
  '',
  'project=project-1',
  'suite=suite-0',
  'project=project-1&suite=suite-0',
  'tag=nightly',
  'branch=main',
  'branch=feature-3',
  'branch=rare',
  'status=pass',
  'status=fail',
  'status=error',
  'origin=ci',
  'origin=local',
  'actor=actor-3',
  'cached=only',
  'cached=all',
  `since=${FIRST}`,
  `until=${FIRST + 500 * 60_000}`,
  `since=${FIRST}&until=${FIRST + 500 * 60_000}`,
  'project=none',
  'actor=nobody',
  'project=project-1&suite=suite-0&branch=main',
  'project=project-1&status=fail',
  'tag=push&branch=main',
  'tag=push&branch=rare',
  'branch=rare&status=fail&project=project-1',
  `project=project-1&until=${FIRST + 500 * 60_000}`,
  'actor=actor-3&status=pass&origin=ci',
]

/** Filters that are common by themselves and never meet: whichever is walked, all of it is. */
const NEVER_MEET = ['tag=nightly&origin=local']

/** What is asked by whom: everything by one who sees all, and some of it by one from whom run sets are hidden. */
const TITLES = {
  all: '',
  reader: 'nothing hidden: ',
  hidden: 'one set of 1000 hidden: ',
  visible: 'one set of 1000 visible: ',
} as const
type Who = keyof typeof TITLES
const ASKED: ReadonlyArray<readonly [Who, readonly string[]]> = [
  ['all', [...QUERIES, ...NEVER_MEET]],
  ['reader', ['']],
  ['hidden', ['', 'branch=main', 'project=project-1']],
  ['visible', ['', 'branch=main', 'project=project-1', 'status=pass']],
]

/**
 * Every filter of the run list, 50 rows, page 1 and page 50, at growing numbers of runs: an index serves each, so none
 * should grow.
 */
export const filters = async (say: Say): Promise<void> => {
  const stores: Array<{ readonly dataDir: string; server: Server | null }> = []
  try {
    for (const size of SIZES) {
      const dataDir = mkdtempSync(join(tmpdir(), 'ers-bench-filters-'))
      const store = { dataDir, server: null as Server | null }
      stores.push(store)
      await fill(dataDir, size)
      store.server = await startBenchServer('service', dataDir)
    }
    const servers = stores.flatMap(({ server }) => server ?? [])
    // The first requests of a process are not what is measured.
    for (const server of servers) await load(2, 1000, (agent) => ask(agent, server, pathOf('', freshCursor(null))))

    say(`| filter | ${SIZES.map((size) => `${size / 1000}k runs, p50 ms`).join(' | ')} | largest to smallest |`)
    say(`|---|${SIZES.map(() => '---|').join('')}---|`)
    for (const [who, queries] of ASKED) {
      for (const { dataDir } of stores) {
        if (who === 'visible') hideAllBut(dataDir, [SET])
        else hideOnly(dataDir, who === 'hidden' ? [SET] : [])
      }
      const asking = servers.map((server) => (who === 'all' ? server : readerOf(server)))
      for (const query of queries) {
        const title = `${TITLES[who]}${query || '(none)'}`
        await row(say, `${title}, page 1`, asking, () => Promise.resolve(null), query)
        await row(say, `${title}, page ${PAGE}`, asking, (server) => cursorOf(server, query), query)
      }
    }
    await row(say, 'cached=exclude with its count', servers, () => Promise.resolve(null), 'cached=exclude', true)
  } finally {
    for (const { dataDir, server } of stores) {
      await server?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

const fill = async (dataDir: string, size: number): Promise<void> => {
  const service = await openService({ dataDir })
  for (let made = 0; made < size;) {
    const batch = Array.from(
      { length: Math.min(200, size - made) },
      () => new Uint8Array(Buffer.from(documentOf(made++))),
    )
    await Promise.all(batch.map((body) => service.commit('ingestRun', CLI, { body, encoding: null })))
  }
  await service.close()
}

/**
 * One line of the table: medians of rounds in which the stores take turns, so that what else the machine does meets all
 * alike.
 */
const row = async (
  say: Say,
  title: string,
  servers: readonly Server[],
  cursorAt: (server: Server) => Promise<string | null>,
  query: string,
  counted = false,
): Promise<void> => {
  const from: Array<string | null> = []
  for (const server of servers) from.push(await cursorAt(server))
  // A list that is shorter at one size than at another is not compared.
  if (from.some((cursor) => cursor !== null) && from.includes(null)) return
  if (title.endsWith(`page ${PAGE}`) && from.includes(null)) return
  const times: number[][] = servers.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, server] of servers.entries()) {
      const path = () =>
        counted ? `${pathOf(query, null)}&until=${FAR + asked++}` : pathOf(query, freshCursor(from[i] ?? null))
      const { p50, statuses } = await load(1, REQUESTS, (agent) => ask(agent, server, path()))
      if (statuses[200] !== REQUESTS) throw new Error(`runs?${query}: ${JSON.stringify(statuses)}`)
      times[i]?.push(p50)
    }
  }
  const medians = times.map(median)
  say(
    `| ${title} | ${medians.map((ms) => ms.toFixed(2)).join(' | ')} | ${((medians.at(-1) ?? 0) / (medians[0] ?? 1)).toFixed(2)} |`,
  )
}

/** No two addresses alike, so that no cache answers: cursors differ without changing the page. */
let asked = 0
const FAR = 9_000_000_000_000
const freshCursor = (from: string | null): string => {
  const at = from === null ? null : /^(\d+):/.exec(from)?.[1]
  return at === undefined || at === null ? `${FAR + asked++}:x` : `${Number(at) + 1}:${asked++}`
}

const pathOf = (query: string, cursor: string | null): string =>
  `/api/v1/runs?${query}${query === '' ? '' : '&'}limit=${LIMIT}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`

/**
 * Follows the list to where page 50 begins, or the last full page of a shorter one; null where the first page is all.
 */
const cursorOf = async (server: Server, query: string): Promise<string | null> => {
  let full: string | null = null
  for (let page = 1, cursor: string | null = null; page < PAGE; page++) {
    const answer = await fetch(`${server.url}${pathOf(query, cursor)}`, { headers: { ...server.headers } })
    const { next_cursor } = (await answer.json()) as { next_cursor: string | null }
    if (next_cursor === null) break
    const next = await fetch(`${server.url}${pathOf(query, next_cursor)}`, { headers: { ...server.headers } })
    if (((await next.json()) as { runs: readonly unknown[] }).runs.length < LIMIT) break
    full = cursor = next_cursor
  }
  return full
}
