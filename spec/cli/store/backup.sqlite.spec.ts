import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aDocument } from '../../support/documents/documents.ts'

const root = mkdtempSync(join(tmpdir(), 'ers-backup-'))
let server: RunningServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true, force: true })
})

const KEY = cacheKeyOf('kept')
let runs = 0
/** Uploads one run and returns its id once the upload is acknowledged. */
const upload = async (to = server): Promise<string> => {
  const run_id = `run-${runs++}`
  const answer = await fetch(`${to.url}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(aDocument({ run_id, project: 'p', suite: 's' })),
  })
  expect(answer.status).toBe(201)
  return run_id
}
const statusOf = async ({ url, token }: RunningServer, run_id: string): Promise<number> =>
  (await fetch(`${url}/api/v1/runs/${run_id}`, { headers: { authorization: `Bearer ${token}` } })).status
let folders = 0
const fresh = (): string => join(root, `folder-${folders++}`)
const backup = (folder: string, ...options: readonly string[]) =>
  runErs(['backup', folder, '--data-dir', server.dataDir, ...options])
const restore = (folder: string, dataDir: string) => runErs(['restore', folder, '--data-dir', dataDir])
/** The path of the only backup in a folder. */
const onlyIn = (folder: string): string => {
  const names = readdirSync(folder).filter((name) => name.startsWith('backup-'))
  expect(names).toHaveLength(1)
  return join(folder, names[0] ?? '')
}
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('ers backup', () => {
  it('copies the store of a running server, for its owner only, without key and cache', async () => {
    await upload()
    const folder = fresh()
    const { code, stdout, stderr } = await backup(folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('--with-key') as string })
    const path = onlyIn(folder)
    expect(stdout).toMatch(/: \d+ records, [\d.]+ MiB, head \d+:[0-9a-f]{64}\n$/)
    expect(readdirSync(path).toSorted()).toEqual(['backup.json', 'checkpoint', 'head', 'service.db'])
    expect(modeOf(path)).toBe(0o700)
    for (const name of readdirSync(path)) expect(modeOf(join(path, name)), name).toBe(0o600)
    expect(await runErs(['verify', '--data-dir', path])).toMatchObject({ code: 0, stderr: '' })
  })

  it('copies the key and the cache when it is asked to', async () => {
    const folder = fresh()
    const answer = await fetch(`${server.url}/api/v1/cache/${KEY}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: new Uint8Array(aBody()),
    })
    expect(answer.ok).toBe(true)
    expect(await backup(folder, '--with-key', '--with-cache')).toMatchObject({ code: 0, stderr: '' })
    const key = join(onlyIn(folder), 'checkpoint-key')
    expect(readFileSync(key)).toEqual(readFileSync(join(server.dataDir, 'checkpoint-key')))
    expect(modeOf(key)).toBe(0o600)
    const dataDir = fresh()
    expect(await restore(folder, dataDir)).toMatchObject({ code: 0 })
    const restored = await startServer({ dataDir })
    try {
      const kept = await fetch(`${restored.url}/api/v1/cache/${KEY}`, {
        headers: { authorization: `Bearer ${restored.token}` },
      })
      expect(Buffer.from(await kept.arrayBuffer())).toEqual(aBody())
    } finally {
      await restored.stop()
    }
  })

  it('has every run that was acknowledged before it began, while clients upload', async () => {
    const folder = fresh()
    const before = [await upload(), await upload()]
    let isDone = false
    const uploads = Promise.all(
      Array.from({ length: 4 }, async () => {
        do await upload()
        while (!isDone)
      }),
    )
    const { code } = await backup(folder, '--with-key')
    isDone = true
    await uploads
    expect(code).toBe(0)
    const dataDir = fresh()
    expect(await restore(folder, dataDir)).toMatchObject({ code: 0 })
    const restored = await startServer({ dataDir })
    try {
      for (const run_id of before) expect(await statusOf(restored, run_id)).toBe(200)
      // The store goes on.
      await upload(restored)
    } finally {
      await restored.stop()
    }
  })

  it('keeps the newest backups, and removes nothing else', async () => {
    const folder = fresh()
    for (let n = 0; n < 3; n++) expect(await backup(folder)).toMatchObject({ code: 0 })
    const all = readdirSync(folder)
      .filter((name) => name.startsWith('backup-'))
      .toSorted()
    expect(all).toHaveLength(3)
    const { stdout } = await backup(folder, '--keep', '2')
    const kept = readdirSync(folder)
      .filter((name) => name.startsWith('backup-'))
      .toSorted()
    expect(kept).toHaveLength(2)
    expect(kept[0]).toBe(all[2])
    expect(stdout).toContain(`removed ${join(folder, all[0] ?? '')}`)
  })

  it('clears what a killed backup left, which does not count as a backup', async () => {
    const folder = fresh()
    const partial = join(folder, '.partial-backup-2026-01-01T00-00-00-000Z')
    mkdirSync(partial, { recursive: true })
    writeFileSync(join(partial, 'service.db'), 'half')
    expect(await restore(folder, fresh())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('holds no backup') as string,
    })
    expect(await backup(folder)).toMatchObject({ code: 0 })
    expect(existsSync(partial)).toBe(false)
  })

  it('leaves nothing that looks whole when it is killed or interrupted', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const folder = fresh()
      const { code } = await runErs(['backup', folder, '--data-dir', server.dataDir], {
        started: (child) => {
          // Whenever it arrives, the folder has a whole backup or none.
          const timer = setInterval(() => {
            if (!existsSync(folder)) return
            clearInterval(timer)
            child.kill(signal)
          }, 1)
        },
      })
      const whole = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('backup-')) : []
      if (code !== 0) expect(code).toBe(signal === 'SIGKILL' ? null : 143)
      for (const name of whole)
        expect(await runErs(['verify', '--data-dir', join(folder, name)])).toMatchObject({ code: 0 })
      expect(await backup(folder)).toMatchObject({ code: 0 })
      expect(readdirSync(folder).filter((name) => name.startsWith('.partial-'))).toEqual([])
    }
  })

  it.each([
    ['the state directory itself', () => server.dataDir, 'is in the state directory'],
    ['a folder in the state directory', () => join(server.dataDir, 'new', 'backups'), 'is in the state directory'],
    [
      'a folder with other files',
      () => {
        const folder = fresh()
        mkdirSync(folder)
        writeFileSync(join(folder, 'thesis.tex'), '')
        return folder
      },
      'contains thesis.tex, which no backup made',
    ],
    [
      'a file',
      () => {
        const file = fresh()
        writeFileSync(file, '')
        return file
      },
      'cannot be',
    ],
  ])('refuses %s', async (_, folderOf, reason) => {
    const folder = folderOf()
    const before = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []
    const { code, stderr } = await backup(folder)
    expect(code).toBe(2)
    expect(stderr).toContain(reason)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    if (folder !== server.dataDir && before.length > 0) expect(readdirSync(folder)).toEqual(before)
  })

  it('refuses a folder without a store, and a key that is no file', async () => {
    expect(await runErs(['backup', fresh(), '--data-dir', fresh()])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no service.db') as string,
    })
    const folder = fresh()
    const env = { SERVICE_CHECKPOINT_KEY: 'PRIVATE+KEY+of+a+secret' }
    const keyed = await runErs(['backup', folder, '--data-dir', server.dataDir, '--with-key'], { env })
    expect(keyed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SERVICE_CHECKPOINT_KEY holds the key') as string,
    })
    const missing = { SERVICE_CHECKPOINT_KEY_FILE: join(root, 'none') }
    const gone = await runErs(['backup', folder, '--data-dir', server.dataDir, '--with-key'], { env: missing })
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining('ENOENT') as string })
    expect(existsSync(folder) ? readdirSync(folder).filter((name) => name !== '.lock') : []).toEqual([])
  })

  it('prints what to run for a database, without its password, and fails', async () => {
    const url = 'postgresql://ers:secret@db.example/ers'
    const folder = fresh()
    const { code, stdout, stderr } = await runErs(['backup', folder, '--database-url', url])
    expect(code).toBe(2)
    expect(stderr).toContain('no backup was made')
    // The commands write into a folder that need not exist, and others of the machine may not read it.
    expect(stdout).toMatch(/^#.*\numask 077 && mkdir -p '/)
    expect(stdout).toContain(`mkdir -p '${folder}'\n`)
    expect(stdout).toContain('pg_dump --format=custom')
    expect(stdout).toContain('pg_basebackup')
    expect(stdout).not.toContain('secret@')
  })
})

describe('ers restore', () => {
  let folder: string
  let path: string
  beforeAll(async () => {
    folder = fresh()
    expect(await backup(folder, '--with-key')).toMatchObject({ code: 0 })
    path = onlyIn(folder)
  })
  /** A copy of the backup that a spec may damage. */
  const copied = (): string => {
    const copy = fresh()
    cpSync(path, copy, { recursive: true })
    return copy
  }

  it('restores the newest backup of a folder, or the one that is named, verified', async () => {
    for (const from of [folder, path]) {
      const dataDir = fresh()
      const { code, stdout, stderr } = await restore(from, dataDir)
      expect(code).toBe(0)
      expect(stdout).toMatch(/verified, head \d+:[0-9a-f]{64}\n$/)
      expect(stderr).toContain('a key of another origin')
      expect(await runErs(['verify', '--data-dir', dataDir])).toMatchObject({ code: 0 })
      expect(existsSync(join(dataDir, '.restoring'))).toBe(false)
      for (const name of ['service.db', 'head', 'checkpoint-key']) expect(modeOf(join(dataDir, name)), name).toBe(0o600)
    }
  })

  it('refuses a state directory that is not empty', async () => {
    const dataDir = fresh()
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'head'), '')
    expect(await restore(folder, dataDir)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it contains head') as string,
    })
    expect(readdirSync(dataDir)).toEqual(['head'])
    expect(await restore(folder, server.dataDir)).toMatchObject({ code: 2 })
  })

  it('goes on after an interrupted restore', async () => {
    const dataDir = fresh()
    mkdirSync(join(dataDir, '.restoring'), { recursive: true })
    writeFileSync(join(dataDir, '.restoring', 'service.db'), 'half')
    expect(await restore(folder, dataDir)).toMatchObject({ code: 0 })
  })

  it('restores nothing of a backup that was changed', async () => {
    const altered = copied()
    const database = new Database(join(altered, 'service.db'))
    const triggers = database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
      .all() as Array<{ name: string; sql: string }>
    for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`)
    database.exec('UPDATE events SET recorded_at = recorded_at + 1 WHERE seq = 2')
    for (const { sql } of triggers) database.exec(sql)
    database.close()
    // The sizes of the files are right, so that only the log can show it.
    const manifest = JSON.parse(readFileSync(join(altered, 'backup.json'), 'utf8')) as { files: Record<string, number> }
    manifest.files['service.db'] = statSync(join(altered, 'service.db')).size
    writeFileSync(join(altered, 'backup.json'), JSON.stringify(manifest))
    const dataDir = fresh()
    const { code, stderr } = await restore(altered, dataDir)
    expect(code).toBe(10)
    expect(stderr).toContain('nothing was restored')
    expect(existsSync(join(dataDir, 'service.db'))).toBe(false)
    expect(existsSync(join(dataDir, '.restoring'))).toBe(false)
  })

  it('refuses a backup of another history than its head says', async () => {
    const altered = copied()
    const file = join(altered, 'backup.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    writeFileSync(file, JSON.stringify({ ...manifest, root: '0'.repeat(64) }))
    expect(await restore(altered, fresh())).toMatchObject({ code: 11 })
  })

  it.each([
    ['a missing file', (copy: string) => rmSync(join(copy, 'head')), 'head is not the file that was backed up'],
    ['a shorter file', (copy: string) => truncateSync(join(copy, 'service.db'), 4096), 'service.db is not the file'],
    ['an unknown file', (copy: string) => writeFileSync(join(copy, 'notes.txt'), ''), 'contains notes.txt'],
    ['no manifest', (copy: string) => writeFileSync(join(copy, 'backup.json'), '{}'), 'backup.json cannot be read'],
  ])('refuses %s', async (_, damage, reason) => {
    const copy = copied()
    damage(copy)
    const dataDir = fresh()
    const { code, stderr } = await restore(copy, dataDir)
    expect(code).toBe(2)
    expect(stderr).toContain(reason)
    expect(existsSync(join(dataDir, 'service.db'))).toBe(false)
  })

  it('refuses a folder that does not exist', async () =>
    expect(await restore(fresh(), fresh())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no folder') as string,
    }))
})
