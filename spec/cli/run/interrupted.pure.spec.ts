import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runErs } from '../../support/servers/run-ers.ts'

let folder: string
let server: Server
let child: ChildProcess

/** A service that accepts runs by its word, and answers nothing else: each such request interrupts the program. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ers-interrupted-'))
  server = createServer((request, response) => {
    request.resume()
    if (request.url === '/api/v1/meta') response.end('{"supported_schema_versions":[3]}')
    else child.kill('SIGINT')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  writeFileSync(join(folder, 'bot.mjs'), 'console.log(JSON.stringify({ output: "yes" }))')
  writeFileSync(
    join(folder, 'service.yaml'),
    `version: 1
project: desk
suite: refunds
providers: [{id: bot, type: exec, command: ["${process.execPath}", bot.mjs]}]
tests: [{id: a}]
`,
  )
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

const ers = (...args: readonly string[]) =>
  runErs(args, {
    cwd: folder,
    env: { SERVICE_SERVER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SERVICE_TOKEN: 't' },
    started: (started) => void (child = started),
  })

describe('an interrupt after the last cell', () => {
  it.each([
    [['--share'], 'but it is not uploaded: "ers share latest" uploads it'],
    [['--share', '--allow-share-failure'], 'but it is not uploaded: "ers share latest" uploads it'],
    [['--against', 'server:baseline'], 'but it is not compared'],
    [['--against', 'server:baseline', '--share'], 'but it is not compared and not uploaded'],
  ])('ends ers run %j with 130, and the run is stored', async (options, said) => {
    const { code, stderr } = await ers('run', ...options)
    expect(code).toBe(130)
    expect(stderr.trim().split('\n').at(-1)).toBe(`interrupted: all cells are done and the run is stored, ${said}`)
    expect(stderr).not.toContain('cannot be reached')
    expect(readFileSync(join(folder, '.service/runs/latest'), 'utf8').trim()).toBe(
      readdirSync(join(folder, '.service/runs')).find((name) => name !== 'latest'),
    )
  })

  it.each([
    ['share', 'latest'],
    ['ci-summary', 'latest', '--against', 'server:baseline'],
  ])('ends ers %s with 130', async (...command) => {
    expect((await ers('run')).code).toBe(0)
    expect((await ers(...command)).code).toBe(130)
  })
})
