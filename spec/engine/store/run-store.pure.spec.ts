import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DOCUMENT_SCHEMA } from '../../../domain/run/document.ts'
import { HarnessError } from '../../../engine/json.ts'
import { inOrder, parseRun, runText } from '../../../engine/store/run-file.ts'
import { runStore, runsDirectory } from '../../../engine/store/run-store.ts'
import { partFile } from '../../../domain/evidence/run-folder.ts'
import { digestOf, manifestOf } from '../../support/documents/parts.ts'
import { COMPLETE_CASE, COMPLETE_RUN } from '../../support/documents/complete-run.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

const [OLD, MIDDLE, NEW] = [
  '01K2ZQ7C8V4T9E6M3B5N1R0WXA',
  '01K2ZR7C8V4T9E6M3B5N1R0WXA',
  '01K2ZS7C8V4T9E6M3B5N1R0WXA',
] as const

let directory: string
let warnings: string[]
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'ers-runs-')), 'runs')
  warnings = []
})
afterEach(() => rmSync(join(directory, '..'), { recursive: true }))

const store = (writer = '7') => runStore({ directory, writer, warn: (message) => void warnings.push(message) })
const run = (id: string) => engineRun(id, [engineCase('a'), engineCase('b', { status: 'fail' })])
const listed = async () => (await Array.fromAsync(store().list())).map(({ id }) => id)

it('runsDirectory is in the folder of the shell, or where SERVICE_RUNS_DIR says', () => {
  expect(runsDirectory({}, '/shell-folder')).toBe('/shell-folder/.service/runs')
  expect(runsDirectory({ SERVICE_RUNS_DIR: '' }, '/shell-folder')).toBe('/shell-folder/.service/runs')
  expect(runsDirectory({ SERVICE_RUNS_DIR: 'elsewhere' }, '/shell-folder')).toBe('/shell-folder/elsewhere')
})

describe('runStore', () => {
  it('stores a run pretty printed, with a pointer to the latest one, and no other file', async () => {
    expect(await store().write(run(OLD))).toBe(join(directory, OLD, 'result.json'))
    await store().write(run(NEW))
    expect(readFileSync(join(directory, OLD, 'result.json'), 'utf8')).toBe(`${JSON.stringify(run(OLD), null, 2)}\n`)
    expect(readFileSync(join(directory, 'latest'), 'utf8')).toBe(`${NEW}\n`)
    expect(readdirSync(directory, { recursive: true }).sort()).toEqual(
      [OLD, `${OLD}/result.json`, NEW, `${NEW}/result.json`, 'latest'].sort(),
    )
    expect(await store().read(OLD)).toEqual(run(OLD))
  })

  it('gives the parts back if it cannot store the run', async () => {
    const bytes = Buffer.from('a part')
    const from = join(directory, '.parts-x')
    const manifest = manifestOf([{ bytes, role: 'output', case_key: 'c', name: 'a' }])
    const file = partFile(digestOf(bytes))
    mkdirSync(join(from, file, '..'), { recursive: true })
    writeFileSync(join(from, file), bytes)
    mkdirSync(join(directory, OLD, 'result.json'), { recursive: true })
    await expect(store().write(run(OLD), { manifest, directory: from })).rejects.toThrow(HarnessError)
    expect(readFileSync(join(from, file))).toEqual(bytes)
    expect(readFileSync(join(from, 'manifest-0.json'))).toEqual(manifest)
  })

  it('stores an interrupted run with a mark, and never as the latest one', async () => {
    await store().writePartial(run(NEW))
    expect(await store().latestId()).toBeNull()
    await store().write(run(OLD))
    expect(await store().latestId()).toBe(OLD)
    rmSync(join(directory, 'latest'))
    expect(await store().latestId()).toBe(OLD)
    expect((await Array.fromAsync(store().list())).map(({ id, isPartial }) => [id, isPartial])).toEqual([
      [NEW, true],
      [OLD, false],
    ])
    expect(await store().read(NEW)).toEqual(run(NEW))
  })

  it('marks an interrupted run before it writes its document: without its mark it is never found', async () => {
    mkdirSync(join(directory, NEW, 'result.json', 'in the way'), { recursive: true })
    await expect(store().writePartial(run(NEW))).rejects.toThrow(/result\.json cannot be written: /)
    expect(readdirSync(join(directory, NEW)).sort()).toEqual(['partial', 'result.json'])
  })

  it('writes a run again without making it the latest one', async () => {
    await store().write(run(OLD))
    await store().write(run(NEW))
    await store().rewrite({ ...run(OLD), share_url: 'https://results.example/runs/1' })
    expect(await store().latestId()).toBe(NEW)
    expect((await store().read(OLD))?.share_url).toBe('https://results.example/runs/1')
  })

  it('skips the unfinished file of an earlier process with its id', async () => {
    mkdirSync(join(directory, OLD), { recursive: true })
    writeFileSync(join(directory, OLD, 'result.json.tmp-7-1'), '{')
    await store().write(run(OLD))
    expect(await store().read(OLD)).toEqual(run(OLD))
    expect(readFileSync(join(directory, OLD, 'result.json.tmp-7-1'), 'utf8')).toBe('{')
  })

  it('removes an unfinished file, and reports where a run cannot be written', async () => {
    mkdirSync(join(directory, OLD, 'result.json', 'in the way'), { recursive: true })
    await expect(store().write(run(OLD))).rejects.toThrow(HarnessError)
    await expect(store().write(run(OLD))).rejects.toThrow(/result\.json cannot be written: /)
    expect(readdirSync(join(directory, OLD))).toEqual(['result.json'])
  })

  it.each(['../up', 'a/b', 'a\\b', '.hidden', '', '..'])('stores no run with the id %j', async (id) => {
    await expect(store().write(run(id))).rejects.toThrow('cannot be the name of a folder')
    expect(await store().find(id)).toBeNull()
  })

  it('lists runs by the time of their id, or of their file, newest first', async () => {
    for (const id of [MIDDLE, OLD, NEW, 'later', 'earlier']) await store().write(run(id))
    utimesSync(join(directory, 'later', 'result.json'), 4e9, 4e9)
    utimesSync(join(directory, 'earlier', 'result.json'), 1, 1)
    expect(await listed()).toEqual(['later', NEW, MIDDLE, OLD, 'earlier'])
  })

  it('skips corrupt files with a warning', async () => {
    await store().write(run(OLD))
    await store().write(run(NEW))
    writeFileSync(join(directory, NEW, 'result.json'), '{"schema_version": 3,')
    writeFileSync(join(directory, 'a file'), '')
    expect(await listed()).toEqual([OLD])
    expect(await store().read(NEW)).toBeNull()
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(/result\.json is skipped: invalid JSON/)
  })

  it('finds the newest run where the pointer dangles, and none in a folder that is not there', async () => {
    expect(await store().latestId()).toBeNull()
    expect(await listed()).toEqual([])
    await store().write(run(NEW))
    await store().write(run(OLD))
    writeFileSync(join(directory, 'latest'), 'gone\n')
    expect(await store().latestId()).toBe(NEW)
  })
})

describe('parseRun', () => {
  it('reads what was written, gzipped or not, with every number as it is', () => {
    const text = runText(run(OLD)).replace('"an answer to a"', '{"id": 9007199254740993}')
    expect(runText(parseRun(Buffer.from(text)))).toBe(
      JSON.stringify(JSON.parse(text), null, 2).replace('9007199254740992', '9007199254740993') + '\n',
    )
    expect(parseRun(gzipSync(text)).run_id).toBe(OLD)
  })

  it('keeps every member of a document, in the order in which documents are written', () => {
    const text = runText(COMPLETE_RUN)
    expect(JSON.parse(text)).toEqual(COMPLETE_RUN)
    expect(runText(parseRun(Buffer.from(text)))).toBe(text)
    // The service reads these members of a run and of a case, and drops all others.
    expect(Object.keys(COMPLETE_RUN).sort()).toEqual(
      Object.keys({ ...DOCUMENT_SCHEMA.run.properties, cases: [] }).sort(),
    )
    expect(Object.keys(COMPLETE_CASE).sort()).toEqual(Object.keys(DOCUMENT_SCHEMA.case.properties ?? {}).sort())
    const unknown = { ...COMPLETE_RUN, other: 1, cases: [{ ...COMPLETE_CASE, other: 1 }] }
    expect(runText(parseRun(Buffer.from(JSON.stringify(unknown))))).toBe(text)
  })

  it('writes members without a place of their own after all others', () =>
    expect(Object.entries(inOrder({ c: 3, b: 2, a: 1, d: undefined }, ['a', 'b', 'd', 'e']))).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]))

  it('rejects what is no run document', () => {
    expect(() => parseRun(Buffer.from('[]'))).toThrow('missing schema_version')
    expect(() => parseRun(Buffer.from(runText(run(OLD)).replace('"status": "pass"', '"status": "good"')))).toThrow(
      'cases[0].status',
    )
  })
})
