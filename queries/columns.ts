import type { z } from 'zod'
import { sql, type Fragment } from '../storage/sql.ts'

/** The columns that a row schema names, as the list of a SELECT. */
export const columnList = (table: string, row: z.ZodObject): Fragment => {
  const columns = Object.keys(row.shape).map((column) => sql.identifier([table, column]))
  return sql.fragment`${sql.join(columns, sql.fragment`, `)}`
}
