import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatOf, listRunFiles } from '../../../cli/import/run-files.ts'
import { UserError } from '../../../maintenance/user-error.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-files-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const put = (...paths: string[]) => {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), '{}')
  }
}
const found = (...paths: string[]) =>
  listRunFiles(paths.map((path) => join(folder, path))).files.map(({ path }) => relative(folder, path))

it('formatOf distinguishes a document from lines of documents, gzipped or not', () => {
  expect(formatOf('a.json')).toEqual({ lines: false, gzip: false })
  expect(formatOf('a.b.JSON.gz')).toEqual({ lines: false, gzip: true })
  expect(formatOf('a.ndjson')).toEqual({ lines: true, gzip: false })
  expect(formatOf('a.jsonl.gz')).toEqual({ lines: true, gzip: true })
  expect(['a.txt', 'json', 'a.gz', 'a.json.bak'].map(formatOf)).toEqual([null, null, null, null])
})

describe('listRunFiles', () => {
  it('walks folders in sorted order, without hidden entries and other names', () => {
    put('b.json', 'a/z.json.gz', 'a/b.jsonl', 'a.json', 'note.txt', '.hidden.json', '.git/x.json')
    expect(found('.')).toEqual(['a/b.jsonl', 'a/z.json.gz', 'a.json', 'b.json'])
  })

  it('lists nothing twice, and ends on circular links', () => {
    put('a/run.json')
    symlinkSync('..', join(folder, 'a/up'))
    symlinkSync('a', join(folder, 'same'))
    symlinkSync('a/run.json', join(folder, 'latest.json'))
    expect(found('.', 'a', 'a/run.json')).toEqual(['a/run.json'])
  })

  it('follows a link out of the folder', () => {
    put('in/a.json', 'out/b.json')
    symlinkSync('../out', join(folder, 'in/link'))
    expect(found('in')).toEqual(['in/a.json', 'in/link/b.json'])
  })

  it('lists a hidden file that is named', () => {
    put('.run.json')
    expect(found('.run.json')).toEqual(['.run.json'])
  })

  it('lists a named file whatever its name is', () => {
    put('a.json', 'a.txt')
    expect(found('a.txt', 'a.json')).toEqual(['a.txt', 'a.json'])
  })

  it('reports a broken link and continues', () => {
    put('z.json')
    symlinkSync('nowhere', join(folder, 'a.json'))
    const { files, problems } = listRunFiles([folder])
    expect(files).toHaveLength(1)
    expect(problems).toMatchObject([{ path: join(folder, 'a.json'), status: 'failed' }])
  })

  it('throws if named paths are missing, and names them all', () => {
    put('a.json')
    expect(() => listRunFiles([join(folder, 'no'), join(folder, 'a.json'), join(folder, 'nor')])).toThrow(UserError)
    expect(() => found('no', 'a.json', 'nor')).toThrow(/no: no such file.*\n.*nor: no such file/)
  })
})
