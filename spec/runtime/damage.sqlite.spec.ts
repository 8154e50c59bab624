import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
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
import { SMALL_FRAMES } from '../../storage/documents/frames.ts'
import { StoreDamaged } from '../../storage/sqlite/damage.ts'
import { verifyDirectory } from '../../cli/store/verify.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { PROGRAM } from '../support/servers/program.ts'
import { onFile, steppingClock } from '../support/stores/store.ts'
import { startServer } from '../support/servers/server.ts'
import type { RunningServer } from '../support/servers/server.ts'

let template: string
let dataDir: string
let file: string

// Run `small` has one frame, run `large` has several, and its cases fill tables of many pages. The hashes do not compress, so a
// frame does not fit into one page.
beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'ers-damage-'))
  const service = await openService({ dataDir: template, now: steppingClock() })
  const answer = (i: number) =>
    Array.from({ length: 10 }, (_, k) => `answer ${i} ${hash('sha256', `${i} ${k}`)}`).join(' ')
  const cases = Array.from({ length: 400 }, (_, i) => aCase({ cell: { test_id: `test-${i}` }, output: answer(i) }))
  for (const document of [aDocument({ run_id: 'small' }), aDocument({ run_id: 'large', cases })])
    await service.commit.ingestRun(CLI, { body: new TextEncoder().encode(JSON.stringify(document)), encoding: null })
  await service.close()
})
afterAll(() => rmSync(template, { recursive: true, force: true }))

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'ers-damage-'))
  cpSync(template, dataDir, { recursive: true })
  file = join(dataDir, 'service.db')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const execute = (text: string): void => onFile(file, (database) => void database.exec(text))
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

/** Flips one bit in the middle of a document's frame. */
const flipByte = (run_no: number, n: number): void =>
  onFile(file, (database) => {
    const bytes = database
      .prepare(`SELECT bytes FROM document_frames WHERE run_no = ? AND n = ${SMALL_FRAMES.first} + ?`)
      .pluck()
      .get(run_no, n) as Buffer
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    database
      .prepare(`UPDATE document_frames SET bytes = ? WHERE run_no = ? AND n = ${SMALL_FRAMES.first} + ?`)
      .run(bytes, run_no, n)
  })

const finding = async () => (await verifyDirectory(dataDir, null)).finding

describe('a damaged store', () => {
  const FILES: ReadonlyArray<readonly [what: string, damage: () => void]> = [
    ['was cut short', () => truncateSync(file, Math.floor(readFileSync(file).length / 2 / pageSize()) * pageSize())],
    ['was cut within its first page', () => truncateSync(file, 1000)],
    ['lost its first page', () => zeroPage(1)],
    ['lost the first page of the log', () => zeroPage(rootOf('events'))],
    ['lost the page of the head of the log', () => zeroPage(rootOf('log_head'))],
    ['is another file', () => writeFileSync(file, 'no database at all. '.repeat(1000))],
  ]

  it.each(FILES)('that %s is rejected by `ers verify`, and by a start, which names the file', async (_, damage) => {
    damage()
    for (const threads of [false, true]) {
      const error = await openService({ dataDir, threads }).then(
        () => null,
        (failed: unknown) => failed as Error,
      )
      expect(error?.message).toContain(`${file} is damaged (SQLITE_`)
      expect(error?.message).toContain('ers verify')
    }
    await expect(openService({ dataDir })).rejects.toBeInstanceOf(StoreDamaged)
    expect(await finding()).toMatchObject({ kind: 'unreadable' })
  })

  it('makes the server log the name of the file and end at once', () => {
    zeroPage(1)
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data-dir', dataDir], {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...bareEnvironment(), SERVICE_TOKENS: 'admin:spec' },
    })
    expect(status).toBe(1)
    expect(stderr).toContain(`${file} is damaged (SQLITE_NOTADB`)
  })

  it('rejects a start that rebuilds from a damaged document before it is ready', async () => {
    flipByte(1, 0)
    execute('UPDATE projections SET version = 0')
    await expect(openService({ dataDir })).rejects.toThrow(`${file} is damaged (event `)
  })

  it('serves all but a missing read model that cannot be built from a damaged document, and logs an error', async () => {
    flipByte(1, 0)
    execute("DELETE FROM projections WHERE name = 'search'")
    const server = await startServer({ dataDir })
    const get = (path: string) =>
      fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${server.token}` } })
    const failures = () => server.log.filter(({ msg }) => msg === 'the read models cannot be built')
    await expect.poll(failures).toMatchObject([{ level: 50, error: expect.stringContaining('event ') as string }])
    const search = await get('/search?q=answer')
    expect([search.status, search.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await search.json()).toEqual({ error: 'the read model search is being built; try again later' })
    expect((await get('/runs/large/cases?limit=1')).status).toBe(200)
    const upload = await fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(aDocument({ run_id: 'new' })),
    })
    expect(upload.status).toBe(201)
    expect((await get('/server').then((answer) => answer.json())) as unknown).toMatchObject({
      read_tables: expect.arrayContaining([expect.objectContaining({ name: 'search', state: 'missing' })]) as unknown,
    })
    await server.stop()
  })

  it('with a lost page of a document is reported by verify, with the record', async () => {
    const [page = 0] = pagesOf('document_frames', 'overflow')
    zeroPage(page)
    expect((await finding())?.message).toMatch(/record \d \(run\/(small|large)\)/)
  })

  it.each(['cases', 'cases_history', 'matrix_rows', 'search_data'])(
    'with a lost page of %s has an intact log, and fails a deep check',
    (name) => {
      const [page = 0] = pagesOf(name, 'leaf').slice(-1)
      zeroPage(page)
      const verify = (...options: readonly string[]) =>
        spawnSync(process.execPath, [PROGRAM, 'verify', '--data-dir', dataDir, ...options], {
          encoding: 'utf8',
          env: bareEnvironment(),
        })
      expect(verify()).toMatchObject({ status: 0 })
      expect(verify('--deep')).toMatchObject({ status: 20, stderr: expect.stringContaining('unreadable: ') as string })
    },
  )
})

describe('reads of a damaged store', () => {
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
  /** Stops the server and returns the failures that it logged. */
  const loggedFailures = async (): Promise<string> => {
    await server.stop({ keep: true })
    return JSON.stringify(server.log.filter(({ msg }) => msg === 'unexpected failure'))
  }

  it.each([
    ['a flipped byte', () => flipByte(1, 0), /ERR_|ZSTD|frame/i],
    ['no frame', () => execute('DELETE FROM document_frames WHERE run_no = 1'), /document 1 holds 0 of \d+ bytes/],
    [
      'the frame of another document',
      () =>
        execute(
          `UPDATE document_frames SET (raw_length, bytes) = (SELECT raw_length, bytes FROM document_frames WHERE run_no = 2 AND n = ${SMALL_FRAMES.first}) WHERE run_no = 1`,
        ),
      /document 1 holds \d+ of \d+ bytes/,
    ],
  ])('fail for a document with %s, log the cause, and answer for other documents', async (_, damage, cause) => {
    damage()
    await start()
    expect(await get('/runs/small/export')).toEqual(failed)
    expect((await get('/runs/small')).status).toBe(200)
    expect((await get('/runs/large/export')).status).toBe(200)
    expect((await get(`/runs/large/cases/${keyOf('test-3')}`)).status).toBe(200)
    expect(await loggedFailures()).toMatch(cause)
  })

  it.each([
    ['a flipped byte', () => flipByte(1, 0)],
    ['no frame', () => execute('DELETE FROM document_frames WHERE run_no = 1')],
  ])('fail with 500 for a case in a document with %s, and for a search that finds it', async (_, damage) => {
    damage()
    await start()
    expect(await get(`/runs/small/cases/${keyOf('greeting')}`)).toEqual(failed)
    expect(await get('/runs/small/cases?q=hello')).toEqual(failed)
    expect((await get('/runs/small/cases')).status).toBe(200)
  })

  it.each([
    ['a flipped byte', () => flipByte(2, 1)],
    ['no frame', () => execute(`DELETE FROM document_frames WHERE run_no = 2 AND n = ${SMALL_FRAMES.first} + 1`)],
  ])('never complete the export of a document with %s', async (_, damage) => {
    damage()
    await start()
    await expect(
      get('/runs/large/export').then(({ status, body }) =>
        status === 500 ? Promise.reject(new Error('refused')) : body,
      ),
    ).rejects.toThrow()
  })

  it('fail for a list with a lost page, and log the cause', async () => {
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
    expect(await loggedFailures()).toContain('database disk image is malformed')
  })
})
