import { SourceRefused } from '../../document/source-refused.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { openParquet, type ParquetValue } from '../../read/parquet.ts'
import type { RowStore } from '../../read/rows/row-store.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { storeCase, VARS_FIELD } from './csv.ts'
import type { Losses } from '../../document/losses.ts'
import { listField } from '../../exporters/columns.ts'

/** Puts the rows of a Parquet export into a store, as the fields of the CSV export. */
export const fillFromParquet = async (store: RowStore, file: SourceFile, losses: Losses): Promise<void> => {
  const parquet = await openParquet(file)
  let [number, count] = [0, 0]
  for await (const row of parquet.rows()) {
    number += 1
    const fields = Object.fromEntries(
      Object.entries(row).flatMap(([column, value]) => {
        const field = fieldOf(value)
        // In a CSV file, `vars` can be the name of an assertion.
        return field === null ? [] : [[column === 'vars' ? VARS_FIELD : column, field] as const]
      }),
    )
    count += storeCase(store, fields, number, losses)
  }
  if (count === 0) throw new SourceRefused('holds no cases')
}

/** A value as the CSV export writes it; null if it is absent. Throws `SourceRefused` for a type that the export does not write. */
const fieldOf = (value: ParquetValue): string | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) {
    const time = timeOfMs(value.getTime())
    if (time === null) throw new SourceRefused('a column has times that no run can have')
    return time
  }
  if (typeof value !== 'object') return String(value)
  if (!isTexts(value)) throw new SourceRefused('a column has values of a type that this service does not write')
  return listField(value)
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
