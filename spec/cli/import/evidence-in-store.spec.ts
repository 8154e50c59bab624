import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callApi } from '../../support/browser.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'

// Evidence in a store that `ers import` writes by itself, without a server.

let folder: string
let server: RunningServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ers-store-evidence-'))
  server = await startServer()
  // A state directory has one owner at a time.
  if (!onPostgres) await server.stop({ keep: true })
})
afterEach(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const LOG = join(SAMPLES, 'inspect', '2025-05-12T20-27-36-04-00_browser.json')

const ers = (...args: string[]) => runErs(args, { cwd: folder, env: { TMPDIR: folder } })
const store = (): string[] =>
  server.database ? ['--database-url', server.database.appUrl] : ['--data-dir', server.dataDir]

it('is kept, added to runs without, verified, and served', async () => {
  // Larger than what a piece and a row of the database have.
  const log = join(folder, 'log.json')
  const text = readFileSync(LOG, 'utf8')
  writeFileSync(log, text + ' '.repeat(9 * 1024 * 1024))
  const evidence = (which: string) => ers('import', log, ...store(), '--suite', 'kept', '--evidence', which, '--json')
  expect(JSON.parse((await evidence('none')).stdout)).toMatchObject({ imported: 1 })
  const added = await ers('import', log, ...store(), '--suite', 'kept', '--json')
  expect(JSON.parse(added.stdout), added.stderr).toMatchObject({ imported: 0, evidence_added: 1 })
  expect(JSON.parse((await ers('import', LOG, ...store(), '--suite', 'new', '--json')).stdout)).toMatchObject({
    already_there: 1,
  })
  const other = join(SAMPLES, 'inspect', 'log_streaming.eval')
  expect(JSON.parse((await ers('import', other, ...store(), '--json')).stdout)).toMatchObject({ imported: 1 })
  expect(readdirSync(folder)).toEqual(['log.json'])
  expect(existsSync(join(server.dataDir, 'parts'))).toBe(!onPostgres)
  expect(await ers('verify', ...store(), '--parts', 'all')).toMatchObject({ code: 0 })

  if (!onPostgres) server = await startServer({ dataDir: server.dataDir })
  const get = async <T>(path: string) => (await (await callApi(server.url, server.token, 'GET', path)).json()) as T
  const { runs } = await get<{ runs: ReadonlyArray<{ id: string }> }>('/runs')
  expect(runs).toHaveLength(2)
  for (const [{ id }, file] of [
    [runs.find((run) => (run as unknown as { suite: string }).suite === 'kept')!, log],
    [runs.find((run) => (run as unknown as { suite: string }).suite !== 'kept')!, other],
  ] as const) {
    const { originals } = await get<{ originals: ReadonlyArray<{ sha256: string }> }>(`/runs/${id}/evidence`)
    const part = await callApi(server.url, server.token, 'GET', `/runs/${id}/parts/${originals[0]?.sha256}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(readFileSync(file))).toBe(true)
  }
})

it.runIf(!onPostgres)('is refused for a state directory whose folder of parts belongs to another log', async () => {
  expect((await ers('import', LOG, ...store())).code).toBe(0)
  const [file] = readdirSync(join(server.dataDir, 'parts'))
  expect(file).toBeDefined()
  writeFileSync(join(server.dataDir, 'parts', 'store'), 'another')
  const refused = await ers('import', join(SAMPLES, 'inspect', 'log_streaming.eval'), ...store())
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('parts of another log') as string })
})
