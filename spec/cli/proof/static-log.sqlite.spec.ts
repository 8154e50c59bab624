import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { exportLog } from '../../../cli/proof/static-log.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { recordCommitment, recordLeaf } from '../../../storage/log/event.ts'
import type { Reader } from '../../../storage/storage.ts'
import { naiveRoot } from '../../support/proof/naive-tree.ts'
import { openSigningApp, type SigningApp } from '../../support/proof/signing-app.ts'

const { signal } = new AbortController()
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await app.spec.close()
})

const growTo = async ({ spec }: SigningApp, size: number): Promise<void> => {
  const missing = size - (await spec.service.head()).size
  const rebuilt = Array.from({ length: missing }, (_, position) => ({ name: 'runs', version: 1, position }))
  await spec.service.commit.recordRebuild(SYSTEM, { instance: 'i', rebuilt })
}

const read = (path: string): Buffer => readFileSync(join(folder, path))
const leavesIn = (path: string): Buffer[] => {
  const bytes = read(path)
  return Array.from({ length: bytes.length / 32 }, (_, n) => bytes.subarray(n * 32, n * 32 + 32))
}
const checkpoint = (): string[] => read('checkpoint').toString().split('\n')
const filesBelow = (path: string): string[] =>
  readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
const app = await openSigningApp()
const folder = mkdtempSync(join(tmpdir(), 'ers-log-'))

describe('the log as files', () => {
  it('needs a checkpoint', async () => {
    const young = await openSigningApp()
    await young.spec.execute('DELETE FROM checkpoints')
    await expect(exportLog(young.spec.service.reader, folder, { bodies: false, signal })).rejects.toThrow(
      'no checkpoint was signed yet',
    )
    await young.spec.close()
  })

  it('has the tiles of the newest checkpoint, whose root they give', async () => {
    await growTo(app, 300)
    const { note } = await app.sign()
    await growTo(app, 310)
    expect(await exportLog(app.spec.service.reader, folder, { bodies: false, signal })).toMatchObject({ size: 300 })
    expect(read('checkpoint').toString()).toBe(note)
    expect(filesBelow('.')).toEqual([
      'checkpoint',
      'tile/0/000',
      'tile/0/001.p/44',
      'tile/1/000.p/1',
      'tile/entries/000',
      'tile/entries/001.p/44',
    ])
    const leaves = [...leavesIn('tile/0/000'), ...leavesIn('tile/0/001.p/44')]
    expect(naiveRoot(leaves).toString('base64')).toBe(checkpoint()[2])
    expect(read('tile/1/000.p/1').equals(naiveRoot(leaves.slice(0, 256)))).toBe(true)
  })

  it('is completed by the next export, which reads no full tile again', async () => {
    await growTo(app, 600)
    await app.sign()
    writeFileSync(join(folder, 'tile/0/000'), 'kept')
    expect(await exportLog(app.spec.service.reader, folder, { bodies: false, signal })).toMatchObject({
      size: 600,
      // Two tiles and two bundles of 256 and of 88 records, one tile of the level above, and the checkpoint.
      files: 6,
    })
    expect(read('tile/0/000').toString()).toBe('kept')
    expect(checkpoint()[1]).toBe('600')
    expect(statSync(join(folder, 'tile/0/001')).size).toBe(8192)
    expect(read('tile/1/000.p/2')).toHaveLength(64)
  })

  it('has bodies that open the entries, also of earlier exports', async () => {
    await exportLog(app.spec.service.reader, folder, { bodies: true, signal })
    expect(filesBelow('bodies')).toEqual(['bodies/000', 'bodies/001', 'bodies/002.p/88'])
    const modeOf = (path: string): number => statSync(join(folder, path)).mode & 0o777
    expect(['bodies/000', 'bodies/002.p/88'].map(modeOf)).toEqual([0o600, 0o600])
    expect(['bodies', 'bodies/002.p'].map(modeOf)).toEqual([0o700, 0o700])
    // Others may read the rest, as far as the umask lets them.
    const usual = mkdtempSync(join(tmpdir(), 'ers-mode-'))
    writeFileSync(join(usual, 'file'), '')
    const mode = statSync(join(usual, 'file')).mode & 0o777
    rmSync(usual, { recursive: true })
    expect(['checkpoint', 'tile/0/000', 'tile/entries/000'].map(modeOf)).toEqual([mode, mode, mode])
    const lines = read('bodies/001').toString().trimEnd().split('\n')
    expect(lines).toHaveLength(256)
    const rows = await app.spec.rows(
      'SELECT type, recorded_at, leaf FROM events WHERE seq > 256 AND seq <= 512 ORDER BY seq',
    )
    for (const [i, line] of lines.entries()) {
      const { seq, salt, body } = JSON.parse(line) as { seq: number; salt: string; body: string }
      const { type, recorded_at, leaf } = rows[i] as { type: string; recorded_at: number; leaf: Buffer }
      expect(seq).toBe(257 + i)
      expect(recordLeaf(recordCommitment(Buffer.from(salt, 'hex'), body), recorded_at, type).equals(leaf)).toBe(true)
    }
  })

  it('replaces the partial bodies of an earlier export', async () => {
    await growTo(app, 620)
    await app.sign()
    await exportLog(app.spec.service.reader, folder, { bodies: true, signal })
    expect(filesBelow('bodies')).toEqual(['bodies/000', 'bodies/001', 'bodies/002.p/108'])
  })

  it('has bodies again if an earlier export had them', async () => {
    await growTo(app, 640)
    await app.sign()
    await exportLog(app.spec.service.reader, folder, { bodies: false, signal })
    expect(filesBelow('bodies')).toEqual(['bodies/000', 'bodies/001', 'bodies/002.p/128'])
  })

  it('waits for the checkpoint that covers an erasure while bodies are read', async () => {
    const erased = await openSigningApp()
    const { size } = await erased.sign()
    const { reader } = erased.spec.service
    let isErased = false
    const erasing: Reader = {
      ...reader,
      read: async (query) => {
        const found = await reader.read(query)
        if (
          isErased ||
          !Array.isArray(found) ||
          !found.some((row) => typeof row === 'object' && row !== null && 'body' in row)
        )
          return found
        isErased = true
        await erased.spec.rows(
          'INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES ($1, $2, $3, $4, $4) RETURNING seq',
          [size + 1, 1, 'EventErased', Buffer.alloc(32)],
        )
        return found
      },
    }
    const folderOfErased = join(folder, 'erased')
    await expect(exportLog(erasing, folderOfErased, { bodies: true, signal })).rejects.toThrow(
      'a record was erased after the newest checkpoint',
    )
    expect(existsSync(join(folderOfErased, 'checkpoint'))).toBe(false)
    expect(existsSync(join(folderOfErased, 'bodies'))).toBe(false)
    rmSync(folderOfErased, { recursive: true, force: true })
    await erased.spec.close()
  })

  it('waits for the checkpoint that covers an erasure', async () => {
    const erased = await openSigningApp()
    const { size } = await erased.sign()
    const hashes = Buffer.alloc(32)
    await erased.spec.rows(
      'INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES ($1, $2, $3, $4, $4) RETURNING seq',
      [size + 1, 1, 'EventErased', hashes],
    )
    const folderOfErased = join(folder, 'erased')
    await expect(exportLog(erased.spec.service.reader, folderOfErased, { bodies: true, signal })).rejects.toThrow(
      'a record was erased after the newest checkpoint',
    )
    expect(existsSync(folderOfErased)).toBe(false)
    await exportLog(erased.spec.service.reader, folderOfErased, { bodies: false, signal })
    rmSync(folderOfErased, { recursive: true })
    await erased.spec.close()
  })

  it('is refused in a folder with another log, or with another history', async () => {
    const other = await openSigningApp()
    await growTo(other, 700)
    await other.sign()
    await expect(exportLog(other.spec.service.reader, folder, { bodies: false, signal })).rejects.toThrow(
      'is not a part of this log',
    )
    const [, ...rest] = checkpoint()
    writeFileSync(join(folder, 'checkpoint'), ['other.example/log', ...rest].join('\n'))
    await expect(exportLog(app.spec.service.reader, folder, { bodies: false, signal })).rejects.toThrow(
      'has the log other.example/log, and the store results.example/log: use another folder',
    )
    writeFileSync(join(folder, 'checkpoint'), 'nonsense')
    await expect(exportLog(app.spec.service.reader, folder, { bodies: false, signal })).rejects.toThrow(
      'is not a checkpoint',
    )
    expect(existsSync(join(folder, 'tile/0/002'))).toBe(false)
    await other.spec.close()
  })
})
