import { spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openService } from '../../runtime/open-service.ts'
import { StoreDamaged } from '../../storage/sqlite/damage.ts'
import { verifyDirectory } from '../../cli/store/verify.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { PROGRAM } from '../support/servers/program.ts'
import { onFile, steps } from '../support/stores/store.ts'
import { startServer } from '../support/servers/server.ts'
import type { RunningServer } from '../support/servers/server.ts'

let made: string
let dataDir: string
let file: string

// Run `small` of one frame, run `large` of two, and enough cases for tables of many pages.
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'ers-damage-'))
  const service = await openService({ dataDir: made, now: steps() })
  const cases = Array.from({ length: 400 }, (_, i) =>
    aCase({ cell: { test_id: `test-${i}` }, output: `answer ${i} `.repeat(80) }),
  )
  for (const document of [aDocument({ run_id: 'small' }), aDocument({ run_id: 'large', cases })])
    await service.commit('ingestRun', CLI, { body: new TextEncoder().encode(JSON.stringify(document)), encoding: null })
  await service.close()
})
afterAll(() => rmSync(made, { recursive: true, force: true }))

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'ers-damage-'))
  cpSync(made, dataDir, { recursive: true })
  file = join(dataDir, 'service.db')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const change = (work: string): void => onFile(file, (database) => void database.exec(work))
const pageSize = (): number => onFile(file, (database) => database.pragma('page_size', { simple: true }) as number)

const zeroPage = (page: number): void => {
  const size = pageSize()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(size), 0, size, (page - 1) * size)
  closeSync(descriptor)
}

/** The pages of one table or index. */
const pagesOf = (name: string, type: 'leaf' | 'overflow' | 'internal'): number[] =>
  onFile(
    file,
    (database) =>
      database
        .prepare('SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY pageno')
        .pluck()
        .all(name, type) as number[],
  )
const rootOf = (name: string): number =>
  onFile(
    file,
    (database) => database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name) as number,
  )

/** Changes one byte of a document's frame, in the middle. */
const flipByte = (run_no: number, n: number): void =>
  onFile(file, (database) => {
    const bytes = database
      .prepare('SELECT bytes FROM document_frames WHERE run_no = ? AND n = ?')
      .pluck()
      .get(run_no, n) as Buffer
    const at = Math.floor(bytes.length / 2)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    database.prepare('UPDATE document_frames SET bytes = ? WHERE run_no = ? AND n = ?').run(bytes, run_no, n)
  })

const finding = async () => (await verifyDirectory(dataDir, null)).finding

describe('a store whose file is damaged', () => {
  const FILES: ReadonlyArray<readonly [what: string, work: () => void]> = [
    ['was cut short', () => truncateSync(file, Math.floor(readFileSync(file).length / 2 / pageSize()) * pageSize())],
    ['was cut within its first page', () => truncateSync(file, 1000)],
    ['lost its first page', () => zeroPage(1)],
    ['lost the first page of the log', () => zeroPage(rootOf('events'))],
    ['lost the page of the head of the log', () => zeroPage(rootOf('log_head'))],
    ['is another file', () => writeFileSync(file, 'no database at all. '.repeat(1000))],
  ]

  it.each(FILES)('since it %s is refused by the start, which names it, and by verify', async (_, work) => {
    work()
    for (const threads of [false, true]) {
      const error = await openService({ dataDir, threads }).then(
        async (service) => (await service.whenReady, null),
        (failed: unknown) => failed as Error,
      )
      expect(error?.message).toContain(`${file} is damaged (SQLITE_`)
      expect(error?.message).toContain('ers verify')
    }
    await expect(openService({ dataDir })).rejects.toBeInstanceOf(StoreDamaged)
    expect(await finding()).toMatchObject({ kind: 'unreadable' })
  })

  it('ends the server at once, with the name in its log', () => {
    zeroPage(1)
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data-dir', dataDir], {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...bareEnvironment(), SERVICE_TOKENS: 'admin:spec' },
    })
    expect(status).toBe(1)
    expect(stderr).toContain(`${file} is damaged (SQLITE_NOTADB`)
  })

  it('in a document that a start has to read again ends the server with one sentence and no stack', () => {
    flipByte(1, 0)
    change('UPDATE projections SET version = 0')
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data-dir', dataDir], {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...bareEnvironment(), SERVICE_TOKENS: 'admin:spec' },
    })
    expect(status).toBe(1)
    expect(stderr.split('\n').filter((line) => line.includes('"level":60'))).toEqual([
      expect.stringContaining(`${file} is damaged (event `),
    ])
    expect(stderr).not.toContain('"stack"')
  })

  it('in a page of a document is told by verify with the record that it belongs to', async () => {
    const [page = 0] = pagesOf('document_frames', 'overflow')
    zeroPage(page)
    expect((await finding())?.message).toMatch(/record \d \(run\/(small|large)\)/)
  })

  it.each(['cases', 'cases_history', 'matrix_rows', 'search_data'])(
    'in a page of %s is none of the record, and is found by a deep check',
    (name) => {
      const [page = 0] = pagesOf(name, 'leaf').slice(-1)
      zeroPage(page)
      const verify = (...more: readonly string[]) =>
        spawnSync(process.execPath, [PROGRAM, 'verify', '--data-dir', dataDir, ...more], {
          encoding: 'utf8',
          env: bareEnvironment(),
        })
      expect(verify()).toMatchObject({ status: 0 })
      expect(verify('--deep')).toMatchObject({ status: 20, stderr: expect.stringContaining('unreadable: ') as string })
    },
  )
})

describe('reads of what is damaged', () => {
  let server: RunningServer
  const start = async (): Promise<void> => {
    server = await startServer({ dataDir })
  }
  afterEach(() => server.stop({ keep: true }))

  const get = async (path: string): Promise<{ readonly status: number; readonly body: string }> => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    return { status: response.status, body: await response.text() }
  }
  const keyOf = (test_id: string): string => aCase({ cell: { test_id } }).case_key
  const failed = { status: 500, body: '{"error":"internal server error"}' }
  /** Failures that the server logged: all of them once it has stopped. */
  const logged = async (): Promise<string> => {
    await server.stop({ keep: true })
    return JSON.stringify(server.log.filter(({ msg }) => msg === 'unexpected failure'))
  }

  it.each([
    ['a flipped byte', () => flipByte(1, 0), /ERR_|ZSTD|frame/i],
    ['no frame', () => change('DELETE FROM document_frames WHERE run_no = 1'), /document 1 holds 0 of \d+ bytes/],
    [
      'the frame of another document',
      () =>
        change(
          'UPDATE document_frames SET (raw_length, bytes) = (SELECT raw_length, bytes FROM document_frames WHERE run_no = 2 AND n = 0) WHERE run_no = 1',
        ),
      /document 1 holds \d+ of \d+ bytes/,
    ],
  ])('fail for a document with %s, with the cause in the log; the others are answered', async (_, work, told) => {
    work()
    await start()
    expect(await get('/runs/small/export')).toEqual(failed)
    expect((await get('/runs/small')).status).toBe(200)
    expect((await get('/runs/large/export')).status).toBe(200)
    expect((await get(`/runs/large/cases/${keyOf('test-3')}`)).status).toBe(200)
    expect(await logged()).toMatch(told)
  })

  it.each([
    ['a flipped byte', () => flipByte(1, 0)],
    ['no frame', () => change('DELETE FROM document_frames WHERE run_no = 1')],
  ])('fail for a case of a document with %s, also where it is searched and found, and are no 404', async (_, work) => {
    work()
    await start()
    expect(await get(`/runs/small/cases/${keyOf('greeting')}`)).toEqual(failed)
    expect(await get('/runs/small/cases?q=hello')).toEqual(failed)
    expect((await get('/runs/small/cases')).status).toBe(200)
  })

  it.each([
    ['a flipped byte', () => flipByte(2, 1)],
    ['no frame', () => change('DELETE FROM document_frames WHERE run_no = 2 AND n = 1')],
  ])('never give a whole document with %s behind what was sent already', async (_, work) => {
    work()
    await start()
    await expect(
      get('/runs/large/export').then(({ status, body }) =>
        status === 500 ? Promise.reject(new Error('refused')) : body,
      ),
    ).rejects.toThrow()
  })

  it('fail for a list whose page is gone, with the cause in the log', async () => {
    const [page = 0] = pagesOf('cases', 'leaf').slice(-1)
    zeroPage(page)
    await start()
    let answer = await get('/runs/large/cases?limit=100')
    for (let i = 0; i < 10 && answer.status === 200; i++) {
      const next = (JSON.parse(answer.body) as { next_cursor: string | null }).next_cursor
      if (next === null) break
      answer = await get(`/runs/large/cases?limit=100&cursor=${encodeURIComponent(next)}`)
    }
    expect(answer).toEqual(failed)
    expect(await logged()).toContain('database disk image is malformed')
  })
})
