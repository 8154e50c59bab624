import { z } from 'zod'
import { HeadRow } from '../../../storage/log/head.ts'
import { decodeFrontier, treeRoot } from '../../../storage/log/merkle.ts'
import { maybeOne, sql } from '../../../storage/sql.ts'
import type { Query } from '../../../storage/storage.ts'
import { VerificationFailed } from '../finding.ts'
import { hasTable } from '../stored-tables.ts'

const findHeadRow = maybeOne(sql.type(HeadRow)`SELECT size, frontier, recorded_at FROM log_head WHERE one = 1`)

/** What the records give: their number, their root in hex, and the time of the last one, 0 if there is none. */
type Records = { readonly size: number; readonly root: string; readonly recorded_at: number }

/** Checks that the stored head of the log is that of its records. Throws `VerificationFailed`. */
export const checkHead = async (read: <T>(query: Query<T>) => Promise<T>, records: Records): Promise<void> => {
  const { size, frontier, recorded_at } = (await read(findHeadRow)) ?? {
    size: 0,
    frontier: Buffer.alloc(0),
    recorded_at: 0,
  }
  if (size > records.size)
    throw new VerificationFailed('missing', `the log ends at record ${records.size}, its head says ${size}`)
  const root = rootIn(size, frontier)
  if (size !== records.size || root !== records.root)
    throw new VerificationFailed(
      'altered',
      `the head does not fit the log: it says ${size}:${root}, the records give ${records.size}:${records.root}`,
    )
  if (recorded_at !== records.recorded_at)
    throw new VerificationFailed(
      'altered',
      `the head does not fit the log: it says that record ${size} is of ${recorded_at}, the record says ${records.recorded_at}`,
    )
}

const findRunNumber = maybeOne(
  sql.type(z.object({ n: z.number() }))`SELECT value AS n FROM sequences WHERE name = 'run_no'`,
)

/**
 * Checks that the next run gets a number that no run of the log has had. Throws `VerificationFailed`. A higher number is
 * harmless, and cannot be known where the last upload was erased.
 */
export const checkRunNumber = async (read: <T>(query: Query<T>) => Promise<T>, lastOfLog: number): Promise<void> => {
  const last = (await read(hasTable('sequences'))) ? ((await read(findRunNumber))?.n ?? 0) : 0
  if (last < lastOfLog)
    throw new VerificationFailed(
      'altered',
      `the last run has the number ${lastOfLog}, but the next one would get the number ${last + 1}`,
    )
}

const rootIn = (size: number, frontier: Buffer): string => {
  try {
    return treeRoot(decodeFrontier(size, frontier)).toString('hex')
  } catch (error) {
    throw new VerificationFailed('altered', `the head does not fit the log: ${String(error)}`)
  }
}
