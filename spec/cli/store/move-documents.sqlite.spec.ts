import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { smallDocument } from '../../support/documents/small-document.ts'
import { KEYS, startS3Server, type S3Server } from '../../support/s3/stand-in.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { onFile } from '../../support/stores/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'ers-move-'))
const dataDir = join(folder, 'data')
const IDS = ['a', 'b', 'c', 'd', 'e']
let s3: S3Server
let env: Record<string, string>
beforeAll(async () => {
  s3 = await startS3Server()
  env = { ...KEYS, SERVICE_OBJECT_STORE_URL: s3.storeUrl('own') }
})
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
const ers = (args: readonly string[], more: Record<string, string> = {}) => runErs(args, { env: { ...env, ...more } })
const onStore = ['--data-dir', dataDir]
const documentOf = (id: string): string =>
  smallDocument(id, { at: id === 'e' ? '2026-06-01T09:00:00Z' : '2026-05-04T09:00:00Z' })
const objects = () => [...s3.objects.keys()].filter((key) => key.startsWith('own/objects/'))
const framed = () =>
  onFile(join(dataDir, 'service.db'), (database) =>
    database.prepare('SELECT count(DISTINCT run_no) FROM document_frames').pluck().get(),
  )
const ask = ({ url, token }: RunningServer, path: string, body?: string) =>
  fetch(`${url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
const exportsOf = async (server: RunningServer): Promise<string[]> =>
  Promise.all(IDS.map(async (id) => (await ask(server, `/runs/${id}/export`)).text()))

describe('documents that a service moves', () => {
  it('are in the bucket soon after their upload, and everything reads them there', async () => {
    const server = await startServer({ dataDir, env: { ...env, SERVICE_OBJECT_STORE_DOCUMENTS: 'move' } })
    for (const id of IDS) expect((await ask(server, '/runs', documentOf(id))).status).toBe(201)
    const pending = async () =>
      ((await (await ask(server, '/server')).json()) as { object_store: { documents_pending: number } }).object_store
        .documents_pending
    await expect.poll(pending, { timeout: 30_000 }).toBe(0)
    expect(objects()).toHaveLength(IDS.length)
    expect(await exportsOf(server)).toEqual(IDS.map(documentOf))
    await server.stop({ keep: true })
    expect(framed()).toBe(0)
    expect(await ers(['verify', ...onStore, '--deep'])).toMatchObject({ code: 0 })
    expect(await ers(['rebuild', ...onStore])).toMatchObject({ code: 0 })
    expect(await ers(['verify', ...onStore, '--deep'])).toMatchObject({ code: 0 })
  })

  it('are read by a start that builds the read models of a new version', async () => {
    const models = ['search', 'cases', 'runs']
    onFile(join(dataDir, 'service.db'), (database) =>
      database.exec("UPDATE projections SET version = version - 1 WHERE name IN ('search', 'cases', 'runs')"),
    )
    const server = await startServer({ dataDir, env })
    const notBuilt = async () => {
      const { read_tables } = (await (await ask(server, '/server')).json()) as {
        read_tables: ReadonlyArray<{ name: string; state: string }>
      }
      return read_tables.filter(({ name, state }) => models.includes(name) && state !== 'current')
    }
    await expect.poll(notBuilt, { timeout: 30_000 }).toEqual([])
    await server.stop({ keep: true })
    const built = onFile(join(dataDir, 'service.db'), (database) =>
      database.prepare("SELECT count(*) FROM events WHERE type = 'ProjectionRebuilt'").pluck().get(),
    )
    expect(built).toBeGreaterThanOrEqual(2)
    expect(await ers(['verify', ...onStore, '--deep'])).toMatchObject({ code: 0 })
  })

  it('make verify end with 12, 10 and 20 where they are gone, altered, and out of reach', async () => {
    const [key = ''] = objects()
    const stored = s3.objects.get(key)
    if (!stored) throw new Error('the document is stored')
    s3.objects.delete(key)
    expect((await ers(['verify', ...onStore])).code).toBe(12)
    const body = Buffer.from(stored.body)
    body[40] = (body[40] ?? 0) ^ 1
    s3.objects.set(key, { ...stored, body })
    expect((await ers(['verify', ...onStore])).code).toBe(10)
    expect((await ers(['rebuild', ...onStore])).stderr).toContain('the document of run 1 cannot be read')
    s3.objects.set(key, stored)
    const away = { SERVICE_OBJECT_STORE_URL: 's3://evidence/own?endpoint=http://127.0.0.1:1' }
    expect((await ers(['verify', ...onStore], away)).code).toBe(20)
    expect((await ers(['verify', ...onStore], { SERVICE_OBJECT_STORE_URL: '' })).code).toBe(20)
    expect((await ers(['verify', ...onStore])).code).toBe(0)
  })
})

describe('a backup of a store whose documents are in a bucket', () => {
  it('leaves them there, and is whole with that bucket', async () => {
    const backups = join(folder, 'backups')
    const made = await ers(['backup', backups, ...onStore])
    expect([made.code, made.stderr]).toEqual([
      0,
      expect.stringContaining('5 objects of large parts or documents are in'),
    ])
    expect((await ers(['restore', backups, '--data-dir', join(folder, 'again')])).code).toBe(0)
    const unchecked = await ers(['restore', backups, '--data-dir', join(folder, 'unchecked')], {
      SERVICE_OBJECT_STORE_URL: '',
    })
    expect([unchecked.code, unchecked.stderr]).toEqual([0, expect.stringContaining('not checked: 5 objects')])
    expect((await ers(['verify', '--data-dir', join(folder, 'again')])).code).toBe(0)
  })
})

describe('ers move-documents', () => {
  it('moves documents back into the database, as many and as old as it is asked for', async () => {
    const back = ['move-documents', ...onStore, '--to', 'database']
    expect((await ers([...back, '--dry-run'])).stdout).toMatch(/^would move to the database: 5 documents, /)
    expect((await ers([...back, '--before', '2026-05-20', '--dry-run'])).stdout).toContain('4 documents')
    expect(objects()).toHaveLength(5)
    expect((await ers([...back, '--limit', '2'])).stdout).toMatch(/^moved to the database: 2 documents, /)
    expect([objects().length, framed()]).toEqual([3, 2])
    expect((await ers(['verify', ...onStore, '--deep'])).code).toBe(0)
    expect((await ers(back)).stdout).toContain('3 documents')
    expect([objects().length, framed()]).toEqual([0, 5])
    expect((await ers(['verify', ...onStore, '--deep'])).code).toBe(0)
  })

  it('moves documents into the bucket, and what they are does not change', async () => {
    const there = ['move-documents', ...onStore, '--to', 'objects']
    expect((await ers([...there, '--before', '2026-05-20'])).stdout).toMatch(/^moved to the bucket: 4 documents, /)
    expect((await ers(there)).stdout).toContain('1 document,')
    expect((await ers(there)).stdout).toContain('0 documents')
    expect([objects().length, framed()]).toEqual([5, 0])
    const server = await startServer({ dataDir, env })
    expect(await exportsOf(server)).toEqual(IDS.map(documentOf))
    await server.stop({ keep: true })
    expect((await ers(['verify', ...onStore])).code).toBe(0)
  })

  it('needs a bucket that answers, a store, and a place', async () => {
    const args = ['move-documents', ...onStore, '--to', 'database']
    const unnamed = await ers(args, { SERVICE_OBJECT_STORE_URL: '' })
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('set SERVICE_OBJECT_STORE_URL')])
    const away = await ers(args, { SERVICE_OBJECT_STORE_URL: 's3://evidence/own?endpoint=http://127.0.0.1:1' })
    expect([away.code, away.stderr]).toEqual([2, expect.stringContaining('cannot be reached')])
    expect((await ers(['move-documents', ...onStore])).code).toBe(2)
    expect((await ers(['move-documents', '--data-dir', join(folder, 'none'), '--to', 'objects'])).code).toBe(2)
    expect(objects()).toHaveLength(5)
  })
})
