import type { z } from 'zod'
import { sql } from '../storage/sql.ts'
import type { Fragment } from '../storage/sql.ts'

/** The columns that a row schema names, as the list of a SELECT. */
export const columnsOf = (table: string, row: z.ZodObject): Fragment => {
  const columns = Object.keys(row.shape).map((column) => sql.identifier([table, column]))
  return sql.fragment`${sql.join(columns, sql.fragment`, `)}`
}

/** Returns a function that takes the columns of a group out of a row, in the order of the group. */
export const pickerOf = <Group extends object>(group: Group) => {
  // Safe: these are the keys of this very object.
  const names = Object.keys(group) as Array<keyof Group>
  return <Row extends Readonly<Record<keyof Group, unknown>>>(row: Row): Pick<Row, keyof Group> => {
    // Safe: it has all columns of the group when it is returned.
    const picked = {} as Pick<Row, keyof Group>
    for (const name of names) picked[name] = row[name]
    return picked
  }
}
