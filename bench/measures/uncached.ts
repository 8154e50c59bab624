import type { Agent } from 'node:http'
import {
  note,
  printTable,
  ROUNDS,
  schemaVersionOf,
  selectedContenders,
  startContender,
  type Results,
} from '../contenders.ts'
import { benchDocument, WORDS } from '../documents.ts'
import { ask, load, type Load } from '../load.ts'
import type { Print } from '../measures.ts'
import { startPostgres } from '../postgres.ts'
import { readerOf } from '../restrict.ts'
import type { Server } from '../servers.ts'

const STORED = 200
/** The runs before this one are requested only for the warm-up. */
const WARM_UP_RUNS = 50
/** Number of run sets of the rows with one visible set, and of the runs in that set. */
const SETS = 1000
const VISIBLE_RUNS = 100
/** A row of the table. `path` returns another address for every number, so that no cached response can answer. */
type Row = {
  readonly title: string
  readonly clients: number
  readonly count: number
  readonly path: (n: number) => string
}

const idOf = (n: number): string => `bench-${String(n).padStart(8, '0')}`
const runAt = (n: number): string => idOf(WARM_UP_RUNS + (n % (STORED - WARM_UP_RUNS)))
const turnOf = (n: number): number => Math.floor(n / (STORED - WARM_UP_RUNS))

/** Words by how many cases contain them: a rare one is in about 30 of the 20,000 cases, a common one in most. */
const COMMON = WORDS.slice(0, 60)
const MIDDLE = WORDS.slice(500, 3500)
const RARE = WORDS.slice(12_000)
/** The n-th of some words, other ones for every number. */
const wordOf = (words: readonly string[], n: number): string => words[(n * 7919) % words.length] ?? ''
/** The n-th pair of two lists of words. */
const pairOf = (first: readonly string[], second: readonly string[], n: number): string =>
  `${first[n % first.length]}%20${second[(n + 1 + Math.floor(n / first.length)) % second.length]}`
const search = (q: string): string => `/api/v1/search?q=${q}`
/** A query of common words with an address of its own: spaces at its end have no effect. */
const again = (words: readonly string[], n: number): string =>
  `${words[n % words.length]}${'+'.repeat(1 + Math.floor(n / words.length))}`
/** The n-th beginning of three letters. */
const PREFIXES = [...new Set(WORDS.slice(80).map((word) => word.slice(0, 3)))]

/** How the title of a search begins. */
const SEARCH = 'search of'
/** `hits`: the mean number of hits that a search lists. */
type Measured = Load & { readonly hits: number }

const FAR = 9_000_000_000_000
const list = (n: number): string => `/api/v1/runs?limit=50&cursor=${FAR + n}%3Ax`

const rows: readonly Row[] = [
  { title: 'run list', clients: 1, count: 400, path: list },
  { title: 'run list, 8 connections', clients: 8, count: 1600, path: (n) => list(1000 + n) },
  {
    title: 'run list of a branch',
    clients: 1,
    count: 400,
    path: (n) => `/api/v1/runs?branch=main&limit=50&cursor=${FAR + n}%3Ax`,
  },
  { title: 'run detail', clients: 1, count: STORED - WARM_UP_RUNS, path: (n) => `/api/v1/runs/${runAt(n)}` },
  {
    title: 'cases page',
    clients: 1,
    count: 300,
    path: (n) => `/api/v1/runs/${runAt(n)}/cases?limit=50&cursor=${turnOf(n)}`,
  },
  { title: 'matrix', clients: 1, count: 300, path: (n) => `/api/v1/runs/${runAt(n)}/matrix?limit=${100 - turnOf(n)}` },
  ...(
    [
      ['a rare word', (n) => wordOf(RARE, n)],
      ['a middle word', (n) => wordOf(MIDDLE, n)],
      ['a common word', (n) => again(COMMON, n)],
      ['a common and a rare word', (n) => pairOf(COMMON, RARE, n)],
      ['two common words', (n) => pairOf(COMMON, COMMON, n)],
      ['two rare words', (n) => pairOf(RARE, RARE, n)],
      ['a beginning of three letters', (n) => again(PREFIXES, n)],
      ['a phrase of two common words', (n) => pairOf(COMMON, COMMON, n).replace('%20', '-')],
      ['no hit', (n) => `zyzzyva${n}`],
    ] satisfies ReadonlyArray<readonly [string, (n: number) => string]>
  ).flatMap(([title, q]): Row[] => [
    { title: `${SEARCH} ${title}`, clients: 1, count: 200, path: (n) => search(q(n)) },
    { title: `${SEARCH} ${title}, 8 connections`, clients: 8, count: 300, path: (n) => search(q(1000 + n)) },
  ]),
]

/** Requests that only warm a server up: none of them is measured. */
const WARM_UP: ReadonlyArray<(n: number) => string> = [
  (n) => list(500_000 + n),
  (n) => `/api/v1/runs?branch=feature-3&limit=50&cursor=${FAR + n}%3Ax`,
  (n) => `/api/v1/runs/${idOf(n % WARM_UP_RUNS)}`,
  (n) => `/api/v1/runs/${idOf(n % WARM_UP_RUNS)}/cases?limit=50&cursor=${n % 40}`,
  (n) => `/api/v1/runs/${idOf(n % WARM_UP_RUNS)}/matrix?limit=${100 - (n % 40)}`,
  (n) => search(pairOf(COMMON, MIDDLE, 2000 + n)),
]
const WARM_UP_REQUESTS = 100

/**
 * Measures requests that no cached response can answer, on both storages, and of the peer that `BENCH_PEER` names.
 * One row of the run list is answered from memory, for comparison.
 */
export const uncached = async (print: Print): Promise<void> => {
  const contenders = selectedContenders()
  const database = contenders.includes('postgres') ? await startPostgres({ durable: true }) : null
  const results: Results<Measured> = new Map()
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const contender of contenders) {
        const server = await startContender(contender, database)
        try {
          await measureRows(server, (title, measured) => note(results, title, contender, measured))
          if (server.name === 'service')
            await measureOneVisible(server, (title, measured) => note(results, title, contender, measured))
        } finally {
          await server.stop()
        }
      }
  } finally {
    await database?.stop()
  }
  printTable(print, contenders, results, (title) =>
    title.includes('connections')
      ? [{ unit: 'req/s', pick: ({ perSecond }) => perSecond, digits: 0 }]
      : [
          { unit: 'p50 ms', pick: ({ p50 }) => p50, digits: 2 },
          { unit: 'p99 ms', pick: ({ p99 }) => p99, digits: 2 },
          ...(title.startsWith(SEARCH) ? [{ unit: 'hits', pick: ({ hits }: Measured) => hits, digits: 1 }] : []),
        ],
  )
}

type Note = (title: string, measured: Measured) => void

const upload = async (server: Server, count: number, documentOf: (n: number) => string): Promise<void> => {
  const { statuses } = await load(4, count, (agent, n) =>
    ask(agent, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(documentOf(n)) }),
  )
  if (statuses[201] !== count) throw new Error(`${server.name} answered uploads with ${JSON.stringify(statuses)}`)
}

const get =
  (server: Server, path: (n: number) => string) =>
  (agent: Agent, n: number): ReturnType<typeof ask> =>
    ask(agent, server, path(n))

/** Requests whose hits are counted. */
const COUNTED = 20

/** The mean number of hits that a search lists. */
const countHits = async (server: Server, path: Row['path']): Promise<number> => {
  let hits = 0
  for (let n = 0; n < COUNTED; n++) {
    const answer = await fetch(`${server.url}${path(n)}`, { headers: { ...server.headers } })
    const { runs, cases } = (await answer.json()) as {
      readonly runs: readonly unknown[]
      readonly cases: readonly unknown[]
    }
    hits += runs.length + cases.length
  }
  return hits / COUNTED
}

const measure = async (server: Server, { title, clients, count, path }: Row): Promise<Measured> => {
  const measured = await load(clients, count, get(server, path))
  if (measured.statuses[200] !== count)
    throw new Error(`${server.name} answered "${title}" with ${JSON.stringify(measured.statuses)}`)
  return { ...measured, hits: title.startsWith(SEARCH) ? await countHits(server, path) : 0 }
}

const measureRows = async (server: Server, note: Note): Promise<void> => {
  const schemaVersion = schemaVersionOf(server)
  await upload(server, STORED, (n) => benchDocument(n, { schemaVersion }))
  for (const path of WARM_UP) await load(1, WARM_UP_REQUESTS, get(server, path))
  for (const row of rows) note(row.title, await measure(server, row))
  const fromMemory = 'the same list again (from memory in the service)'
  note(fromMemory, await measure(server, { title: fromMemory, clients: 1, count: 1000, path: () => list(0) }))
}

/** A reader who sees one of a thousand run sets, whose runs are the oldest. */
const measureOneVisible = async (server: Server, note: Note): Promise<void> => {
  const name = (n: number): { project: string; suite: string } =>
    n < VISIBLE_RUNS ? { project: 'shown', suite: 'one' } : { project: `hidden-${n % 10}`, suite: `suite-${n}` }
  await upload(server, VISIBLE_RUNS + SETS - 1, (n) => {
    const document = JSON.parse(benchDocument(10_000 + n, { cases: 2, bytesPerCase: 400 })) as object
    return JSON.stringify({ ...document, ...name(n) })
  })
  // The projects of the other rows and of all hidden sets.
  for (const project of [...Array(10).keys()].flatMap((i) => [`project-${i}`, `hidden-${i}`]))
    await fetch(`${server.url}/api/v1/sets/${project}/restriction`, { method: 'PUT', headers: { ...server.headers } })
  for (let n = VISIBLE_RUNS; n < VISIBLE_RUNS + SETS - 1; n++) {
    const { project, suite } = name(n)
    await fetch(`${server.url}/api/v1/sets/${project}/${suite}/restriction`, {
      method: 'PUT',
      headers: { ...server.headers },
    })
  }
  const reader = readerOf(server)
  const title = (what: string): string => `1 of ${SETS} sets visible: ${what}`
  for (const path of [WARM_UP[0], WARM_UP[5]]) if (path) await load(1, WARM_UP_REQUESTS, get(reader, path))
  for (const [what, path] of [
    ['run list', list],
    ['search of two words', (n: number) => search(pairOf(COMMON, MIDDLE, n))],
  ] as const)
    note(title(what), await measure(reader, { title: title(what), clients: 1, count: 300, path }))
}
