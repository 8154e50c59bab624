import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { SAMPLES, countsOf, importBytes, importFiles, lossesOf } from '../support/interchange/import-files.ts'

const MARK = Buffer.from('\ufeff')
const TEXT = /\.(?:json|jsonl|csv|xml|ya?ml)$/i

/** The folders of samples with the text files in them. */
const FOLDERS = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' })
  .map((name) => ({ name, files: textFiles(join(SAMPLES, name)) }))
  .filter(({ files }) => files.length > 0)

function textFiles(folder: string): readonly string[] {
  return statSync(folder).isDirectory() ? readdirSync(folder).filter((name) => TEXT.test(name)) : []
}

const createdAt = '2026-01-01T00:00:00Z'

describe('a byte order mark at the beginning of a file', () => {
  // The samples of Every Eval Ever have a checksum, so that a mark makes them another file.
  it.each(FOLDERS.filter(({ name }) => name !== 'every-eval-ever'))(
    'changes nothing in the samples of $name',
    async ({ name, files }) => {
      const contents = Object.fromEntries(files.map((file) => [file, readFileSync(join(SAMPLES, name, file))]))
      const marked = Object.fromEntries(
        Object.entries(contents).map(([file, content], index) => {
          const bytes = Buffer.concat([MARK, content])
          return [index % 2 === 0 ? file : `${file}.gz`, index % 2 === 0 ? bytes : gzipSync(bytes)]
        }),
      )
      const [before, after] = [await importFiles(contents, { createdAt }), await importFiles(marked, { createdAt })]
      expect(countsOf(after).toSorted()).toEqual(countsOf(before).toSorted())
      const notes = (results: typeof before) =>
        lossesOf(results).map(({ kind, path, count }) => `${kind} ${path} ${count}`)
      expect(notes(after).toSorted()).toEqual(notes(before).toSorted())
    },
  )

  const map =
    '\ufeffformat: jsonl\ncase: { test: { column: id } }\nasserts: { columns: [score] }\nrun: { suite: { const: s } }\n'

  it('loses no row of JSON lines, also where files were put together, and is no part of a map', async () => {
    const part = '\ufeff{"id":1,"score":1}\n{"id":2,"score":0}\n'
    const [result] = await importBytes('t.jsonl', part + part.replaceAll('"id":', '"id":1'), {
      map,
      createdAt,
      from: 'table',
    })
    expect(countsOf([result!])).toEqual(['2 / 2 / 0 / 0'])
    expect(result!.document!.cases.map(({ cell }) => cell.test_id)).toEqual(['1', '2', '11', '12'])
    expect(lossesOf([result!]).filter(({ kind }) => kind !== 'assumed')).toEqual([])
  })

  it('is no part of the first column of a CSV file', async () => {
    const csv = map.replace('jsonl', 'csv')
    const [result] = await importBytes('t.csv', '\ufeffid,score\n1,1\n2,0\n', { map: csv, createdAt, from: 'table' })
    expect(countsOf([result!])).toEqual(['1 / 1 / 0 / 0'])
  })
})
