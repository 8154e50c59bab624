import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresServer } from './server.ts'

/** The process ids of a server: the first is its own, the others are its sessions and workers. */
const processesOf = ({ socketDir }: PostgresServer): number[] => {
  const [line = ''] = readFileSync(join(socketDir, 'data', 'postmaster.pid'), 'utf8').split('\n')
  const children = readFileSync(`/proc/${line}/task/${line}/children`, 'utf8').trim()
  return [line, ...children.split(' ').filter((pid) => pid !== '')].map(Number)
}

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      // A session may have ended since it was listed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

/**
 * Freezes a server: connections stay open but nothing is sent, as when a network drops all packets. Returns a function
 * that resumes it.
 */
export const freeze = (server: PostgresServer): (() => void) => {
  const [serverPid = 0] = processesOf(server)
  signal([serverPid], 'SIGSTOP')
  // The stopped server starts no other process.
  const all = processesOf(server)
  signal(all, 'SIGSTOP')
  return () => signal(all.toReversed(), 'SIGCONT')
}
