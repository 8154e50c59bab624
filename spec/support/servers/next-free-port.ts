import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to connections, and to servers that listen on port 0. */
const FIRST_PORT = 20_000
const PORTS_EACH = 50
/** The processes of a run have ids close to each other. */
const MAX_PROCESSES = 240

let next = 0

/**
 * Returns a free port for a server that cannot choose one itself, or that starts again on the same port. A port that the
 * system chose could be given to another server or connection before this server has it; these ports are given to this
 * process alone. Throws if none is free.
 */
export const nextFreePort = async (): Promise<number> => {
  const first = FIRST_PORT + (process.pid % MAX_PROCESSES) * PORTS_EACH
  for (let tries = 0; tries < PORTS_EACH; tries++) {
    const port = first + (next++ % PORTS_EACH)
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${first} to ${first + PORTS_EACH - 1} is free`)
}

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '0.0.0.0')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES'))
      return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
