import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchDocument } from '../documents.ts'
import { startSoakServer, temporaryFolder } from './server.ts'
import type { SoakContext } from './soak.ts'

const UPLOADS = 30

/**
 * Traces the system calls of the server and checks that the log is synced before each 201. Runs with one uploader, and
 * with four that share syncs.
 */
export const fsync = async (context: SoakContext): Promise<void> => {
  if (spawnSync('strace', ['-V']).error) return context.fail('strace is not installed: nothing was measured')
  for (const lanes of [1, 4]) await traceUploads(lanes, context)
}

const traceUploads = async (lanes: number, { expect }: SoakContext): Promise<void> => {
  const trace = join(temporaryFolder(), 'trace')
  const calls = 'trace=fsync,fdatasync,write,writev,pwrite64,sendto,sendmsg'
  const server = await startSoakServer({
    under: ['strace', '-f', '-ttt', '-y', '-s', '48', '-e', calls, '-e', 'signal=none', '-o', trace],
  })
  let stored = 0
  try {
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < UPLOADS) {
        const { status } = await fetch(`${server.url}/api/v1/runs`, {
          method: 'POST',
          headers: server.headers,
          body: benchDocument(next++, { cases: 5 }),
        })
        if (status === 201) stored++
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  } finally {
    await server.stop()
  }
  const { answers, early, syncs } = readTrace(readFileSync(trace, 'utf8').split('\n'), lanes)
  expect(
    stored === UPLOADS && answers === stored,
    `${lanes} at a time: ${stored} of ${UPLOADS} uploads got 201, and the trace shows ${answers} such responses`,
  )
  expect(
    early === 0 && syncs > 0,
    `${lanes} at a time: ${syncs} syncs of the log after writes, ${early} responses before their sync ended`,
  )
}

/**
 * Reads a trace and counts the responses that were written without a sync before them. A sync counts only after it has
 * ended, and only if the log was written since the sync before it. Each client waits for its response, so one sync
 * covers at most as many responses as there are clients.
 */
const readTrace = (lines: readonly string[], clients: number): { answers: number; early: number; syncs: number } => {
  let answers = 0
  let early = 0
  let syncs = 0
  let hasWritten = false
  let covered = 0
  const inFlight = new Map<string, string>()
  for (const line of lines) {
    const [, thread = '', rest = ''] = /^(\d+)\s+[\d.]+ (.*)$/.exec(line) ?? []
    const isOver = !rest.includes('<unfinished ...>')
    const isResumed = rest.startsWith('<... ')
    const call = isResumed ? (inFlight.get(thread) ?? '') : rest
    if (!isOver) inFlight.set(thread, rest)
    if (isOver && /^pwrite64\(\d+<[^>]*service\.db-wal>/.test(call)) hasWritten = true
    if (isOver && hasWritten && /^f(?:data)?sync\(\d+<[^>]*service\.db-wal>/.test(call) && rest.endsWith(' = 0')) {
      hasWritten = false
      syncs++
      covered = clients
    }
    if (!isResumed && rest.includes('"HTTP/1.1 201')) {
      answers++
      if (--covered < 0) early++
    }
  }
  return { answers, early, syncs }
}
