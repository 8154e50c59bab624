import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchDocument } from '../documents.ts'
import { fillStore } from '../fill-store.ts'
import { ask, load, median } from '../load.ts'
import type { Print } from '../measures.ts'
import { hideAllBut, hideOnly, readerOf } from '../restrict.ts'
import { startBenchServer, type Server } from '../servers.ts'

/** Number of runs of the largest store; `BENCH_RUNS=40000` gives a quicker run. */
const MAX_RUNS = Number(process.env['BENCH_RUNS'] ?? 100_000)
const SIZES = [...new Set([1_000, 10_000, MAX_RUNS])].filter((size) => size <= MAX_RUNS)

const LIMIT = 50
const PAGE = 50
const REQUESTS = 20
const ROUNDS = 5

/**
 * Number of runs of the rare branch; they are the oldest. Even in the smallest store, every filter matches at least a
 * page of runs.
 */
const RARE = 60
const documentOf = (n: number): string =>
  benchDocument(n, {
    cases: 1,
    bytesPerCase: 200,
    // A thousand run sets: five with a tenth of the runs each, and the other half of the runs in the remaining sets.
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

/** Filters of which each matches many runs, but both together none: any index that serves one is scanned completely. */
const NEVER_MEET = ['tag=nightly&origin=local']

/** The viewers: one with access to all run sets, and readers from whom none, one, or all but one are hidden. */
const TITLES = {
  all: '',
  reader: 'nothing hidden: ',
  hidden: 'one set of 1000 hidden: ',
  visible: 'one set of 1000 visible: ',
} as const
type ViewerKind = keyof typeof TITLES
const QUERIES_BY_VIEWER: ReadonlyArray<readonly [ViewerKind, readonly string[]]> = [
  ['all', [...QUERIES, ...NEVER_MEET]],
  ['reader', ['']],
  ['hidden', ['', 'branch=main', 'project=project-1']],
  ['visible', ['', 'branch=main', 'project=project-1', 'status=pass']],
]

/**
 * Measures every filter of the run list on page 1 and page 50, with 50 rows a page, on stores of different sizes. Every
 * filter uses an index, so no time should grow with the store.
 */
export const filters = async (print: Print): Promise<void> => {
  const stores: Array<{ readonly dataDir: string; server: Server | null }> = []
  try {
    for (const size of SIZES) {
      const dataDir = mkdtempSync(join(tmpdir(), 'ers-bench-filters-'))
      const store = { dataDir, server: null as Server | null }
      stores.push(store)
      await fillStore(dataDir, size, documentOf)
      store.server = await startBenchServer('service', dataDir)
    }
    const servers = stores.flatMap(({ server }) => server ?? [])
    // The first requests of a process are the warm-up.
    for (const server of servers) await load(2, 1000, (agent) => ask(agent, server, pathOf('', uniqueCursor(null))))

    print(`| filter | ${SIZES.map((size) => `${size / 1000}k runs, p50 ms`).join(' | ')} | largest to smallest |`)
    print(`|---|${SIZES.map(() => '---|').join('')}---|`)
    for (const [viewer, queries] of QUERIES_BY_VIEWER) {
      for (const { dataDir } of stores) {
        if (viewer === 'visible') hideAllBut(dataDir, [SET])
        else hideOnly(dataDir, viewer === 'hidden' ? [SET] : [])
      }
      const viewerServers = servers.map((server) => (viewer === 'all' ? server : readerOf(server)))
      for (const query of queries) {
        const title = `${TITLES[viewer]}${query || '(none)'}`
        await row(print, `${title}, page 1`, viewerServers, () => Promise.resolve(null), query)
        await row(print, `${title}, page ${PAGE}`, viewerServers, (server) => cursorOf(server, query), query)
      }
    }
    await row(print, 'cached=exclude with its count', servers, () => Promise.resolve(null), 'cached=exclude', true)
  } finally {
    for (const { dataDir, server } of stores) {
      await server?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

/**
 * Prints one line of the table: medians of rounds. The rounds alternate between the stores, so that other load on the
 * machine affects all of them.
 */
const row = async (
  print: Print,
  title: string,
  servers: readonly Server[],
  cursorAt: (server: Server) => Promise<string | null>,
  query: string,
  withCount = false,
): Promise<void> => {
  const cursors: Array<string | null> = []
  for (const server of servers) cursors.push(await cursorAt(server))
  // Skips a list that has fewer pages at one size than at another.
  if (cursors.some((cursor) => cursor !== null) && cursors.includes(null)) return
  if (title.endsWith(`page ${PAGE}`) && cursors.includes(null)) return
  const times: number[][] = servers.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, server] of servers.entries()) {
      const path = () =>
        withCount
          ? `${pathOf(query, null)}&until=${FAR + requestCount++}`
          : pathOf(query, uniqueCursor(cursors[i] ?? null))
      const { p50, statuses } = await load(1, REQUESTS, (agent) => ask(agent, server, path()))
      if (statuses[200] !== REQUESTS) throw new Error(`runs?${query}: ${JSON.stringify(statuses)}`)
      times[i]?.push(p50)
    }
  }
  const medians = times.map(median)
  print(
    `| ${title} | ${medians.map((ms) => ms.toFixed(2)).join(' | ')} | ${((medians.at(-1) ?? 0) / (medians[0] ?? 1)).toFixed(2)} |`,
  )
}

/** Makes every address unique, so that no response comes from a cache. The cursors differ, but select the same page. */
let requestCount = 0
const FAR = 9_000_000_000_000
const uniqueCursor = (from: string | null): string => {
  const time = from === null ? null : /^(\d+):/.exec(from)?.[1]
  return time === undefined || time === null ? `${FAR + requestCount++}:x` : `${Number(time) + 1}:${requestCount++}`
}

const pathOf = (query: string, cursor: string | null): string =>
  `/api/v1/runs?${query}${query === '' ? '' : '&'}limit=${LIMIT}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`

/**
 * The cursor of page 50, or of the last full page of a shorter list; null if the list has only one page.
 */
const cursorOf = async (server: Server, query: string): Promise<string | null> => {
  let lastFull: string | null = null
  for (let page = 1, cursor: string | null = null; page < PAGE; page++) {
    const answer = await fetch(`${server.url}${pathOf(query, cursor)}`, { headers: { ...server.headers } })
    const { next_cursor } = (await answer.json()) as { next_cursor: string | null }
    if (next_cursor === null) break
    const next = await fetch(`${server.url}${pathOf(query, next_cursor)}`, { headers: { ...server.headers } })
    if (((await next.json()) as { runs: readonly unknown[] }).runs.length < LIMIT) break
    lastFull = cursor = next_cursor
  }
  return lastFull
}
