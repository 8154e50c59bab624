import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as commands from '../../../commands/index.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { project } from '../../../projections/index.ts'
import { groupCommit } from '../../../storage/commit/group-commit.ts'
import { DiskFull } from '../../../storage/errors.ts'
import { isDiskFull, openReserve } from '../../../storage/sqlite/reserve.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import { admin } from '../../support/access/viewers.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { freshFolder, migrate, steppingClock } from '../../support/stores/store.ts'

const MIB = 1024 * 1024

describe('the reserve of a full disk', () => {
  let folder: ReturnType<typeof freshFolder>
  let reserveFile: string
  let free: number
  beforeEach(() => {
    folder = freshFolder()
    reserveFile = join(dirname(folder.file), 'reserve')
    free = 1024 * MIB
  })
  afterEach(() => folder.remove())

  const noPages = () => 0
  const open = () => openReserve(folder.file, () => free)

  it('occupies 16 MiB, for its owner alone, and is found again by the next start', () => {
    expect(open().hasRoom(noPages)).toBe(true)
    const { size, mode } = statSync(reserveFile)
    expect([size, (mode & 0o777).toString(8)]).toEqual([16 * MIB, '600'])
    free = 0
    expect(open().hasRoom(noPages)).toBe(true)
    expect(isDiskFull(folder.file)).toBe(false)
  })

  it('is taken only if the disk has twice its size, and again as soon as it has', () => {
    free = 32 * MIB - 1
    const reserve = open()
    expect([reserve.hasRoom(noPages), existsSync(reserveFile)]).toEqual([false, false])
    free = 32 * MIB
    expect(reserve.hasRoom(noPages)).toBe(true)
    free = 0
    reserve.release()
    expect([reserve.hasRoom(noPages), existsSync(reserveFile)]).toEqual([false, false])
    free = 32 * MIB
    expect([reserve.hasRoom(noPages), existsSync(reserveFile)]).toEqual([true, true])
  })

  it('takes its space on a file system that compresses too', () => {
    open()
    const start = readFileSync(reserveFile).subarray(0, MIB)
    expect(deflateRawSync(start, { level: 1 }).length).toBeGreaterThan(MIB * 0.9)
  })

  it('leaves nothing of a reserve that a crash cut off', () => {
    writeFileSync(reserveFile, Buffer.alloc(MIB))
    free = 0
    open()
    expect(existsSync(reserveFile)).toBe(false)
  })

  it('is not needed where the disk and the free pages of the store have as much together', () => {
    free = 0
    const reserve = open()
    free = 12 * MIB
    expect(reserve.hasRoom(() => 20 * MIB - 1)).toBe(false)
    expect([reserve.hasRoom(() => 20 * MIB), existsSync(reserveFile)]).toEqual([true, false])
  })

  it('is released for deletions when a document does not fit, and documents wait until the disk has room', async () => {
    migrate(folder.file)
    const reserve = open()
    const writer = openSqliteWriter({ file: folder.file, project, now: steppingClock(), instance: 'i', reserve })
    const { commit } = groupCommit({ storage: writer, clock: () => 0, yielded: () => new Promise(setImmediate) })
    const { database } = writer.connection
    const ingest = async (run_id: string) =>
      commit(
        commands.ingestRun(admin, {
          body: Buffer.from(JSON.stringify(aDocument({ run_id, cases: [aCase({ output: 'x' })] }))),
          encoding: null,
        }),
      )
    const remove = async (run_id: string) => commit(commands.deleteRun(admin, { run_id }))
    await ingest('first')
    // SQLite itself rejects the next page, and the file system reports no room.
    free = 0
    database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true }))}`)
    for (let n = 0; existsSync(reserveFile); n++) {
      expect(n).toBeLessThan(1000)
      await ingest(`more-${n}`).catch((error: unknown) => expect(error).toBeInstanceOf(DiskFull))
    }
    // The space of the reserve.
    database.pragma('max_page_count = 1073741823')
    await expect(ingest('second')).rejects.toBeInstanceOf(DiskFull)
    await remove('first')
    await expect(ingest('second')).rejects.toBeInstanceOf(DiskFull)
    free = 32 * MIB
    await ingest('second')
    expect(statSync(reserveFile).size).toBe(16 * MIB)
    writer.close()
    expect(await verifyLog(folder.file, null)).toMatchObject({ finding: null })
  })
})
