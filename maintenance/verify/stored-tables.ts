import { z } from 'zod'
import { mapped, one, perDialect, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

const Count = z.object({ n: z.number() })

/** Whether the store has a table: a store of an early version lacks some. */
export const hasTable = (table: string): Query<boolean> =>
  mapped(
    one(
      perDialect(
        sql.type(Count)`SELECT count(*) AS n FROM sqlite_schema WHERE name = ${table}`,
        sql.type(Count)`SELECT count(to_regclass(${table})) AS n`,
      ),
    ),
    ({ n }) => n > 0,
  )

/** Whether a table of the store has a column: in a store of an early version some lack it. */
export const hasColumn = (table: string, column: string): Query<boolean> =>
  mapped(
    one(
      perDialect(
        sql.type(Count)`SELECT count(*) AS n FROM pragma_table_info(${table}) WHERE name = ${column}`,
        sql.type(Count)`
          SELECT count(*) AS n FROM pg_attribute
          WHERE attrelid = to_regclass(${table}) AND attname = ${column} AND NOT attisdropped`,
      ),
    ),
    ({ n }) => n > 0,
  )
