import type { CaseDraft } from '../../document/case/case-draft.ts'
import type { Losses } from '../../document/losses.ts'
import { caseOfRows } from './cases.ts'
import type { TableMap } from './map.ts'
import { leaveOut, type TableRow } from './rows.ts'
import { BadRow } from './values.ts'

/** The cases of rows that follow each other; a row that the map does not allow is left out with its number. */
export const tableCases = async function* (
  map: TableMap,
  groups: AsyncIterable<readonly TableRow[]>,
  losses: Losses,
  onRow: (row: TableRow) => void,
): AsyncGenerator<CaseDraft> {
  for await (const rows of groups) {
    const found = caseOr(map, rows, losses, rows.length === 1)
    // Of several rows, each is tried by itself, so that a bad one costs no other row of its case.
    const good = found === null ? rows.filter((row) => caseOr(map, [row], losses, true) !== null) : rows
    const draft = found ?? (rows.length > 1 && good.length > 0 ? caseOfRows(map, good) : null)
    if (draft === null) continue
    for (const row of good) onRow(row)
    yield draft
  }
}

/** The case of rows; null if the map does not allow one of them, which is recorded if `isRecorded`. */
const caseOr = (map: TableMap, rows: readonly TableRow[], losses: Losses, isRecorded: boolean): CaseDraft | null => {
  try {
    return caseOfRows(map, rows)
  } catch (error) {
    if (!(error instanceof BadRow)) throw error
    if (isRecorded) for (const row of rows) leaveOut(losses, row.number, row.values, error.message)
    return null
  }
}

/** Every row by itself. */
export const single = async function* (rows: AsyncIterable<TableRow>): AsyncGenerator<readonly TableRow[]> {
  for await (const row of rows) yield [row]
}
