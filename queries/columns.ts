import type { z } from 'zod'
import { sql } from '../storage/sql.ts'
import type { Fragment } from '../storage/sql.ts'

/** The columns that a row schema names, as the list of a SELECT. */
export const columnsOf = (table: string, row: z.ZodObject): Fragment => {
  const columns = Object.keys(row.shape).map((column) => sql.identifier([table, column]))
  return sql.fragment`${sql.join(columns, sql.fragment`, `)}`
}

/**
 * Returns a function that writes the columns of a group of a row as members of a JSON object, in the order of the group.
 * Columns in `texts` are JSON text already.
 */
export const membersOf = <Group extends object>(group: Group, texts: ReadonlyArray<keyof Group> = []) => {
  // Safe: these are the keys of this very object.
  const names = Object.keys(group) as Array<keyof Group>
  const fields = names.map((name) => ({ name, key: `${JSON.stringify(name)}:`, isText: texts.includes(name) }))
  return (row: Readonly<Record<keyof Group, string | number | boolean | null>>): string => {
    let members = ''
    for (const { name, key, isText } of fields) {
      const value = row[name]
      const text = typeof value === 'string' && !isText ? JSON.stringify(value) : String(value)
      members += members === '' ? key + text : `,${key}${text}`
    }
    return members
  }
}
