import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

const DATA = fileURLToPath(new URL('../../data', import.meta.url))
const SAMPLE = JSON.parse(gunzipSync(readFileSync(join(DATA, 'inspect/images/log_images_tc.json.gz'))).toString()) as {
  readonly cases: readonly [object]
}
let folder: string
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-import-'))))
afterEach(() => rmSync(folder, { recursive: true }))

type Options = { env?: Record<string, string>; onOutput?: (interrupt: () => void) => void }
const ersImport = (args: readonly string[], { env, onOutput }: Options = {}) =>
  runErs(['import', ...args], {
    cwd: folder,
    env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token, ...env },
    started: (child) => {
      if (onOutput) child.stderr?.once('data', () => onOutput(() => child.kill('SIGINT')))
    },
  })

const put = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const aDocument = (run_id: string) => JSON.stringify({ ...SAMPLE, run_id })

const isService = (way: string) => way === 'over HTTP'
const into = (way: string) => (isService(way) ? [] : ['--data-dir', join(folder, '.state')])
const server = await startServer()

// The same documents give the same results over HTTP and in a state directory.
describe.each(['over HTTP', 'into a state directory'])('importing %s', (way) => {
  const refusal = (status: number, reason: string) => (isService(way) ? String(status) : reason)
  const id = (name: string) => `${way}-${name}`

  it('imports a whole folder, and reports it as already there the next time', async () => {
    const [data, count] = isService(way) ? [DATA, 44] : [join(DATA, 'inspect'), 12]
    const first = await ersImport([...into(way), data, '--json'])
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(first.stdout)).toMatchObject({
      imported: count,
      already_there: 0,
      refused: 0,
      failed: 0,
      skipped: 0,
    })
    const second = await ersImport([...into(way), data])
    expect(second.code).toBe(0)
    expect(second.stdout).toMatch(
      new RegExp(`^imported 0, already there ${count}, refused 0, failed 0 in \\d+\\.\\d s\n$`),
    )
  })

  it('imports documents by line, and reports refused lines with reasons', async () => {
    const lines = [
      aDocument(id('l1')),
      '',
      '{"schema_version":3',
      aDocument(id('l4')),
      JSON.stringify({ ...SAMPLE, schema_version: 9 }),
    ]
    const path = put('many.ndjson', lines.join('\r\n'))
    const { code, stdout, stderr } = await ersImport([...into(way), path])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^imported 2, already there 0, refused 2, failed 0 in /)
    expect(stderr.trim().split('\n').sort()).toEqual([
      expect.stringContaining(`${path}:3: ${refusal(400, 'bad_request')} `) as string,
      expect.stringContaining(`${path}:5: ${refusal(422, 'unprocessable')} `) as string,
    ])
  })

  it('imports a large document, finds it the next time, and refuses another one with its id', async () => {
    // In a store: more than is prepared outside of the thread that writes.
    const size = (isService(way) ? 1 : 17) * 1024 * 1024
    const large = (words: string) =>
      JSON.stringify({
        ...SAMPLE,
        run_id: id('large'),
        config_snapshot: { words: words.repeat(size / words.length) },
      })
    const path = put('large.json', large('a word '))
    expect((await ersImport([...into(way), path])).stdout).toMatch(/^imported 1, already there 0, /)
    expect((await ersImport([...into(way), path])).stdout).toMatch(/^imported 0, already there 1, /)
    const other = await ersImport([...into(way), put('other.json', large('another '))])
    expect(other.stdout).toMatch(/^imported 0, already there 0, refused 1, /)
    expect(other.stderr).toContain(`${refusal(409, 'conflict')} another run exists under this id`)
  })

  it('skips a byte order mark in a gzipped document, and says how many cases are hidden', async () => {
    put('a.json.gz', gzipSync(`\uFEFF${aDocument(id('marked'))}`))
    const twice = { ...SAMPLE, run_id: id('twice'), cases: [...SAMPLE.cases, SAMPLE.cases[0]] }
    const path = put('b.json', JSON.stringify(twice))
    const { code, stdout, stderr } = await ersImport([...into(way), folder])
    expect([code, stderr]).toEqual([0, `${path}: 1 case is not shown: same key\n`])
    expect(stdout).toContain('imported 2,')
  })
})

describe('an import', () => {
  const intoState = (...args: readonly string[]) => ersImport([...into('into a state directory'), ...args])

  it('writes a line for each run into a report: its id, or why it was refused', async () => {
    const lines = [aDocument('r1'), '{"run_id": 7}'].join('\n')
    const [runs, report] = [put('runs.ndjson', lines), join(folder, 'report.jsonl')]
    expect((await intoState(runs, '--from', 'ers', '--report', report)).code).toBe(1)
    const entries = readFileSync(report, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(entries).toEqual([
      expect.objectContaining({
        path: runs,
        part: 1,
        format: 'ers',
        outcome: 'imported',
        run_id: 'r1',
        reason: null,
      }),
      expect.objectContaining({ path: runs, part: 2, format: 'ers', outcome: 'refused', run_id: null }),
    ])
    expect((await intoState(runs, '--report', join(folder, 'missing', 'r'))).code).toBe(2)
    expect((await intoState(runs, '--from', 'none')).code).toBe(2)
  })

  it('continues after a bad file', async () => {
    put('a.json', 'no document')
    put('b.json.gz', 'no gzip')
    put('c.jsonl.gz', gzipSync(`${aDocument('c1')}\n${aDocument('c2')}\n`).subarray(0, -12))
    put('d.json', '')
    put('e.json', aDocument('e'))
    put('f.json', JSON.stringify({ ...SAMPLE, run_id: 'e', note: 'other', suite: 'other' }))
    const note = put('note.txt', 'hello')
    const { code, stdout, stderr } = await intoState(folder, note, '--concurrency', '1')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^imported [1-3], already there 0, refused 6, failed 0 in /)
    expect(stderr).toContain(`${note}: refused a text in an unknown format`)
    expect(stderr).toContain(`c.jsonl.gz: refused not valid gzip data`)
    expect(stderr).toContain(`f.json: conflict `)
  })

  it('refuses a line that is too long without buffering it, and continues', async () => {
    const path = join(folder, 'long.ndjson')
    const file = createWriteStream(path)
    file.write(`${aDocument('before')}\n`)
    for (let i = 0; i < 65; i++) file.write(Buffer.alloc(1024 * 1024, 'x'))
    await new Promise<void>((resolve) => file.end(`\n${aDocument('after')}\n`, resolve))
    const { code, stdout, stderr } = await intoState(path)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${path}:2: refused larger than 67108864 bytes\n` })
    expect(stdout).toMatch(/^imported 2, already there 0, refused 1,/)
  })

  it('skips documents in the journal, and retries refused ones', async () => {
    const path = put('many.ndjson', [aDocument('j1'), 'bad', aDocument('j3')].join('\n'))
    const journal = join(folder, 'journal')
    const counts = async () => JSON.parse((await intoState(path, '--resume', journal, '--json')).stdout) as object
    expect(await counts()).toMatchObject({ imported: 2, refused: 1, skipped: 0 })
    expect(await counts()).toMatchObject({ imported: 0, already_there: 0, refused: 1, skipped: 2 })
  })

  it('ends without failures on an interrupt, and the next import resumes it', async () => {
    // The first line is refused; its report shows that the import is running.
    const lines = ['bad', ...Array.from({ length: 600 }, (_, i) => aDocument(`i${i}`))]
    const path = put('many.ndjson', lines.join('\n'))
    const args = [path, '--resume', join(folder, 'journal'), '--json']
    const first = await ersImport(args, { onOutput: (interrupt) => interrupt() })
    expect(first.code).toBe(130)
    const before = JSON.parse(first.stdout) as { imported: number; failed: number }
    expect(before.failed).toBe(0)
    expect(before.imported).toBeLessThan(600)
    const second = await ersImport(args)
    expect(JSON.parse(second.stdout)).toMatchObject({
      imported: 600 - before.imported,
      already_there: 0,
      skipped: before.imported,
      refused: 1,
    })
  })
})

describe('an import that cannot start', () => {
  it('reports it with exit code 2', async () => {
    const path = put('a.json', aDocument('usage'))
    mkdirSync(join(folder, 'empty'))
    expect(await ersImport([join(folder, 'nowhere'), path])).toMatchObject({
      code: 2,
      stderr: `${join(folder, 'nowhere')}: no such file or folder\n`,
    })
    expect(await ersImport([join(folder, 'empty')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to import') as string,
    })
    expect((await ersImport([])).code).toBe(2)
    expect((await ersImport([path, '--concurrency', '0'])).code).toBe(2)
    expect((await ersImport([path, '--server', server.url, '--data-dir', folder])).code).toBe(2)
    expect(await ersImport([path, '--server', 'nonsense'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be a URL') as string,
    })
    expect((await ersImport(['--help'])).code).toBe(0)
  })

  it('stops at an unknown token or one without the scope', async () => {
    const path = put('a.json', aDocument('weak'))
    expect(await ersImport([path], { env: { SERVICE_TOKEN: 'unknown' } })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/: 401 .*SERVICE_TOKEN/) as string,
    })
    expect(await ersImport([path], { env: { SERVICE_TOKEN: 'spec-read-token' } })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/: 403 /) as string,
    })
  })

  it('does not change a state directory that a server uses', async () => {
    const path = put('a.json', aDocument('taken'))
    expect(await ersImport([path, '--data-dir', server.dataDir])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('is in use by process') as string,
    })
  })
})
