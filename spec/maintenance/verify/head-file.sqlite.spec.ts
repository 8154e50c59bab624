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
import type { OpenService } from '../../../runtime/open-service.ts'
import { verifyDirectory } from '../../../cli/store/verify.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { readHeadFile } from '../../../storage/sqlite/head-file.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { onFile, steps } from '../../support/stores/store.ts'

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
  service.commit('ingestRun', CLI, {
    body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id }))),
    encoding: null,
  })

/** Opens, records these runs, and closes. */
const record = async (...ids: readonly string[]): Promise<void> => {
  const service = await openService({ dataDir, now: steps() })
  for (const id of ids) await ingest(service, id)
  await service.close()
}
const opening = () => openService({ dataDir })
const finding = async () => (await verifyDirectory(dataDir, null)).finding

describe('a head file', () => {
  it('tells where the log stands as soon as a commit is answered', async () => {
    const service = await openService({ dataDir, now: steps() })
    expect(readHeadFile(head)?.size).toBe(0)
    for (const id of ['a', 'b', 'c']) {
      await ingest(service, id)
      expect(readHeadFile(head)).toEqual(await service.head())
    }
    await service.close()
    expect(await finding()).toBeNull()
  })

  it('is written by the writer thread likewise', async () => {
    const service = await openService({ dataDir, threads: true })
    await ingest(service, 'a')
    expect(readHeadFile(head)).toEqual(await service.head())
    await service.close()
  })

  it.each([
    ['is gone', () => rmSync(head)],
    ['is empty', () => writeFileSync(head, '')],
  ])('that %s is written anew by the next start', async (_, work) => {
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

  it('that holds something else is an error of the start that names it, and of verify', async () => {
    await record('a')
    writeFileSync(head, 'no head')
    await expect(opening()).rejects.toThrow(`${head} cannot be read`)
    expect(await finding()).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining(`${head} cannot be read`) as string,
    })
  })

  it('that is a folder is named as well', async () => {
    mkdirSync(head)
    await expect(opening()).rejects.toThrow(`${head} cannot be read`)
    expect(await finding()).toMatchObject({ kind: 'unreadable' })
  })

  it('that cannot be written loses no commit: it is told once, and tried again with each', async () => {
    // What the file is first made under is taken.
    mkdirSync(`${head}.part`)
    const told: string[] = []
    const service = await openService({
      dataDir,
      now: steps(),
      log: (message, fields) => void told.push(`${message} ${JSON.stringify(fields)}`),
    })
    for (const id of ['a', 'b']) expect(await ingest(service, id)).toEqual({ id, created: true })
    expect(told).toEqual([expect.stringMatching(/^the head file cannot be written .*EISDIR/)])
    expect(existsSync(head)).toBe(false)
    rmdirSync(`${head}.part`)
    await ingest(service, 'c')
    expect(readHeadFile(head)).toEqual(await service.head())
    await service.close()
  })
})

describe('a log that falls short of its head file', () => {
  const older = () => join(dataDir, 'older.db')
  const SHORT: ReadonlyArray<readonly [what: string, work: () => void, told: string, kind: string]> = [
    [
      'an older copy was put back',
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
    'since %s is an error of the start, which writes nothing, and of verify',
    async (_, work, told, kind) => {
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
        expect((await failed)?.message).toContain(`${file} falls short of ${head}: ${told}`)
        expect((await failed)?.message).toContain(`${file}-wal`)
        expect((await failed)?.message).toContain(`remove ${head}`)
      }
      await expect(opening()).rejects.toBeInstanceOf(LogBehindHeadFile)
      expect(existsSync(file) && readFileSync(file)).toEqual(store)
      expect(readFileSync(head)).toEqual(noted)
      expect((await finding())?.kind).toBe(kind)
    },
  )

  it('since its write-ahead log was lost is in order again once that is back', async () => {
    const service = await openService({ dataDir, now: steps() })
    for (const id of ['a', 'b']) await ingest(service, id)
    // As a crash leaves them, with the last commits in the write-ahead log alone.
    const crashed = mkdtempSync(join(tmpdir(), 'ers-head-'))
    for (const name of ['service.db', 'service.db-wal', 'head']) copyFileSync(join(dataDir, name), join(crashed, name))
    await service.close()
    const wal = join(crashed, 'service.db-wal')
    expect(statSync(wal).size).toBeGreaterThan(0)
    const kept = readFileSync(wal)
    rmSync(wal)
    await expect(openService({ dataDir: crashed })).rejects.toThrow('yet it held 2')
    writeFileSync(wal, kept)
    const back = await openService({ dataDir: crashed })
    expect((await back.head()).size).toBe(2)
    await back.close()
    rmSync(crashed, { recursive: true })
  })

  it('of the same size with other records is told as such', async () => {
    await record('a')
    const noted = readFileSync(head)
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    rmSync(head)
    await record('b')
    writeFileSync(head, noted)
    await expect(opening()).rejects.toThrow('the log holds 1 records, as it did, yet they are not the same')
    expect(await finding()).toMatchObject({
      kind: 'rolled_back',
      message: expect.stringContaining(`the first 1 records are not those`) as string,
    })
  })

  it('goes on once the head file is removed, as for a backup put back on purpose', async () => {
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
