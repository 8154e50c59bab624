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
 * Stops a server in its tracks: connections stay open and nothing is said on them, as when a network swallows
 * everything. Answers how it goes on.
 */
export const freeze = (server: PostgresServer): (() => void) => {
  const [own = 0] = processesOf(server)
  signal([own], 'SIGSTOP')
  // From here on it starts no other.
  const all = processesOf(server)
  signal(all, 'SIGSTOP')
  return () => signal(all.toReversed(), 'SIGCONT')
}
