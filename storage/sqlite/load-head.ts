import { z } from 'zod'
import type { LogHead } from '../commit/commit-command.ts'
import { HeadRow } from '../log/head.ts'
import { decodeFrontier } from '../log/merkle.ts'
import { adoptTree } from '../log/nodes.ts'
import { one, sql, statement } from '../sql.ts'
import type { Connection } from './connection.ts'

const Count = z.object({ n: z.number() })

/** Reads the head of the log. Throws if it disagrees with the log: that is damage, and a commit would hide it. */
export const loadHead = ({ read, run }: Connection): LogHead => {
  run(
    statement`
      INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, 0, ${sql.binary(Buffer.alloc(0))}, 0)
      ON CONFLICT (one) DO NOTHING`,
  )
  run(statement`INSERT INTO sequences (name, value) VALUES ('run_no', 0) ON CONFLICT (name) DO NOTHING`)
  run(adoptTree)
  const { size, frontier, recorded_at } = read(
    one(sql.type(HeadRow)`SELECT size, frontier, recorded_at FROM log_head WHERE one = 1`),
  )
  const { n } = read(one(sql.type(Count)`SELECT coalesce(max(seq), 0) AS n FROM events`))
  if (n !== size) throw new Error(`the log ends at ${n} but its head says ${size}: run "ers verify"`)
  const { n: run_no } = read(one(sql.type(Count)`SELECT value AS n FROM sequences WHERE name = 'run_no'`))
  return { frontier: decodeFrontier(size, frontier), recorded_at, run_no }
}
