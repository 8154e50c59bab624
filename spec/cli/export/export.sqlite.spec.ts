import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXPORT_FORMAT_NAMES } from '../../../domain/report/export-formats.ts'
import { misuse } from '../../../cli/export/export.ts'
import { runErsBytes } from '../../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

const DATA = fileURLToPath(new URL('../../data', import.meta.url))
const SAMPLE = gunzipSync(readFileSync(join(DATA, 'swe-bench/lite/aider_gpt-4o-opus.json.gz')))
const { run_id: SAMPLE_ID } = JSON.parse(SAMPLE.toString()) as { run_id: string }
// More than one page; one id would leave the folder if unescaped.
const MANY = ['../up', '.hidden', ...Array.from({ length: 210 }, (_, i) => `many/${i}`)]

let server: RunningServer
let folder: string
beforeAll(async () => {
  server = await startServer()
  const input = mkdtempSync(join(tmpdir(), 'ers-export-input-'))
  const small = JSON.parse(
    gunzipSync(readFileSync(join(DATA, 'inspect/images/log_images_tc.json.gz'))).toString(),
  ) as object
  writeFileSync(
    join(input, 'many.ndjson'),
    MANY.map((run_id) => JSON.stringify({ ...small, run_id, project: 'many', suite: 'small' })).join('\n'),
  )
  const { code } = await ers(['import', join(DATA, 'swe-bench'), input])
  expect(code).toBe(0)
  rmSync(input, { recursive: true })
})
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-export-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ers = (args: readonly string[], token = server.token) =>
  runErsBytes(args, { env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: token } })

describe('exporting one run', () => {
  it('prints the uploaded bytes, plain or gzipped', async () => {
    const plain = await ers(['export', SAMPLE_ID])
    expect(plain).toMatchObject({ code: 0, stderr: '' })
    expect(plain.stdout.equals(SAMPLE)).toBe(true)
    expect(gunzipSync((await ers(['export', SAMPLE_ID, '--gzip'])).stdout).equals(SAMPLE)).toBe(true)
  })

  it('writes the named file, and overwrites only with --force', async () => {
    const path = join(folder, 'out.json')
    expect((await ers(['export', SAMPLE_ID, '-o', path])).code).toBe(0)
    expect(readFileSync(path).equals(SAMPLE)).toBe(true)
    writeFileSync(path, 'mine')
    expect(await ers(['export', SAMPLE_ID, '-o', path])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('exists; give --force') as string,
    })
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect((await ers(['export', SAMPLE_ID, '-o', path, '--force'])).code).toBe(0)
    expect(readFileSync(path).equals(SAMPLE)).toBe(true)
    expect(readdirSync(folder)).toEqual(['out.json'])
  })

  it('reports an unknown run and exports the others', async () => {
    const { code, stdout, stderr } = await ers(['export', 'no such', SAMPLE_ID, '..', '--out-dir', folder])
    expect(code).toBe(1)
    expect(stdout.toString()).toMatch(/^exported 1, skipped 0, failed 2 in /)
    expect(stderr).toContain('no such: run not found\n')
    expect(stderr).toContain('..: a run with this id cannot be requested over HTTP\n')
    expect(readdirSync(folder)).toEqual([`${SAMPLE_ID}.json`])
  })

  it('reports a file that cannot be written', async () => {
    const { code, stderr } = await ers(['export', SAMPLE_ID, '-o', join(folder, 'nowhere', 'out.json')])
    expect(code).toBe(1)
    expect(stderr).toContain('cannot be written: ENOENT')
  })
})

describe('exporting all runs', () => {
  it('exports every page of a suite, and writes only into the folder', async () => {
    const { code, stdout } = await ers([
      'export',
      '--all',
      '--project',
      'many',
      '--suite',
      'small',
      '--out-dir',
      folder,
      '--gzip',
    ])
    expect(code).toBe(0)
    expect(stdout.toString()).toMatch(/^exported 212, skipped 0, failed 0 in /)
    const names = readdirSync(folder)
    expect(names).toHaveLength(MANY.length)
    expect(names).toEqual(
      expect.arrayContaining(
        ['..%2Fup'.replace('.', '%2E'), '%2Ehidden', 'many%2F209'].map((name) => `${name}.json.gz`),
      ),
    )
  })

  it('resumes an earlier export', async () => {
    await ers(['export', '--all', '--project', 'many', '--out-dir', folder])
    rmSync(join(folder, 'many%2F7.json'))
    const { code, stdout } = await ers(['export', '--all', '--out-dir', folder])
    expect(code).toBe(0)
    expect(stdout.toString()).toMatch(/^exported 2, skipped 211, failed 0 in /)
  })

  it('can be imported again without a change', async () => {
    await ers(['export', '--all', '--out-dir', folder])
    expect((await ers(['import', folder])).stdout.toString()).toMatch(
      /^imported 0, already there 213, refused 0, failed 0 in /,
    )
  })
})

describe('exporting in another format', () => {
  it.each(EXPORT_FORMAT_NAMES)('prints a run as %s, as the service returns it', async (format) => {
    const response = await fetch(`${server.url}/api/v1/runs/${SAMPLE_ID}/export/${format}`, {
      headers: { authorization: `Bearer ${server.token}`, 'accept-encoding': 'identity' },
    })
    expect(response.status).toBe(200)
    const { code, stdout, stderr } = await ers(['export', SAMPLE_ID, '--format', format])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
  })

  it('leaves no file that looks whole when the server closes the connection in the middle', async () => {
    let attempts = 0
    const broken = createServer((_request, response) => {
      attempts++
      if (attempts % 2 === 0) return void response.writeHead(404).end('{"error":"no such run"}')
      response.writeHead(200, { 'content-type': 'text/csv' })
      response.write('run_id,project\r\nrun-1,chat\r\n', () => response.socket?.destroy())
    }).listen(0, '127.0.0.1')
    await once(broken, 'listening')
    try {
      const { port } = broken.address() as AddressInfo
      const at = ['--server', `http://127.0.0.1:${port}`, '--format', 'csv']
      const path = join(folder, 'run.csv')
      // It is asked for again; the second answer is final.
      const named = await ers(['export', 'run-1', '-o', path, ...at])
      expect([named.code, named.stderr, attempts]).toEqual([1, 'run-1: no such run\n', 2])
      const many = await ers(['export', 'run-1', '--out-dir', folder, ...at])
      expect([many.code, many.stderr, attempts]).toEqual([1, 'run-1: no such run\n', 4])
      expect(readdirSync(folder)).toEqual([])
      // What is printed cannot be taken back: the exit code and a message say that it is incomplete.
      const printed = await ers(['export', 'run-1', ...at])
      expect([printed.code, printed.stdout.toString()]).toEqual([1, 'run_id,project\r\nrun-1,chat\r\n'])
      expect(printed.stderr).toMatch(/^run-1: .*the response was interrupted/)
    } finally {
      broken.close()
    }
  })

  it('writes many runs, each to a file of its own', async () => {
    const all = ['export', '--all', '--project', 'many', '--out-dir', folder, '--format', 'csv']
    expect((await ers([...all, '--gzip'])).stdout.toString()).toMatch(/^exported 212, skipped 0, failed 0 in /)
    expect((await ers([...all, '--bom', '--raw'])).code).toBe(0)
    expect(readdirSync(folder)).toHaveLength(2 * MANY.length)
    const [plain, zipped] = ['many%2F7.csv', 'many%2F7.csv.gz'].map((name) => readFileSync(join(folder, name)))
    expect(plain?.subarray(0, 9).toString()).toBe('\uFEFFrun_id')
    expect(gunzipSync(zipped ?? '').toString()).toMatch(/^run_id,project,suite,created_at,/)
  })

  it('ends with exit code 2 for an unknown format', async () => {
    expect(await ers(['export', SAMPLE_ID, '--format', 'pdf'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('jsonl, csv, parquet, junit, ctrf, every-eval-ever') as string,
    })
  })
})

describe('an export that cannot start', () => {
  it.each([
    [[], {}],
    [['a', 'b'], {}],
    [['a', 'b'], { output: 'x' }],
    [['a'], { output: 'x', outDir: 'y' }],
    [['a'], { project: 'p' }],
    [[], { suite: 's', outDir: 'y' }],
    [[], { all: true as const }],
    [[], { all: true as const, output: 'x' }],
    [['a'], { all: true as const, outDir: 'y' }],
    [['a'], { bom: true as const }],
    [['a'], { raw: true as const, format: 'jsonl' as const }],
  ])('rejects %j with %j', (ids, options) => expect(misuse(ids, options)).not.toBeNull())

  it('ends with exit code 2', async () => {
    expect((await ers(['export'])).code).toBe(2)
    expect((await ers(['export', SAMPLE_ID, '--what'])).code).toBe(2)
    expect(await ers(['export', SAMPLE_ID], 'unknown')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/: 401 .*SERVICE_TOKEN/) as string,
    })
    expect(await ers(['export', '--all', '--out-dir', folder], 'unknown')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('401') as string,
    })
  })
})
