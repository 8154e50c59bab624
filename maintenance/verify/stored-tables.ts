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
