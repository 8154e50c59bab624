import { z } from 'zod'
import { decodeFrontier, treeRoot } from './merkle.ts'
import { mapped, maybeOne, one, sql } from '../sql.ts'
import type { Head, Query } from '../storage.ts'

export const HeadRow = z.object({ size: z.number(), frontier: z.instanceof(Buffer), recorded_at: z.number() })

/** The head of the log: its size, its RFC 6962 root, and the time of the last record. */
export const findHead: Query<Head> = mapped(
  maybeOne(sql.type(HeadRow)`SELECT size, frontier, recorded_at FROM log_head WHERE one = 1`),
  (row) => {
    const frontier = decodeFrontier(row?.size ?? 0, row?.frontier ?? Buffer.alloc(0))
    return { size: frontier.size, root: treeRoot(frontier), recorded_at: row?.recorded_at ?? 0 }
  },
)

const LogState = z.object({ size: z.number(), removals: z.number() })

/**
 * The number of records in a database's log, and the number of evictions from its shared cache, which has no log. If
 * other replicas write too, every request runs this query, so it reads nothing else.
 */
export const findLogState: Query<z.infer<typeof LogState>> = one(sql.type(LogState)`
  SELECT size, coalesce((SELECT value FROM cache_totals WHERE name = 'removals'), 0) AS removals FROM log_head WHERE one = 1`)

const Leaf = z.object({ leaf: z.instanceof(Buffer) })

/** What sets a log apart from all others: the leaf of its first record in hex, which has random bytes in it and stays for good. */
export const findLogIdentity: Query<string> = mapped(
  one(sql.type(Leaf)`SELECT leaf FROM events WHERE seq = 1`),
  ({ leaf }) => leaf.toString('hex'),
)
