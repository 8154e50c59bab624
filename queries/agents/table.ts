import { oneLine } from '../../domain/agent-text/sanitize.ts'

/** One column of a table: its header, and the value of a row in it. */
export type Column<Row> = readonly [header: string, value: (row: Row) => unknown]

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return String(value.length)
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Rows as text, aligned in columns: null is `-`, an array its length. */
export const table = <Row>(rows: readonly Row[], columns: ReadonlyArray<Column<Row>>): string => {
  if (rows.length === 0) return '(no rows)'
  const lines = [columns.map(([header]) => header), ...rows.map((row) => columns.map(([, value]) => cell(value(row))))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => [...(line[at] ?? '')].length)))
  return lines
    .map((line) =>
      line
        .map((part, at) => part + ' '.repeat((widths[at] ?? 0) - [...part].length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The rows of a structured result. Texts in it are sanitized and cut already. */
export const tableRows = (data: Readonly<Record<string, unknown>>, name: string): Array<Record<string, unknown>> =>
  data[name] as Array<Record<string, unknown>>

/** Columns whose headers are the names of their members. */
export const columns = (...names: readonly string[]): Array<Column<Record<string, unknown>>> =>
  names.map((name) => [name, (row) => row[name]])

/** How to get the next page; nothing after the last page. */
export const nextLine = ({ next_cursor }: Readonly<Record<string, unknown>>, argument: string): string =>
  typeof next_cursor === 'string' ? `\n\nMore rows: call again with ${argument} ${next_cursor}` : ''
