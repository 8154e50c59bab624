import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { findNamedParts } from '../../../queries/evidence/staged.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { DiskFull } from '../../../storage/errors.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf, noise, PIECE } from '../../support/documents/parts.ts'
import { partFiles } from '../../support/documents/stored-objects.ts'
import { KILL_POINTS } from '../../support/parts/kill-points.ts'
import { PART_LIMITS } from '../../support/servers/part-limits.ts'
import { onFile } from '../../support/stores/store.ts'
import { wrapCalls } from '../../support/wrap-calls.ts'

const MIB = 1024 * 1024
const DISK_MIB = 32

// A disk of its own, that is really full: only root may mount one.
const root = mkdtempSync(join(tmpdir(), 'ers-full-disk-'))
const disk = join(root, 'disk')
const mount = (): boolean => {
  mkdirSync(disk, { recursive: true })
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk]).status === 0
}
const unmount = (): unknown => spawnSync('umount', ['-l', disk])
const mayMount = mount()
if (mayMount) unmount()
else console.warn('NOT RUN on a full disk: a tmpfs cannot be mounted. Run this spec as root on Linux')

/** The steps of storing and removing parts in files, and of a run that names them. */
const POINTS = [
  ...KILL_POINTS.filter((name) => !name.endsWith('attachEvidence')),
  ...['before ingestRun', 'after ingestRun'],
]

describe.skipIf(!mayMount)('a full disk', () => {
  let service: OpenService
  let dataDir: string
  /** Opens the service with its database and its folder of parts. */
  const open = async (database: string, parts: string) => {
    dataDir = database
    service = await openService({ dataDir })
    // The folder of parts has the identity of the log, which begins with a record.
    const body = new TextEncoder().encode(JSON.stringify(aDocument({ run_id: 'first' })))
    await service.commit.ingestRun(SYSTEM, { body, encoding: null })
    return openPartStore({ ...service, partsFolder: parts }, PART_LIMITS)
  }
  const objects = () =>
    onFile(join(dataDir, 'service.db'), (db) => db.prepare('SELECT state FROM objects').pluck().all())
  beforeEach(() => mount())
  afterEach(async () => {
    await service.close()
    expect((await verifyLog(join(dataDir, 'service.db'), null)).finding).toBeNull()
    unmount()
    rmSync(root, { recursive: true, force: true })
  })
  const piece = (bytes: Buffer, n: number) => ({
    ...{ n, total: bytes.length },
    body: new Uint8Array(bytes.subarray(n * PIECE, (n + 1) * PIECE)),
  })

  it('of large parts refuses one, keeps nothing of it, and takes it when there is room', async () => {
    const store = await open(join(root, 'data'), join(disk, 'parts'))
    const [first, second] = [noise(20 * MIB, 1), noise(20 * MIB, 2)]
    const put = (bytes: Buffer) => store.storeWhole(SYSTEM, digestOf(bytes), new Uint8Array(bytes))
    await put(first)
    await expect(put(second)).rejects.toThrow(DiskFull)
    expect([await store.findUpload(SYSTEM, digestOf(second)), objects()]).toEqual([null, ['stored']])
    expect([partFiles(disk).length, readdirSync(join(disk, 'parts', 'tmp'))]).toEqual([1, []])
    await store.dropUpload(SYSTEM, digestOf(first))
    expect((await put(second)).complete).toBe(true)
    expect(objects()).toEqual(['stored'])
  })

  it('in the middle of an upload keeps the pieces that came before, and the rest follows', async () => {
    const store = await open(join(root, 'data'), join(disk, 'parts'))
    const bytes = noise(2 * PIECE + 100, 3)
    const sha256 = digestOf(bytes)
    await store.storePiece(SYSTEM, sha256, piece(bytes, 0))
    const ballast = join(disk, 'ballast')
    writeFileSync(ballast, Buffer.alloc(20 * MIB))
    await expect(store.storePiece(SYSTEM, sha256, piece(bytes, 1))).rejects.toThrow(DiskFull)
    expect(await store.findUpload(SYSTEM, sha256)).toMatchObject({ received: PIECE, complete: false })
    expect(objects()).toEqual(['stored'])
    rmSync(ballast)
    for (const n of [2, 1]) await store.storePiece(SYSTEM, sha256, piece(bytes, n))
    expect(await store.findUpload(SYSTEM, sha256)).toMatchObject({ missing: [], complete: true })
  })

  it('of the database refuses small and large parts without a record, and takes them when there is room', async () => {
    const store = await open(join(disk, 'data'), join(disk, 'data', 'parts'))
    const [small, large] = [noise(200_000, 4), noise(2 * MIB, 5)]
    const put = (bytes: Buffer) => store.storeWhole(SYSTEM, digestOf(bytes), new Uint8Array(bytes))
    const ballast = join(disk, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(2 * DISK_MIB * MIB))).toThrow('ENOSPC')
    for (const bytes of [small, large]) {
      await expect(put(bytes)).rejects.toThrow(DiskFull)
      expect(await store.findUpload(SYSTEM, digestOf(bytes))).toBeNull()
    }
    rmSync(ballast)
    for (const bytes of [small, large]) expect((await put(bytes)).complete).toBe(true)
    expect(objects()).toEqual(['stored'])
  })

  it('from any step on loses nothing that was acknowledged, records nothing else, and all works when there is room', async () => {
    const folder = join(disk, 'data', 'parts')
    await open(join(disk, 'data'), folder)
    const file = join(dataDir, 'service.db')
    const ballast = join(disk, 'ballast')
    const much = Buffer.alloc(DISK_MIB * MIB)
    let point: string | null = null
    const reach = (step: string): void => {
      if (step !== point) return
      point = null
      // Commits write over the log of the database where it is long enough: without that they need the disk.
      onFile(file, (db) => db.pragma('wal_checkpoint(TRUNCATE)'))
      expect(() => writeFileSync(ballast, much)).toThrow('ENOSPC')
    }
    const commit = wrapCalls(service.commit, async ({ name, run }) => {
      reach(`before ${name}`)
      const result = await run()
      reach(`after ${name}`)
      return result
    })
    let now = Date.now()
    const store = openPartStore(
      { ...service, commit, partsFolder: folder, observe: reach, now: () => now },
      PART_LIMITS,
    )
    const digestOfStored = async (sha256: string): Promise<string> => {
      const named = (await service.reader.read(findNamedParts(SYSTEM, [sha256]))).get(sha256)
      const part_no = named?.staged ?? named?.ofRun ?? -1
      return digestOf(Buffer.concat(await Array.fromAsync(store.read(part_no, 0, named?.bytes ?? 0))))
    }
    const countEvidence = (run_id: string): unknown =>
      onFile(file, (db) =>
        db.prepare('SELECT count(*) FROM run_evidence JOIN runs USING (run_no) WHERE id = ?').pluck().get(run_id),
      )
    const refusedAt: string[] = []

    for (const [n, name] of POINTS.entries()) {
      const [kept, dropped] = [noise(300_000, 20 + 2 * n), noise(300_000, 21 + 2 * n)]
      const inPieces = /storePiece|completePart/.test(name) ? [Buffer.alloc(PIECE + 100, n)] : []
      const manifest = manifestOf([kept, ...inPieces].map((bytes) => ({ bytes, role: 'original' })))
      const run_id = `run-${n}`
      const document = JSON.stringify(aDocument({ run_id, evidence_manifest: digestOf(manifest) }))
      const acknowledged: string[] = []
      const upload = async (): Promise<void> => {
        for (const bytes of [dropped, kept, manifest]) {
          await store.storeWhole(SYSTEM, digestOf(bytes), new Uint8Array(bytes))
          if (bytes !== dropped) acknowledged.push(digestOf(bytes))
        }
        await store.dropUpload(SYSTEM, digestOf(dropped))
        for (const bytes of inPieces) {
          for (const at of [0, 1]) await store.storePiece(SYSTEM, digestOf(bytes), piece(bytes, at))
          acknowledged.push(digestOf(bytes))
        }
        await commit.ingestRun(SYSTEM, { body: new TextEncoder().encode(document), encoding: null })
        acknowledged.push(run_id)
      }
      point = name
      await upload().catch((error: unknown) => {
        if (!(error instanceof DiskFull)) throw error
        refusedAt.push(name)
      })
      expect(point, `${name} was not reached`).toBeNull()
      rmSync(ballast)
      expect(countEvidence(run_id), name).toBe(acknowledged.includes(run_id) ? 1 : 0)
      for (const sha256 of acknowledged.filter((what) => what !== run_id))
        expect(await digestOfStored(sha256), name).toBe(sha256)
      await upload()
      expect(countEvidence(run_id), name).toBe(1)
      await commit.deleteRun(SYSTEM, { run_id })
      await store.removeDropped()
    }
    // After the commit of the run nothing more is written.
    expect(POINTS.filter((name) => !refusedAt.includes(name))).toEqual(['after ingestRun'])
    now += 2 * 86_400_000
    await store.sweep(AbortSignal.timeout(60_000))
    expect([partFiles(dataDir), objects()]).toEqual([[], []])
  })
})
