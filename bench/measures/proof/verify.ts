import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import type { Print } from '../../measures.ts'
import { openService } from '../../../runtime/open-service.ts'
import { seal } from '../../../storage/log/event.ts'
import { appendLeaf, emptyFrontier, encodeFrontier } from '../../../storage/log/merkle.ts'
import { RECORDS } from './written-log.ts'

const RUNS = 3
/** The built program, if `npm run build` has made it: a source needs more memory in each thread. */
const SERVICE = process.env['BENCH_SERVICE'] ?? fileURLToPath(new URL('../../../dist/ers.js', import.meta.url))

/**
 * Verifies a log without documents: uploads and deletions in turn, with bodies of some 400 bytes. The goal for 10 M
 * records is 30 s and 300 MiB on two idle cores.
 */
export const verify = async (print: Print): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-bench-verify-'))
  try {
    await writeStore(dataDir)
    print('| records | seconds | CPU seconds | peak MiB |')
    print('|---|---|---|---|')
    for (let run = 0; run < RUNS; run++) print(measure(dataDir))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const REPORT = `data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();console.error(JSON.stringify({cpu:(u.userCPUTime+u.systemCPUTime)/1e6,mib:u.maxRSS/1024}))})`

const measure = (dataDir: string): string => {
  const from = performance.now()
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', REPORT, SERVICE, 'verify', '--data-dir', dataDir],
    { encoding: 'utf8' },
  )
  const seconds = (performance.now() - from) / 1000
  if (status !== 0) throw new Error(`the store did not verify: ${stderr}`)
  const { cpu, mib } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { cpu: number; mib: number }
  return `| ${RECORDS} | ${seconds.toFixed(1)} | ${cpu.toFixed(1)} | ${Math.round(mib)} |`
}

const ACTOR = {
  address: '203.0.113.7',
  credential_id: '01K2ZQ7C8V4T9E6M3B5N1R0WXA',
  kind: 'apikey',
  scope: 'write',
  user_id: '01K2ZQ7C8V4T9E6M3B5N1R0WXB',
} as const
const SHA256 = 'b'.repeat(64)
const SET = { project: 'chat', suite: 'smoke' }

const dataOf = (n: number, run_no: number) =>
  n % 2 === 1
    ? {
        ...SET,
        case_count: 10,
        content_hash: SHA256,
        document_bytes: 1000,
        document_sha256: SHA256,
        hash_version: 1,
        run_no,
      }
    : { ...SET, cause: 'request', document_sha256: SHA256, run_no }

/** Writes the records as commits do, but in one transaction and without triggers: a commit each would take hours. */
const writeStore = async (dataDir: string): Promise<void> => {
  const service = await openService({ dataDir, now: () => 1_700_000_000_000 })
  await service.close()
  const file = join(dataDir, 'service.db')
  const database = new Database(file)
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as Array<{
    name: string
    sql: string
  }>
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
  database.pragma('synchronous = OFF')
  database.exec('BEGIN; DELETE FROM events; DELETE FROM event_bodies; DELETE FROM log_nodes')
  const event = database.prepare('INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES (?, ?, ?, ?, ?)')
  const body = database.prepare('INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES (?, ?, ?, ?, ?)')
  const node = database.prepare('INSERT INTO log_nodes (level, n, hash) VALUES (?, ?, ?)')
  let frontier = emptyFrontier()
  for (let seq = 1; seq <= RECORDS; seq++) {
    const run_no = Math.ceil(seq / 2)
    const [type, version] = seq % 2 === 1 ? ['RunIngested', 1] : ['RunDeleted', 2]
    const stream = `run/run-${run_no}`
    const recorded_at = 1_777_885_244_000 + seq
    const sealed = seal(
      { actor: ACTOR, data: dataOf(seq, run_no), request_id: ACTOR.credential_id, stream, version },
      type,
      recorded_at,
    )
    event.run(seq, recorded_at, type, sealed.commitment, sealed.leaf)
    body.run(seq, stream, version, sealed.salt, sealed.body)
    frontier = appendLeaf(frontier, sealed.leaf, ({ level, n, hash }) => void node.run(level, n, hash))
  }
  database.prepare('DELETE FROM log_head').run()
  database
    .prepare('INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, ?, ?, ?)')
    .run(frontier.size, encodeFrontier(frontier), 1_777_885_244_000 + RECORDS)
  database.exec('COMMIT')
  for (const { sql } of triggers) database.exec(sql)
  database.close()
}
