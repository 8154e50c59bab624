import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf, noise } from '../../support/documents/parts.ts'
import { KEYS, startS3Server, type S3Server } from '../../support/s3/stand-in.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

const part = noise(400_000, 5)
const folder = mkdtempSync(join(tmpdir(), 'ers-bucket-'))
const dataDir = join(folder, 'data')
let s3: S3Server
let env: Record<string, string>
beforeAll(async () => {
  s3 = await startS3Server()
  env = { ...KEYS, SERVICE_OBJECT_STORE_URL: s3.storeUrl('own') }
  const server = await startServer({ dataDir, env })
  const send = (method: string, path: string, body: Buffer, type: string) =>
    fetch(`${server.url}/api/v1${path}`, {
      ...{ method, headers: { authorization: `Bearer ${server.token}`, 'content-type': type } },
      body: Uint8Array.from(body),
    })
  const manifest = manifestOf([{ bytes: part, role: 'original' }])
  for (const bytes of [part, manifest])
    await send('PUT', `/parts/${digestOf(bytes)}`, bytes, 'application/octet-stream')
  const run = aDocument({ run_id: 'kept', evidence_manifest: digestOf(manifest) })
  expect((await send('POST', '/runs', Buffer.from(JSON.stringify(run)), 'application/json')).status).toBe(201)
  await server.stop({ keep: true })
})
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
const ers = (args: readonly string[], more: Record<string, string> = {}) => runErs(args, { env: { ...env, ...more } })
const onStore = ['--data-dir', dataDir]

describe('the commands of a store whose large parts are in a bucket', () => {
  it('verify reads it, and never ends with 0 where it cannot', async () => {
    expect(await ers(['verify', ...onStore, '--parts', 'all'])).toMatchObject({ code: 0, stderr: '' })
    const [key = ''] = [...s3.objects.keys()].filter((each) => each.startsWith('own/objects/'))
    const stored = s3.objects.get(key)
    if (!stored) throw new Error('the part is stored')
    s3.objects.delete(key)
    expect((await ers(['verify', ...onStore, '--parts', 'none'])).code).toBe(12)
    const changed = Buffer.from(stored.body)
    changed[5] = (changed[5] ?? 0) ^ 1
    s3.objects.set(key, { ...stored, body: changed })
    expect((await ers(['verify', ...onStore])).code).toBe(10)
    s3.objects.set(key, stored)
    const away = await ers(['verify', ...onStore], {
      SERVICE_OBJECT_STORE_URL: 's3://evidence/own?endpoint=http://127.0.0.1:1',
    })
    expect([away.code, away.stderr]).toEqual([20, expect.stringContaining('cannot be reached')])
    const unnamed = await ers(['verify', ...onStore], { SERVICE_OBJECT_STORE_URL: '' })
    expect([unnamed.code, unnamed.stderr]).toEqual([20, expect.stringContaining('SERVICE_OBJECT_STORE_URL')])
    const mistaken = await ers(['verify', ...onStore], { SERVICE_OBJECT_STORE_TIMEOUT: '5' })
    expect([mistaken.code, mistaken.stderr]).toEqual([
      2,
      expect.stringContaining('SERVICE_OBJECT_STORE_TIMEOUT: is not'),
    ])
  })

  it('parts sweep counts strays of the bucket and removes old ones, but none of another log', async () => {
    const stray = `own/objects/${'e'.repeat(32)}`
    s3.objects.set(stray, { body: Buffer.alloc(9), checksum: undefined, at: new Date(Date.UTC(2020, 0, 1)) })
    const counted = await ers(['parts', 'sweep', ...onStore])
    expect([counted.code, counted.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^0 files of no part.*\n1 object of no part that this store knows: 1 of them would be removed/,
      ),
    ])
    expect((await ers(['parts', 'sweep', '--strays', ...onStore])).stdout).toContain('removed 1 of them')
    expect(s3.objects.has(stray)).toBe(false)
    const other = s3.storeUrl('others')
    s3.objects.set('others/store', { body: Buffer.from('another log\n'), checksum: undefined, at: new Date() })
    const refused = await ers(['parts', 'sweep', '--strays', ...onStore], { SERVICE_OBJECT_STORE_URL: other })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('has the parts of another log')])
  })

  it('backup and restore leave the objects where they are, and say what was not checked', async () => {
    const backups = join(folder, 'backups')
    const made = await ers(['backup', backups, ...onStore])
    expect([made.code, made.stderr]).toEqual([
      0,
      expect.stringContaining('1 object of large parts or documents is in a bucket'),
    ])
    const restored = (name: string) => ['restore', backups, '--data-dir', join(folder, name)]
    expect((await ers(restored('again'))).code).toBe(0)
    const unchecked = await ers(restored('unchecked'), { SERVICE_OBJECT_STORE_URL: '' })
    expect([unchecked.code, unchecked.stderr]).toEqual([0, expect.stringContaining('not checked: 1 object of parts')])
    expect((await ers(['verify', '--data-dir', join(folder, 'again'), '--parts', 'all'])).code).toBe(0)
  })
})
