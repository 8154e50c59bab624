import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runErs } from '../../support/servers/run-ers.ts'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const ers = (...args: readonly string[]) =>
  runErs(args, { cwd: folder, env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token } })

const calls = () => (existsSync(join(folder, 'calls')) ? readdirSync(join(folder, 'calls')).length : 0)
const server = await startServer()
const folder = mkdtempSync(join(tmpdir(), 'ers-cli-service-'))

it('a run is uploaded, compared with the branch on the service, and shares its cache', async () => {
  writeFileSync(
    join(folder, 'bot.mjs'),
    `import { mkdirSync } from 'node:fs'
mkdirSync('calls/' + process.pid, { recursive: true })
console.log(JSON.stringify({ output: '30 days' }))
`,
  )
  const suite = (expected: string) =>
    writeFileSync(
      join(folder, 'service.yaml'),
      `version: 1
project: desk
suite: refunds
providers: [{id: bot, type: exec, command: ["${process.execPath}", bot.mjs]}]
tests: [{id: a, assert: [{type: contains, value: "${expected}"}]}]
cache: {backend: layered}
`,
    )
  suite('30 days')
  const first = await ers('run', '--share', '--format', 'json', '--cache-dir', 'one', '--against', 'server:baseline')
  expect(first).toMatchObject({ code: 0 })
  const { run_id, share_url } = JSON.parse(first.stdout) as RunDocument
  expect(share_url).toBeUndefined()
  const link = /^View run: (.*)$/m.exec(first.stderr)?.[1]
  expect(link).toContain(run_id)
  const stored = JSON.parse(readFileSync(join(folder, '.service/runs', run_id, 'result.json'), 'utf8')) as RunDocument
  expect(stored.share_url).toBe(link)
  const exported = await fetch(`${server.url}/api/v1/runs/${run_id}/export`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  expect(await exported.json()).toEqual(JSON.parse(first.stdout))

  // Another machine: its local cache is empty, but that of the service is not.
  expect(await ers('baseline', 'set', run_id)).toMatchObject({ code: 0 })
  suite('31 days')
  const second = await ers('run', '--format', 'json', '--cache-dir', 'two', '--against', 'server:baseline')
  expect(second.code).toBe(1)
  expect(second.stderr).toContain('1 newly failing')
  expect(JSON.parse(second.stdout)).toMatchObject({ cases: [{ cached: true, status: 'fail' }] })
  expect(calls()).toBe(1)
})
