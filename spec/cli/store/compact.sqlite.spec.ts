import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLI } from '../../../queries/access/viewer.ts'
import { openService } from '../../../runtime/open-service.ts'
import { giveBackPages } from '../../../storage/sqlite/compact.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { runErs } from '../../support/servers/run-ers.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'ers-compact-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
const fileOf = (): string => join(dataDir, 'service.db')
const compact = (...options: readonly string[]) => runErs(['compact', '--data-dir', dataDir, ...options])
const random = (n: number): string =>
  Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * n * 7919) % 251)).toString('base64')
const document = (run_id: string, n: number) =>
  JSON.stringify(
    aDocument({
      run_id,
      cases: Array.from({ length: 60 }, (_, i) =>
        aCase({ cell: { test_id: `t${i}` }, output: random(n * 61 + i + 1) }),
      ),
    }),
  )
const open = () => openService({ dataDir })
type Open = Awaited<ReturnType<typeof open>>
const ingest = (service: Open, run_id: string, n: number) =>
  service.commit.ingestRun(CLI, { body: new TextEncoder().encode(document(run_id, n)), encoding: null })

/** Uploads and deletes runs, so that the file has free pages; one run stays. */
const deleted = async (service: Open): Promise<void> => {
  for (let n = 0; n < 8; n++) await ingest(service, `r${n}`, n)
  for (let n = 1; n < 8; n++) await service.commit.deleteRun(CLI, { run_id: `r${n}` })
}
const pragma = (name: string): number => {
  const database = new Database(fileOf(), { readonly: true })
  try {
    return database.pragma(name, { simple: true }) as number
  } finally {
    database.close()
  }
}
/** Opens a new store as earlier versions made it: its file cannot give pages back in steps. */
const openEarlier = (): Promise<Open> => {
  const database = new Database(fileOf())
  database.pragma('page_size = 8192')
  database.pragma('journal_mode = WAL')
  database.close()
  return open()
}

describe('ers compact', () => {
  it('gives the space of deleted runs back while the service is open, which goes on', async () => {
    const service = await open()
    await deleted(service)
    expect(pragma('freelist_count')).toBeGreaterThan(20)
    const before = pragma('page_count') * pragma('page_size')
    const { code, stdout, stderr } = await compact()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('now, no free pages')
    expect(statSync(fileOf()).size).toBeLessThan(before * 0.8)
    await ingest(service, 'later', 9)
    await service.close()
    expect(await runErs(['verify', '--deep', '--data-dir', dataDir])).toMatchObject({ code: 0 })
    const again = await open()
    await again.close()
    expect((await compact()).stdout).toMatch(/service\.db: .*(?:no free pages)/)
  })

  it('stops when its time is over, and the next one goes on', async () => {
    const service = await open()
    await deleted(service)
    const free = pragma('freelist_count')
    let steps = 0
    const part = await giveBackPages(fileOf(), { isOver: () => steps++ === 1, signal: new AbortController().signal })
    expect(part.free).toBeGreaterThan(0)
    expect(pragma('freelist_count')).toBeLessThan(free)
    const whole = await giveBackPages(fileOf(), { isOver: () => false, signal: new AbortController().signal })
    expect(whole.free).toBe(0)
    await service.close()
  })

  it('says what a file of an earlier version needs, and --full does it', async () => {
    const later = await openEarlier()
    expect(pragma('auto_vacuum')).toBe(0)
    await deleted(later)
    const { code, stdout } = await compact()
    expect(code).toBe(1)
    expect(stdout).toContain('Stop the server and run "ers compact --full"')
    // The service holds the directory.
    expect(await compact('--full')).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') as string })
    await later.close()
    const before = statSync(fileOf()).size
    expect(await compact('--full')).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(fileOf()).size).toBeLessThan(before * 0.8)
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600)
    expect(pragma('auto_vacuum')).toBe(2)
    expect(await runErs(['verify', '--deep', '--data-dir', dataDir])).toMatchObject({ code: 0 })
    const again = await open()
    await deleted(again).catch(() => {})
    await again.close()
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('writes nothing again while anything else reads the file', async () => {
    const service = await open()
    await service.close()
    const reader = new Database(fileOf(), { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM events').get()
    expect(await compact('--full')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('open in another process') as string,
    })
    expect(existsSync(`${fileOf()}.part`)).toBe(false)
    reader.close()
    expect(await compact('--full')).toMatchObject({ code: 0 })
  })

  it('refuses a folder without a store, and prints the commands of a database', async () => {
    rmSync(dataDir, { recursive: true })
    expect(await compact()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no service.db') as string,
    })
    const other = await runErs(['compact', '--database-url', 'postgresql://db.example/ers'])
    expect(other).toMatchObject({ code: 2, stdout: expect.stringContaining('VACUUM (FULL') as string })
  })
})
