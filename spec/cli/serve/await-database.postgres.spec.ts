import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { awaitDatabase } from '../../../cli/serve/await-database.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { startPostgres } from '../../support/postgres/server.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { queryRows } from '../../support/servers/replicas.ts'
import { startServer } from '../../support/servers/server.ts'
import { serverUrl } from '../../support/stores/fresh-database.ts'

/** No process listens on the lowest port. */
const NOWHERE = 'postgresql://ers:s3cret@127.0.0.1:1/ers'

/** A clock that advances by the waits, and the length of each wait. */
const aClock = () => {
  let now = 0
  const waits: number[] = []
  return {
    waits,
    clock: () => now,
    wait: async (milliseconds: number) => void ((now += milliseconds), waits.push(milliseconds)),
  }
}

const failureOf = async (url: string, patience: number) => {
  const { waits, clock, wait } = aClock()
  const messages: string[] = []
  const error: unknown = await awaitDatabase({
    url,
    patience,
    clock,
    wait,
    onWait: (fields) => messages.push(JSON.stringify(fields)),
  }).catch((thrown: unknown) => thrown)
  return { error, waits, messages }
}

describe('awaitDatabase', () => {
  it('resolves at once if the database accepts a connection', () =>
    awaitDatabase({ url: serverUrl(), patience: 0, onWait: () => expect.unreachable() }))

  it('retries less and less often until its limit, then names the variable', async () => {
    const { error, waits, messages } = await failureOf(NOWHERE, 60_000)
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeCloseTo(60_000)
    expect(waits.length).toBeLessThan(20)
    expect(waits[0]).toBeLessThan(waits[4] ?? 0)
    expect(messages).toHaveLength(waits.length)
    expect(error).toBeInstanceOf(Unavailable)
    const words = [String(error), ...messages].join('\n')
    expect(words).toContain('SERVICE_DATABASE_URL: postgresql://ers@127.0.0.1:1/ers cannot be used')
    expect(words).toContain('ECONNREFUSED')
    expect(words).not.toContain('s3cret')
  })

  it('does not wait with a limit of 0', async () => expect((await failureOf(NOWHERE, 0)).waits).toEqual([]))

  it('does not wait for a database that rejects it', async () => {
    const { error, waits } = await failureOf(serverUrl('no_such_database'), 60_000)
    expect(waits).toEqual([])
    expect(String(error)).toMatch(/SERVICE_DATABASE_URL: .*no_such_database.* does not exist/)
  })
})

describe('a start of the service', () => {
  it('names SERVICE_DATABASE_URL, but no password, if the database stays unavailable', async () => {
    const env = { ...bareEnvironment(), SERVICE_DATABASE_URL: NOWHERE, SERVICE_DATABASE_WAIT_MS: '1' }
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data-dir', '/nonexistent/never-made'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let words = ''
    child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code).toBe(1)
    expect(words).toContain('SERVICE_DATABASE_URL')
    expect(words).not.toContain('s3cret')
  })

  it('waits for a database that starts later', async () => {
    const server = await startPostgres()
    try {
      await queryRows(server.url(), 'CREATE DATABASE ers')
      await server.halt()
      const starting = startServer({ env: { SERVICE_DATABASE_URL: server.url('ers') } })
      await server.resume()
      const started = await starting
      expect((await fetch(`${started.url}/api/v1/ready`)).status).toBe(200)
      expect(await started.stop()).toBe(0)
    } finally {
      await server.stop()
    }
  })
})
