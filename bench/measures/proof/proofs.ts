import { randomBytes } from 'node:crypto'
import type { Agent } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { privateKeyText, SEED_BYTES } from '../../../runtime/proof/keys.ts'
import { benchDocument } from '../../documents.ts'
import { ask, load, type Answer, type Load } from '../../load.ts'
import type { Print } from '../../measures.ts'
import { freshUrl, startPostgres } from '../../postgres.ts'
import { startBenchServer, type Server } from '../../servers.ts'
import { RECORDS, writeLogDatabase, writeLogFile } from './written-log.ts'

const RUNS = 100
const REQUESTS = 2000
/** A receipt may cause one signature a second. */
const NEW_CHECKPOINTS = 20
const SIGNATURE_GAP_MS = 1_100
const POLL_MS = 100

/**
 * Proofs and receipts of a log of 1,000,000 records, on both storages. The goals are 5 ms for proofs on SQLite and 10 ms on
 * PostgreSQL, 6 ms for receipts and 15 ms for a receipt that needs a new checkpoint, each for 99 of 100.
 */
export const proofs = async (print: Print): Promise<void> => {
  await onFile((server) => measureServer('SQLite', server, print))
  print('')
  await onDatabase((server) => measureServer('PostgreSQL', server, print))
}

const onFile = async (work: (server: Server) => Promise<void>): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), 'ers-proofs-'))
  try {
    writeLogFile(join(dir, 'service.db'))
    await onServer(await startBenchServer('service', dir), work)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const onDatabase = async (work: (server: Server) => Promise<void>): Promise<void> => {
  const database = await startPostgres({ durable: true })
  try {
    const url = await freshUrl(database)
    await writeLogDatabase(url)
    const env = {
      SERVICE_DATABASE_URL: url,
      SERVICE_CHECKPOINT_KEY: privateKeyText('bench.example/log', randomBytes(SEED_BYTES)),
    }
    await onServer(await startBenchServer('service', undefined, env), work)
  } finally {
    await database.stop()
  }
}

const onServer = async (server: Server, work: (server: Server) => Promise<void>): Promise<void> => {
  try {
    await work(server)
  } finally {
    await server.stop()
  }
}

const measureServer = async (storage: string, server: Server, print: Print): Promise<void> => {
  await untilComplete(server)
  for (let n = 0; n < RUNS; n++) await upload(server, n)
  await receipt(server, RUNS - 1)
  const at = (n: number): number => (n * 7919 * 104_729) % RECORDS
  const get =
    (path: (n: number) => string) =>
    (agent: Agent, n: number): Promise<Answer> =>
      ask(agent, server, path(n))
  const proof = get((n) => `/api/v1/log/proof/${at(n)}`)
  const consistency = get((n) => `/api/v1/log/consistency?from=${at(n) + 1}&to=${RECORDS}`)
  const ofRun = get((n) => `/api/v1/runs/${idOf(n % RUNS)}/receipt`)
  print(`| ${storage}, ${RECORDS} records | p50 ms | p99 ms |`)
  print('|---|---|---|')
  const row = (title: string, { p50, p99, statuses }: Load): void =>
    print(`| ${title} | ${p50.toFixed(2)} | ${p99.toFixed(2)} |${statuses[200] === undefined ? ' no 200' : ''}`)
  for (const [title, job] of [
    ['/log/proof', proof],
    ['/log/consistency', consistency],
    ['receipt', ofRun],
  ] as const) {
    row(`${title}, first requests`, await load(1, REQUESTS / 10, job))
    row(title, await load(1, REQUESTS, (agent, n) => job(agent, n + REQUESTS)))
    row(`${title}, 8 connections`, await load(8, REQUESTS, (agent, n) => job(agent, n + 2 * REQUESTS)))
  }
  row(
    'receipt with a new checkpoint',
    await load(1, NEW_CHECKPOINTS, async (_agent, n) => {
      await upload(server, RUNS + n)
      await wait(SIGNATURE_GAP_MS)
      return receipt(server, RUNS + n)
    }),
  )
}

const idOf = (n: number): string => `bench-${String(n).padStart(8, '0')}`

const receipt = async (server: Server, n: number): Promise<Answer> => {
  const from = performance.now()
  const { status } = await fetch(`${server.url}/api/v1/runs/${idOf(n)}/receipt`, { headers: server.headers })
  return { status, ms: performance.now() - from, bytes: 0 }
}

const upload = async ({ url, headers }: Server, n: number): Promise<void> => {
  const { status } = await fetch(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: benchDocument(n, { cases: 2 }),
  })
  if (status !== 201) throw new Error(`an upload was answered ${status}`)
}

/** Waits until the start has filled the nodes of the log. */
const untilComplete = async ({ url, headers }: Server): Promise<void> => {
  for (;;) {
    const { status } = await fetch(`${url}/api/v1/log/proof/0`, { headers })
    if (status === 200) return
    await wait(POLL_MS)
  }
}
