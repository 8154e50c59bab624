import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { importFile, lossesOf, SAMPLES } from '../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

it.each(['ragas/evaluate.csv', 'phoenix/base.csv'])('no field of %s is lost in silence', async (name) => {
  const path = join(SAMPLES, name)
  const results = await importFile(path)
  // A field that is written as a number is one.
  const cast = (field: string): string | number => (/^-?\d+(?:\.\d+)?$/.test(field) ? Number(field) : field)
  const rows: unknown = parse(readFileSync(path), { columns: true, cast })
  const documents = results.flatMap(({ document }) => (document ? [document.bytes] : []))
  expect(documents).toHaveLength(1)
  expect(missingLeaves(leavesOf(rows), documents, lossesOf(results))).toEqual([])
})
