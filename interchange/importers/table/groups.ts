import { createHash } from 'node:crypto'
import type { ImportOptions } from '../../document/import-options.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { storedJson } from '../../read/rows/records.ts'
import { openRowStore, sizeLimit, type StoredRow } from '../../read/rows/row-store.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { SourceRun } from '../importer.ts'
import { cellOf, isLong } from './cases.ts'
import { headCollector } from './head.ts'
import type { TableMap } from './map.ts'
import { leaveOut, tableRows, type TableRow } from './rows.ts'
import { tableCases } from './table-cases.ts'
import { BadRow, rowValues } from './values.ts'

/**
 * Reads the runs of a table whose rows have to be brought together: of one run, or of one case. They are put on disk
 * first, so that memory does not grow with the file; the temporary file is deleted at the end, also after an error.
 */
export const groupRows = async function* (
  file: SourceFile,
  map: TableMap,
  stamp: string,
  content: string,
  options: ImportOptions,
): AsyncGenerator<SourceRun> {
  using store = openRowStore()
  const reading = newLosses()
  for await (const row of tableRows(file, map, reading)) {
    const placed = groupPlace(map, row, reading)
    if (placed !== null) store.add(placed.run, placed.cell, row.number, JSON.stringify(row.values))
  }
  const together = store.stoodTogether()
  const runs = store.runs()
  for (const key of runs) {
    const { by, id } = JSON.parse(key) as { readonly by: readonly (string | null)[]; readonly id: string | null }
    let head = headCollector(map, options, newLosses())
    const isOnly = runs.length === 1 && by.length === 0
    yield {
      part: isOnly && id === null ? null : [id, ...by].filter((value) => value !== null).join(' / '),
      identity: id ?? (isOnly ? content : rowsHash(store.rowsOf(key))),
      stamp,
      cases: (losses) => {
        head = headCollector(map, options, losses)
        if (!together)
          losses.addBytes('changed', '(order)', 0, 'rows of one run or case did not follow each other: sorted')
        losses.addAll(reading.all())
        return tableCases(map, groupsOf(store.rowsOf(key)), losses, head.add)
      },
      head: () => head.head(file),
    }
  }
}

/** The run and the cell that a row belongs to; null if it names no test. */
const groupPlace = (
  map: TableMap,
  row: TableRow,
  losses: Losses,
): { readonly run: string; readonly cell: string } | null => {
  const values = rowValues(row.values)
  const run = JSON.stringify({
    by: (map.run?.by ?? []).map((column) => values.text(column)),
    id: map.run?.id ? values.text(map.run.id.column) : null,
  })
  // Rows of a wide table are cases by themselves.
  if (!isLong(map)) return { run, cell: String(row.number) }
  try {
    return { run, cell: cellOf(map, row.values) }
  } catch (error) {
    if (!(error instanceof BadRow)) throw error
    leaveOut(losses, row.number, row.values, error.message)
    return null
  }
}

const groupsOf = async function* (rows: Iterable<StoredRow>): AsyncGenerator<readonly TableRow[]> {
  let group: TableRow[] = []
  let cell: string | null = null
  let limit = sizeLimit('a case')
  for (const row of rows) {
    if (cell !== row.cell && group.length > 0) {
      yield group
      group = []
      limit = sizeLimit('a case')
    }
    limit.add(row.body)
    cell = row.cell
    group.push({ number: row.number, values: storedJson(row.body) })
  }
  if (group.length > 0) yield group
}

/** The SHA-256 of the rows of a run, in their order: other runs of the file do not change it. */
const rowsHash = (rows: Iterable<StoredRow>): string => {
  const hash = createHash('sha256')
  for (const { body } of rows) hash.update(body).update('\n')
  return hash.digest('hex')
}
