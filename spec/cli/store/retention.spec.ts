import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { aDocument } from '../../support/documents/documents.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const DAY = 86_400_000
const LIMIT = { SERVICE_RUN_MAX_AGE_DAYS: '30' }

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runErs(['retention', ...args], { env })

/** The environment of a process whose clock, also in its threads, is this many days ahead. */
const ahead = (days: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const%20real=Date.now;Date.now=()=>real()+${days * DAY}`,
})

const open: RunningServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop()
})
const start = async (options: Parameters<typeof startServer>[0]): Promise<RunningServer> => {
  const server = await startServer(options)
  open.push(server)
  return server
}

/** Five runs of one suite, finished within the last minutes. */
const fill = async ({ url, token }: RunningServer): Promise<void> => {
  for (let i = 0; i < 5; i++) {
    const at = new Date(Date.now() - (10 - i) * 60_000).toISOString()
    const body = JSON.stringify(aDocument({ run_id: `r${i}`, started_at: at, finished_at: at }))
    expect(
      (
        await fetch(`${url}/api/v1/runs`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body,
        })
      ).status,
    ).toBe(201)
  }
}
const runsOf = async ({ url, token }: RunningServer): Promise<string[]> => {
  const answer = await fetch(`${url}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } })
  return ((await answer.json()) as { runs: ReadonlyArray<{ id: string }> }).runs.map(({ id }) => id).toSorted()
}
const warned = (server: RunningServer, text: string) => server.log.filter(({ msg }) => String(msg).includes(text))
const GENEROUS = { timeout: 30_000 }

describe('a start with the clock forty days ahead', () => {
  it('deletes nothing by age, logs the clock and the newest record, and deletes on request', async () => {
    const first = await startServer({ env: LIMIT })
    await fill(first)
    const { dataDir } = first
    await first.stop({ keep: true })

    const second = await start({ dataDir, env: { ...LIMIT, ...ahead(40) } })
    await expect
      .poll(() => warned(second, 'the clock is more than a day ahead of the newest record'), GENEROUS)
      .toHaveLength(1)
    const [misfit] = warned(second, 'the clock is more than a day ahead')
    expect(
      Math.round((Date.parse(String(misfit?.['clock'])) - Date.parse(String(misfit?.['newest_record']))) / DAY),
    ).toBe(40)
    // The first task of the hourly pass logs the warning, the last task deletes old runs. The dry run that follows
    // gives the pass time to end before the runs are listed.
    const asking = { SERVICE_SERVER_URL: second.url, SERVICE_TOKEN: second.token }
    expect(await ers(['--dry-run'], asking)).toEqual({
      code: 0,
      stdout: 'would delete 4 runs and 0 cache entries\n',
      stderr: '',
    })
    expect(await runsOf(second)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4'])
    expect(await ers(['--now', '--json'], asking)).toEqual({
      code: 0,
      stdout: '{"dry_run":false,"runs":4,"cache_entries":0}\n',
      stderr: '',
    })
    expect(await runsOf(second)).toEqual(['r4'])
    expect(await ers(['--now'], { ...asking, SERVICE_TOKEN: 'spec-read-token' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('403') as string,
    })
    await second.stop({ keep: true })

    const third = await start({ dataDir, env: LIMIT })
    const [back] = warned(third, 'the clock is behind the newest record')
    expect(Math.round((Date.parse(String(back?.['newest_record'])) - Date.parse(String(back?.['clock']))) / DAY)).toBe(
      40,
    )
  }, 120_000)
})

describe('ers retention', () => {
  it('requires --now or --dry-run', async () =>
    expect(await ers([])).toMatchObject({ code: 2, stderr: 'give --now to delete, or --dry-run to count\n' }))

  // On PostgreSQL there is no state directory.
  if (!onPostgres)
    it('works on a state directory that no server uses, with the limits of the environment', async () => {
      const server = await startServer({ env: LIMIT })
      await fill(server)
      const { dataDir } = server
      expect(await ers(['--now', '--data-dir', dataDir], LIMIT)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /is in use by process .* or SERVICE_DATA_DIR\. Without --data-dir the command asks the running service/,
        ) as string,
      })
      await server.stop({ keep: true })
      expect(await ers(['--now', '--data-dir', dataDir])).toMatchObject({
        code: 0,
        stdout: 'deleted 0 runs and 0 cache entries\n',
      })
      expect(await ers(['--now', '--data-dir', dataDir], { SERVICE_RUN_MAX_AGE_DAYS: '0' })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('SERVICE_RUN_MAX_AGE_DAYS') as string,
      })
      expect(await ers(['--dry-run', '--data-dir', dataDir], { ...LIMIT, ...ahead(40) })).toMatchObject({
        code: 0,
        stdout: 'would delete 4 runs and 0 cache entries\n',
      })
      expect(await ers(['--now', '--data-dir', dataDir], { ...LIMIT, ...ahead(40) })).toMatchObject({
        code: 0,
        stdout: 'deleted 4 runs and 0 cache entries\n',
      })
      rmSync(dataDir, { recursive: true, force: true })
    }, 60_000)

  it('creates no store', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-none-'))
    expect(await ers(['--now', '--data-dir', folder])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`there is no service.db in ${folder}. Name the state directory`) as string,
    })
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true, force: true })
  })
})
