import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aDocument } from '../../support/documents/documents.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

const PROMPTFOO = join(SAMPLES, 'promptfoo')
const CAPITALS = join(PROMPTFOO, 'v3-capitals.json')
let folder: string
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-import-other-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Writes a sample as another evaluation, with another first answer if there is one. Returns the path. */
const evaluation = (id: string, answer: string | null, name: string): string => {
  const text = readFileSync(CAPITALS, 'utf8').replace(/"evalId":\s*"[^"]*"/, `"evalId": "${id}"`)
  const path = join(folder, name)
  writeFileSync(path, answer === null ? text : text.replace('Paris is the capital of France.', answer))
  return path
}
const server = await startServer()

describe.each(['over HTTP', 'into a state directory'])('importing results of other tools %s', (way) => {
  const into = () => (way === 'over HTTP' ? [] : ['--data-dir', join(folder, '.state')])
  const ers = (...args: string[]) =>
    runErs(['import', ...into(), ...args], {
      cwd: folder,
      env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token },
    })

  it('imports each run once, whatever its file is called', async () => {
    const first = await ers(CAPITALS, '--project', way)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^imported 1, already there 0, refused 0, failed 0 \(promptfoo 1\) in /)
    const copy = join(folder, 'copy.json')
    cpSync(CAPITALS, copy)
    utimesSync(copy, 1_000_000, 1_000_000)
    expect((await ers(copy)).stdout).toMatch(/^imported 0, already there 1, refused 0, failed 0 \(promptfoo 1\) in /)
    expect((await ers(copy, '--verify', '--project', way)).stdout).toMatch(/^imported 0, already there 1,/)
  })

  it('reports a run that is stored with other content, and replaces it or adds another only if asked', async () => {
    await ers(evaluation('changed', null, 'original.json'))
    const path = evaluation('changed', 'Paris, of course.', 'changed.json')
    expect(await ers(path)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^imported 0, already there 0, changed 1, refused 0/) as string,
      stderr: `${path}: changed of 48 cases: 1 with other content; nothing was written (--replace or --as-new)\n`,
    })
    expect((await ers(path, '--as-new')).stdout).toMatch(/^imported 1,/)
    expect((await ers(path, '--as-new')).stdout).toMatch(/^imported 0, already there 1,/)
    expect((await ers(path, '--replace')).stdout).toMatch(/^imported 1,/)
  })
})

describe('importing results of other tools', () => {
  const ers = (...args: string[]) => runErs(['import', '--data-dir', '.state', ...args], { cwd: folder })

  it('decides again with other options, and only if asked', async () => {
    const row = (n: number, value: number) => ({
      ...{
        id: `i${n}`,
        startTime: '2026-03-02T09:00:01Z',
        endTime: '2026-03-02T09:00:02Z',
        experimentId: 'judged',
      },
      ...{ experimentItemId: `item-${n}`, input: { n }, output: 'o' },
      scores: [{ id: `s${n}`, name: 'judge', dataType: 'NUMERIC', value }],
    })
    const path = join(folder, 'items.jsonl')
    writeFileSync(path, [row(0, 5), row(1, 1), row(2, 4)].map((line) => JSON.stringify(line)).join('\n'))
    const statuses = async (...args: string[]) => {
      await ers(path, ...args, '--report', join(folder, 'report.ndjson'))
      const { outcome, statuses: found } = JSON.parse(readFileSync(join(folder, 'report.ndjson'), 'utf8')) as {
        outcome: string
        statuses: object | null
      }
      return { outcome, ...found }
    }
    const first = await ers(path, '--resume', join(folder, 'journal'))
    expect(first.stdout).toContain(
      "score judge: 1 to 5 in 3 values, not from 0 to 1: decides nothing. What is its range? --score 'judge=MIN..MAX'",
    )
    const graded = ['--score', 'judge=1..5', '--pass-threshold', 'judge=4']
    expect(await statuses()).toEqual({ outcome: 'already_there' })
    expect(await statuses('--resume', join(folder, 'journal'))).toEqual({ outcome: 'skipped' })
    expect(await statuses(...graded, '--resume', join(folder, 'journal'))).toEqual({
      outcome: 'changed',
      pass: 2,
      fail: 1,
    })
    expect(await statuses(...graded, '--replace')).toEqual({ outcome: 'imported', pass: 2, fail: 1 })
    expect(await statuses(...graded)).toEqual({ outcome: 'already_there' })
    expect(await statuses('--lower-is-better', 'judge', ...graded, '--as-new')).toEqual({
      outcome: 'imported',
      pass: 2,
      fail: 1,
    })
    expect(await statuses('--score', 'judge=1..5', '--scorer', 'judge', '--pass-threshold', '5')).toEqual({
      outcome: 'changed',
      pass: 1,
      fail: 2,
    })
    expect(await statuses()).toEqual({ outcome: 'changed', skip: 3 })
  })

  it('imports two files that hold the same run one after the other', async () => {
    for (const name of ['a.json', 'b.json', 'c.json']) evaluation('twice', null, name)
    const { code, stdout } = await ers(folder, '--report', join(folder, 'report.ndjson'))
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^imported 1, already there 2, refused 0/) as string,
    })
    const lines = readFileSync(join(folder, 'report.ndjson'), 'utf8').trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { outcome: string }).outcome).sort()).toEqual([
      'already_there',
      'already_there',
      'imported',
    ])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ format: 'promptfoo', identity: 'twice', part: null })
  })

  it('skips what the journal lists, and passes over other times', async () => {
    const journal = join(folder, 'journal')
    await ers(CAPITALS, '--resume', journal)
    expect((await ers(CAPITALS, '--resume', journal, '--json')).stdout).toContain('"skipped":1')
    expect((await ers(CAPITALS, '--since', '2030-01-01', '--verify')).stdout).toMatch(
      /skipped 1 outside of --since and --until/,
    )
    expect((await ers(CAPITALS, '--until', '2030-01-01', '--verify')).stdout).not.toMatch(/outside of/)
  })
})

it('an import that is killed continues after what its journal lists, and stores each run once', async () => {
  const journal = join(folder, 'journal')
  mkdirSync(join(folder, 'many'))
  for (let n = 0; n < 40; n++) evaluation(`killed ${n}`, null, join('many', `${n}.json`))
  const place = { cwd: folder, env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token } }
  const args = ['import', join(folder, 'many'), '--resume', journal, '--project', 'killed', '--json']
  const finished = (): number => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0)
  const killed = await runErs(args, {
    ...place,
    started: (child) => {
      const timer = setInterval(() => {
        if (finished() < 5) return
        clearInterval(timer)
        child.kill('SIGKILL')
      }, 1)
      child.once('exit', () => clearInterval(timer))
    },
  })
  expect(killed.code).toBe(null)
  const { stdout, code } = await runErs(args, place)
  const counts = JSON.parse(stdout) as { imported: number; already_there: number; skipped: number }
  expect({ code, all: counts.imported + counts.already_there + counts.skipped }).toEqual({ code: 0, all: 40 })
  expect(counts.skipped).toBeGreaterThanOrEqual(5)
  const answer = await fetch(`${server.url}/api/v1/runs?project=killed&limit=100`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  expect(((await answer.json()) as { runs: unknown[] }).runs).toHaveLength(40)
})

describe('a dry run', () => {
  // Nothing listens there.
  const ers = (...args: string[]) =>
    runErs(['import', ...args], { cwd: folder, env: { SERVICE_SERVER_URL: 'http://127.0.0.1:9' } })

  it('needs no server and no token, and shows what an import would do', async () => {
    const { code, stdout, stderr } = await ers('--dry-run', CAPITALS)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^dry run: would import 1, already there 0, refused 0, failed 0 \(promptfoo 1\) in /)
    expect(stdout).toContain('pass 24')
    expect(stdout).toContain('from 2026-11-22T')
    expect(stdout).toMatch(/largest document [\d.]+ KiB/)
  })

  it('counts a run that is in several files as an import does', async () => {
    const text = readFileSync(CAPITALS, 'utf8')
    const own = aDocument()
    const files = {
      'a.json': text,
      'b-same-bytes.json': text,
      'c-other-bytes.json': JSON.stringify(JSON.parse(text), null, 1),
      'd-other-cases.json': text.replace('Paris is the capital of France.', 'Paris, of course.'),
      'own.json': JSON.stringify(own),
      'own-other-bytes.json': JSON.stringify(own, null, 1),
      'own-other-content.json': JSON.stringify({ ...own, suite: 'another' }),
      'own-lines.ndjson': `${JSON.stringify(own)}\n${JSON.stringify({ ...own, run_id: 'another' })}\n`,
    }
    mkdirSync(join(folder, 'runs'))
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'runs', name), content)
    const resultOf = async (...args: string[]) => {
      const { code, stdout, stderr } = await ers(
        'runs',
        '--json',
        '--report',
        'report.ndjson',
        '--concurrency',
        '1',
        ...args,
      )
      const { seconds: _, ...counts } = JSON.parse(stdout) as Record<string, number>
      const lines = readFileSync(join(folder, 'report.ndjson'), 'utf8').trim().split('\n')
      return { code, counts, errors: stderr.split('\n').sort(), lines: lines.map((line) => JSON.parse(line) as object) }
    }
    const dry = await resultOf('--dry-run')
    expect(dry).toMatchObject({ code: 1, counts: { imported: 3, already_there: 4, changed: 1, refused: 1 } })
    expect(await resultOf('--data-dir', '.state', '--evidence', 'none')).toEqual(dry)
  })

  it('refuses options that would write', async () => {
    expect((await ers('--dry-run', CAPITALS, '--replace')).code).toBe(2)
    expect((await ers('--from', 'nope', CAPITALS)).stderr).toContain('Allowed choices')
    expect((await ers('--pass-threshold', 'high', CAPITALS)).stderr).toContain('must be a number, or NAME=X')
    for (const range of ['judge', 'judge=5..1', 'judge=1-5', '=1..5'])
      expect((await ers('--score', range, CAPITALS)).stderr).toContain('must be NAME=MIN..MAX')
    expect((await ers('--time-zone', 'Mars', CAPITALS)).stderr).toContain('IANA time zone')
  })

  it('only counts files of unknown tools in a folder, and refuses a named one', async () => {
    writeFileSync(join(folder, 'package.json'), '{"name":"x"}')
    cpSync(CAPITALS, join(folder, 'a.json'))
    const inFolder = await ers('--dry-run', folder)
    expect(inFolder).toMatchObject({ code: 0, stderr: '' })
    expect(inFolder.stdout).toContain('1 file in an unknown format')
    const named = await ers('--dry-run', join(folder, 'package.json'))
    expect(named).toMatchObject({ code: 1 })
    expect(named.stderr).toContain('JSON of an unknown tool, with the keys name')
  })

  it('ends with 1 if no file of a folder is of a known format, and says what the files are', async () => {
    writeFileSync(join(folder, 'package.json'), '{"name":"x"}')
    writeFileSync(join(folder, 'notes.yaml'), 'a: 1\n')
    const { code, stdout, stderr } = await ers('--dry-run', folder)
    expect(code).toBe(1)
    expect(stdout).toContain('2 files in an unknown format')
    expect(stderr).toContain('package.json: refused JSON of an unknown tool, with the keys name')
    expect(stderr).toContain('notes.yaml: refused a text in an unknown format')
  })

  it('imports what begins with a schema_version, but is of another tool', async () => {
    const { code, stdout } = await ers('--dry-run', join(SAMPLES, 'every-eval-ever'))
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^dry run: would import 1, .*\(every-eval-ever 1\)/) as string,
    })
  })

  describe('of a table', () => {
    const rows = 'question,model,correct\nWhat is 1+1?,m,yes\nWhat is 2+2?,m,no\nAnd 3?,m,yes\nAnd 4?,m,yes\n'
    beforeEach(() => writeFileSync(join(folder, 'table.csv'), rows))

    it('prints a guessed map and three cases if no map is given, and ends with 2', async () => {
      const { code, stdout, stderr } = await ers('--dry-run', 'table.csv')
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: 'table.csv: refused a text in an unknown format; if it is a table, describe it with --map\n',
      })
      expect(stdout.split('\n').filter((line) => line.startsWith('# {"cell"'))).toHaveLength(3)
      writeFileSync(join(folder, 'map.yaml'), stdout.split('\ndry run:')[0] ?? '')
      const mapped = await ers('--dry-run', 'table.csv', '--map', 'map.yaml')
      expect(mapped).toMatchObject({ code: 0, stdout: expect.stringContaining('pass 3, fail 1') as string })
    })

    it('has the guess in its JSON as well, and does not guess for files of a folder', async () => {
      const named = await ers('--dry-run', '--json', '--from', 'table', 'table.csv')
      expect(JSON.parse(named.stdout)).toMatchObject({
        refused: 1,
        guesses: [{ path: 'table.csv', cases: [{}, {}, {}] }],
      })
      expect(await ers('--dry-run', '--json', '.')).toMatchObject({
        code: 1,
        stdout: expect.not.stringContaining('guesses') as string,
      })
    })

    it('guesses nothing where no column has results', async () => {
      writeFileSync(join(folder, 'other.csv'), 'a,b\nx,y\nz,w\n')
      expect(await ers('--dry-run', 'other.csv')).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^dry run/) as string,
      })
    })
  })
})

it('import promptfoo FILE remains a name of convert promptfoo while no path is named promptfoo', async () => {
  writeFileSync(join(folder, 'config.yaml'), 'prompts: [hi]\nproviders: [echo]\ntests: [{ vars: { a: b } }]\n')
  const ers = (...args: string[]) => runErs([...args], { cwd: folder, env: {} })
  const converted = await ers('convert', 'promptfoo', 'config.yaml')
  expect(converted).toMatchObject({ code: 0, stdout: expect.stringContaining('yaml-language-server') as string })
  expect(await ers('import', 'promptfoo', 'config.yaml')).toEqual(converted)
  writeFileSync(join(folder, 'promptfoo'), readFileSync(CAPITALS))
  const imported = await ers('import', 'promptfoo', 'config.yaml', '--dry-run')
  expect(imported).toMatchObject({ code: 1, stdout: expect.stringMatching(/^dry run: would import 1,/) as string })
})
