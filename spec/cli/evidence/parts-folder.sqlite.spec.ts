import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBackup, readBackup } from '../../../maintenance/backup/folder.ts'
import { makeBackup } from '../../../maintenance/backup/backup.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf, noise } from '../../support/documents/parts.ts'
import { partFiles } from '../../support/documents/stored-objects.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { onFile } from '../../support/stores/store.ts'

const root = mkdtempSync(join(tmpdir(), 'ers-parts-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const fresh = (): string => join(root, `folder-${folders++}`)

const request = async ({ url, token }: RunningServer, method: string, path: string, type: string, body?: Buffer) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: new Uint8Array(body) }) })
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const put = (server: RunningServer, bytes: Buffer) =>
  request(server, 'PUT', `/parts/${digestOf(bytes)}`, 'application/octet-stream', bytes)

/** Uploads a run with one part. */
const uploadWith = async (server: RunningServer, run_id: string, bytes: Buffer): Promise<void> => {
  const manifest = manifestOf([{ bytes, role: 'original' }])
  for (const part of [bytes, manifest]) expect((await put(server, part)).status).toBe(200)
  const document = Buffer.from(JSON.stringify({ ...aDocument({ run_id }), evidence_manifest: digestOf(manifest) }))
  expect((await request(server, 'POST', '/runs', 'application/json', document)).status).toBe(201)
}
const partOf = (server: RunningServer, run_id: string, bytes: Buffer) =>
  request(server, 'GET', `/runs/${run_id}/parts/${digestOf(bytes)}`, 'application/json')

const [first, second] = [noise(400_000, 1), noise(400_000, 2)]
let server: RunningServer
beforeAll(async () => {
  server = await startServer()
  await uploadWith(server, 'first', first)
  await uploadWith(server, 'second', second)
})
afterAll(() => server.stop())

describe('ers backup', () => {
  it('takes the files of large parts along, and ers restore brings them back', async () => {
    const folder = fresh()
    expect(await runErs(['backup', folder, '--data-dir', server.dataDir, '--with-key'])).toMatchObject({ code: 0 })
    const dataDir = fresh()
    expect(await runErs(['restore', folder, '--data-dir', dataDir])).toMatchObject({ code: 0 })
    expect(partFiles(dataDir)).toHaveLength(2)
    const restored = await startServer({ dataDir })
    try {
      expect((await partOf(restored, 'first', first)).bytes.equals(first)).toBe(true)
    } finally {
      await restored.stop()
    }
  })

  it('does not take a damaged file, nor restore a backup that lacks one', async () => {
    const copy = fresh()
    cpSync(server.dataDir, copy, { recursive: true })
    const [path = ''] = partFiles(copy)
    const bytes = readFileSync(path)
    bytes[1000] = (bytes[1000] ?? 0) ^ 1
    writeFileSync(path, bytes)
    const damaged = await runErs(['backup', fresh(), '--data-dir', copy])
    expect(damaged).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') as string })
    rmSync(path)
    const missing = await runErs(['backup', fresh(), '--data-dir', copy])
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('is missing') as string })

    const folder = fresh()
    await runErs(['backup', folder, '--data-dir', server.dataDir])
    const backup = findBackup(folder)
    rmSync(partFiles(backup)[0] ?? '')
    const refused = await runErs(['restore', folder, '--data-dir', fresh()])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('were backed up') as string })
  })

  it('does not take a file whose row lost its lengths', async () => {
    const copy = fresh()
    cpSync(server.dataDir, copy, { recursive: true })
    onFile(join(copy, 'service.db'), (sqlite) => sqlite.exec('UPDATE objects SET lengths = NULL'))
    const { code, stderr } = await runErs(['backup', fresh(), '--data-dir', copy])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^object \w+ has no lengths: run "ers verify"\n$/)])
    expect((await runErs(['verify', '--data-dir', copy])).code).toBe(10)
  })

  it('begins again if a run is deleted after the database was copied', async () => {
    const copy = fresh()
    cpSync(server.dataDir, copy, { recursive: true })
    const [path = ''] = partFiles(copy)
    const id = path.slice(path.lastIndexOf('/') + 1)
    let times = 0
    const made = await makeBackup({
      ...{ dataDir: copy, folder: fresh(), version: '1', keyFile: null, withCache: false, keep: null },
      // Asked when a copy begins, before its snapshot.
      now: () => {
        if (times++ === 1)
          queueMicrotask(() => {
            rmSync(path)
            onFile(join(copy, 'service.db'), (database) => {
              database.prepare('DELETE FROM part_objects WHERE object_id = ?').run(id)
              database.prepare("UPDATE objects SET state = 'deleting', key = NULL WHERE object_id = ?").run(id)
            })
          })
        return Date.UTC(2026, 1, 1)
      },
      signal: AbortSignal.timeout(60_000),
    })
    expect(times).toBe(3)
    expect(made.manifest.parts).toMatchObject({ objects: 1 })
    expect(partFiles(made.path)).toHaveLength(1)
    expect((await readBackup(made.path)).parts).toEqual(made.manifest.parts)
  })
})

describe('the recipe of the documentation', () => {
  // The first line is the backup of SQLite, which the driver has too: not every machine has the program.
  const [, recipe = ''] =
    /```sh\nsqlite3 data\/service\.db "\.backup backup\/service\.db"\n([^`]*)```/.exec(
      readFileSync('docs/maintenance.md', 'utf8'),
    ) ?? []

  it('copies a store whose clients upload evidence: the copy verifies, starts and has it', async () => {
    expect(recipe).not.toBe('')
    const cwd = fresh()
    const backup = join(cwd, 'backup')
    mkdirSync(backup, { recursive: true })
    symlinkSync(server.dataDir, join(cwd, 'data'))
    const bytesOf = (n: number): Buffer => noise(300_000, 100 + n)
    const recorded: number[] = []
    let [begun, isDone] = [0, false]
    const client = async (): Promise<void> => {
      while (!isDone) {
        const n = begun++
        await uploadWith(server, `run-${n}`, bytesOf(n))
        recorded.push(n)
      }
    }
    const clients = Promise.all([client(), client(), client()])
    const further = async (count: number): Promise<void> => {
      const until = recorded.length + count
      await expect.poll(() => recorded.length).toBeGreaterThanOrEqual(until)
    }
    let before: readonly number[] = []
    try {
      await further(3)
      before = [...recorded]
      const database = new Database(join(cwd, 'data', 'service.db'), { readonly: true })
      await database.backup(join(backup, 'service.db'))
      database.close()
      // Of three of them the parts may be in that copy already.
      await further(5)
      await promisify(execFile)('sh', ['-c', recipe], { cwd })
      await further(1)
    } finally {
      isDone = true
      await clients
    }

    const { code, stderr } = await runErs(['verify', '--data-dir', backup, '--parts', 'all'])
    // Parts that were stored after the database was copied are no damage.
    expect([code, stderr]).toEqual([0, expect.stringMatching(/\d files of the folder parts are of no part/)])
    const copy = await startServer({ dataDir: backup })
    for (const n of before)
      expect((await partOf(copy, `run-${n}`, bytesOf(n))).bytes.equals(bytesOf(n)), `run-${n}`).toBe(true)
    await uploadWith(copy, 'afterwards', noise(300_000, 99))
    await copy.stop()
  })
})

describe('a start', () => {
  const started = async (dataDir: string) => runErs(['serve', '--port', '0', '--data-dir', dataDir])

  it('without the folder of large parts fails, and names what to restore', async () => {
    const copy = fresh()
    cpSync(server.dataDir, copy, { recursive: true })
    renameSync(join(copy, 'parts'), join(copy, 'elsewhere'))
    const { code, stderr } = await started(copy)
    expect(code).not.toBe(0)
    expect(stderr).toContain(`the folder ${join(copy, 'parts')} is missing`)
    expect(stderr).toContain('cp -rp BACKUP/parts')
  })

  it('with the folder of another log fails', async () => {
    const copy = fresh()
    cpSync(server.dataDir, copy, { recursive: true })
    writeFileSync(join(copy, 'parts', 'store'), `${'0'.repeat(64)}\n`)
    const { code, stderr } = await started(copy)
    expect(code).not.toBe(0)
    expect(stderr).toContain('has the parts of another log')
  })
})

describe('ers parts sweep', () => {
  it('removes files of no part that are older than 7 days, and only these', async () => {
    const stray = (name: string): string => join(server.dataDir, 'parts', 'objects', name.slice(0, 2), name)
    const [known = ''] = partFiles(server.dataDir)
    const [old, young] = ['e'.repeat(32), 'd'.repeat(32)]
    for (const name of [old, young]) cpSync(known, stray(name), { recursive: true })
    utimesSync(stray(old), 1, 1)
    utimesSync(known, 1, 1)
    const verified = await runErs(['verify', '--data-dir', server.dataDir])
    expect(verified).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 files of the folder parts') as string,
    })
    const sweep = (...options: string[]) => runErs(['parts', 'sweep', '--data-dir', server.dataDir, ...options])
    expect((await sweep()).stdout).toContain('2 files of no part that this store knows: 1 of them would be removed')
    expect((await sweep('--strays')).stdout).toContain('removed 1 of them')
    expect((await sweep()).stdout).toContain('1 file of no part')
    expect((await partOf(server, 'first', first)).bytes.equals(first)).toBe(true)
    rmSync(stray(young))
  })
})
