import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, mkdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { bareEnvironment } from '../bare-environment.ts'
import { BUCKET, KEYS } from './stand-in.ts'

/**
 * The program `versitygw`, an S3-compatible server: the one that VERSITYGW names, else that of PATH; null if there is none. Specs never build
 * it: `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0` does, in some minutes.
 */
export const versitygw = ((): string | null => {
  const program = process.env['VERSITYGW'] || 'versitygw'
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0 ? program : null
})()

export const NO_REAL_SERVER =
  'NOT RUN against a real S3 server: versitygw is missing. Install Go, run "go install github.com/versity/versitygw/cmd/versitygw@v1.8.0", and put it on PATH or name it in VERSITYGW'

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const untilItAnswers = async (url: string, server: ChildProcess): Promise<void> => {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`versitygw ended with ${server.exitCode}`)
    try {
      await (await fetch(url)).text()
      return
    } catch {
      await turn()
    }
  }
}

/** Starts versitygw on a folder of its own, with one bucket. Returns when it answers. */
export const startVersitygw = async (program: string) => {
  const root = mkdtempSync(join(tmpdir(), 'versitygw-'))
  mkdirSync(join(root, 'data', BUCKET), { recursive: true })
  const port = await freePort()
  const server = spawn(program, ['--port', `127.0.0.1:${port}`, 'posix', join(root, 'data')], {
    env: { ...bareEnvironment(), ROOT_ACCESS_KEY: KEYS.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: KEYS.AWS_SECRET_ACCESS_KEY },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  await untilItAnswers(url, server)
  return {
    url,
    pid: server.pid,
    folder: join(root, 'data', BUCKET),
    storeUrl: (prefix: string, more = ''): string => `s3://${BUCKET}/${prefix}?endpoint=${url}${more}`,
    [Symbol.asyncDispose]: async () => {
      if (server.exitCode === null) {
        server.kill()
        await once(server, 'close')
      }
      rmSync(root, { recursive: true, force: true })
    },
  }
}
