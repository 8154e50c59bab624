import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { sharedFolder } from '../quick-folder.ts'

/** Below the ports that systems give to connections, and to servers that listen on port 0. */
const FIRST_PORT = 20_000
const PORTS = 12_000

let next = process.pid % PORTS

/**
 * Returns a free port for a server that cannot choose one itself, or that starts again on the same port. A port that the
 * system chose could be given to another server or connection before this server has it. No other process of this run of
 * the specs gets the same port. Throws if none is free.
 */
export const nextFreePort = async (folder = sharedFolder()): Promise<number> => {
  mkdirSync(folder, { recursive: true })
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST_PORT + (next++ % PORTS)
    if (claim(folder, port) && (await isFree(port))) return port
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free`)
}

/** Whether this process is the first that asks for the port. The file system decides. */
const claim = (folder: string, port: number): boolean => {
  try {
    closeSync(openSync(join(folder, `port-${port}`), 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
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
