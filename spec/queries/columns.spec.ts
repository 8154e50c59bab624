import { expect, it } from 'vitest'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { RunRow } from '../../domain/run/run-columns.ts'
import { columnList } from '../../queries/columns.ts'
import { openApp } from '../support/servers/app.ts'
import { theExample } from '../support/documents/documents.ts'

it.each([
  ['runs', RunRow],
  ['cases', CaseRow],
] as const)('names every column of the table %s once', async (table, row) => {
  const spec = await openApp()
  await spec.ingest(theExample())
  const [stored] = await spec.rows(`SELECT * FROM ${table}`)
  expect(row.keyof().options.toSorted()).toEqual(Object.keys(stored ?? {}).sort())
  await spec.close()
})

it('lists the columns of a schema in its order, with their table', () =>
  expect(columnList('cases', CaseRow.pick({ n: true, case_key: true }))).toMatchObject({
    sql: '"cases"."n", "cases"."case_key"',
  }))
