import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LogBehindHeadFile } from '../../../maintenance/verify/head-file.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { verifyDirectory } from '../../../cli/store/verify.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { readHeadFile } from '../../../storage/sqlite/head-file.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { onFile, steppingClock } from '../../support/stores/store.ts'

let dataDir: string
let file: string
let head: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'ers-head-'))
  file = join(dataDir, 'service.db')
  head = join(dataDir, 'head')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const ingest = (service: OpenService, run_id: string) =>
  service.commit.ingestRun(CLI, {
    body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id }))),
    encoding: null,
  })

/** Opens the service, records these runs, and closes it. */
const record = async (...ids: readonly string[]): Promise<void> => {
  const service = await openService({ dataDir, now: steppingClock() })
  for (const id of ids) await ingest(service, id)
  await service.close()
}
const opening = () => openService({ dataDir })
const finding = async () => (await verifyDirectory(dataDir, null)).finding

describe('a head file', () => {
  it('contains the head of the log as soon as a commit has returned', async () => {
    const service = await openService({ dataDir, now: steppingClock() })
    expect(readHeadFile(head)?.size).toBe(0)
    for (const id of ['a', 'b', 'c']) {
      await ingest(service, id)
      expect(readHeadFile(head)).toEqual(await service.head())
    }
    await service.close()
    expect(await finding()).toBeNull()
  })

  it('is written by the writer thread too', async () => {
    const service = await openService({ dataDir, threads: true })
    await ingest(service, 'a')
    expect(readHeadFile(head)).toEqual(await service.head())
    await service.close()
  })

  it.each([
    ['is missing', () => rmSync(head)],
    ['is empty', () => writeFileSync(head, '')],
  ])('that %s is written again by the next start', async (_, work) => {
    await record('a', 'b')
    work()
    expect(await finding()).toBeNull()
    await record()
    expect(readHeadFile(head)?.size).toBe(2)
  })

  it('may lag behind the log, as after a power cut', async () => {
    await record('a')
    const lagging = readFileSync(head)
    await record('b')
    writeFileSync(head, lagging)
    expect(await finding()).toBeNull()
    await record()
    expect(readHeadFile(head)?.size).toBe(2)
  })

  it('with invalid content is an error that names the file, at start and in verify', async () => {
    await record('a')
    writeFileSync(head, 'no head')
    await expect(opening()).rejects.toThrow(`${head} cannot be read`)
    expect(await finding()).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining(`${head} cannot be read`) as string,
    })
  })

  it('that is a folder is an error that names it too', async () => {
    mkdirSync(head)
    await expect(opening()).rejects.toThrow(`${head} cannot be read`)
    expect(await finding()).toMatchObject({ kind: 'unreadable' })
  })

  it('that cannot be written loses no commit, is logged once, and is tried again at each commit', async () => {
    // A folder has the name of the temporary file, under which the head file is written first. So the write fails.
    mkdirSync(`${head}.part`)
    const logged: string[] = []
    const service = await openService({
      dataDir,
      now: steppingClock(),
      log: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
    })
    for (const id of ['a', 'b']) expect(await ingest(service, id)).toEqual({ id, created: true, hidden_cases: 0 })
    expect(logged).toEqual([expect.stringMatching(/^the head file cannot be written .*EISDIR/)])
    expect(existsSync(head)).toBe(false)
    rmdirSync(`${head}.part`)
    await ingest(service, 'c')
    expect(readHeadFile(head)).toEqual(await service.head())
    await service.close()
  })
})

describe('a log that is behind its head file', () => {
  const older = () => join(dataDir, 'older.db')
  const SHORT: ReadonlyArray<readonly [what: string, work: () => void, message: string, kind: string]> = [
    [
      'an older copy was restored',
      () => copyFileSync(older(), file),
      'the log holds 1 records, yet it held 3',
      'rolled_back',
    ],
    ['the file was emptied', () => writeFileSync(file, ''), 'the log holds 0 records, yet it held 3', 'missing'],
    ['the file was deleted', () => rmSync(file), 'the log holds 0 records, yet it held 3', 'missing'],
    [
      'the file is a database without tables',
      () => {
        rmSync(file)
        onFile(file, (database) => database.exec('CREATE TABLE other (x)'))
      },
      'the log holds 0 records, yet it held 3',
      'unreadable',
    ],
  ]

  it.each(SHORT)(
    'because %s is an error in verify and at start; the failed start writes nothing',
    async (_, work, message, kind) => {
      await record('a')
      copyFileSync(file, older())
      await record('b', 'c')
      work()
      const [store, noted] = [existsSync(file) && readFileSync(file), readFileSync(head)]
      for (const threads of [false, true]) {
        const failed = openService({ dataDir, threads }).then(
          () => null,
          (error: unknown) => error as Error,
        )
        expect((await failed)?.message).toContain(`${file} is behind ${head}: ${message}`)
        expect((await failed)?.message).toContain(`${file}-wal`)
        expect((await failed)?.message).toContain(`remove ${head}`)
      }
      await expect(opening()).rejects.toBeInstanceOf(LogBehindHeadFile)
      expect(existsSync(file) && readFileSync(file)).toEqual(store)
      expect(readFileSync(head)).toEqual(noted)
      expect((await finding())?.kind).toBe(kind)
    },
  )

  it('because of a lost write-ahead log is valid again once that is restored', async () => {
    const service = await openService({ dataDir, now: steppingClock() })
    for (const id of ['a', 'b']) await ingest(service, id)
    // As after a crash, with the last commits only in the write-ahead log.
    const crashed = mkdtempSync(join(tmpdir(), 'ers-head-'))
    for (const name of ['service.db', 'service.db-wal', 'head']) copyFileSync(join(dataDir, name), join(crashed, name))
    await service.close()
    const wal = join(crashed, 'service.db-wal')
    expect(statSync(wal).size).toBeGreaterThan(0)
    const savedWal = readFileSync(wal)
    rmSync(wal)
    await expect(openService({ dataDir: crashed })).rejects.toThrow('yet it held 2')
    writeFileSync(wal, savedWal)
    const back = await openService({ dataDir: crashed })
    expect((await back.head()).size).toBe(2)
    await back.close()
    rmSync(crashed, { recursive: true })
  })

  it('of the same size with other records is reported', async () => {
    await record('a')
    const noted = readFileSync(head)
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    rmSync(head)
    await record('b')
    writeFileSync(head, noted)
    await expect(opening()).rejects.toThrow('the log holds 1 records, as before, but they are not the same')
    expect(await finding()).toMatchObject({
      kind: 'rolled_back',
      message: expect.stringContaining(`the first 1 records are not those`) as string,
    })
  })

  it('continues after the head file is removed, as for a restored backup', async () => {
    await record('a')
    copyFileSync(file, older())
    await record('b')
    copyFileSync(older(), file)
    rmSync(head)
    await record('c')
    expect(readHeadFile(head)?.size).toBe(2)
    expect(await finding()).toBeNull()
  })
})
