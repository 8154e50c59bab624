import { z } from 'zod'
import { ask, write, type Steps } from '../../storage/commit/steps.ts'
import { Unavailable } from '../../storage/errors.ts'
import { findRecord } from '../../storage/log/records.ts'
import { mapped, maybeOne, one, perDialect, sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'

const UnfinishedRebuild = z.object({
  plan: z.string(),
  position: z.number(),
  leaf: z.instanceof(Buffer).nullable(),
  models: z.string().nullable(),
})
export type UnfinishedRebuild = z.infer<typeof UnfinishedRebuild>

/** The unfinished rebuild, or null. */
export const findUnfinishedRebuild = maybeOne(
  sql.type(UnfinishedRebuild)`SELECT plan, position, leaf, models FROM rebuilds WHERE one = 1`,
)

/**
 * Whether the rebuild was started from the current log. A leaf contains a commitment to random bytes, so the same leaf
 * does not occur in another log.
 */
export function* isSameLog({ position, leaf }: UnfinishedRebuild): Steps<boolean> {
  return leaf === null ? position === 0 : (yield* ask(findRecord(position)))?.leaf.equals(leaf) === true
}

/** How long a holder keeps the rebuild without renewing it, in milliseconds. Batches and a timer renew it. */
export const LEASE_MS = 30_000

const now = perDialect(
  sql.type(z.object({ ms: z.number() }))`SELECT CAST(unixepoch('subsec') * 1000 AS integer) AS ms`,
  sql.type(z.object({ ms: z.number() }))`
    SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint) AS ms`,
)
/** The time of the database in epoch milliseconds: replicas may disagree about theirs. */
const findTime = mapped(one(now), ({ ms }) => ms)

const Position = z.object({ position: z.number() })

/**
 * Takes the rebuild for a holder, on the open transaction: the unfinished one if no other holder keeps it, or one that is
 * about to start. Returns false if another holder keeps it. The row is locked until the transaction ends.
 */
export function* takeRebuild(holder: string): Steps<boolean> {
  const at = yield* ask(findTime)
  const taken = yield* ask(
    maybeOne(
      sql.type(Position)`
        INSERT INTO rebuilds (one, plan, position, leaf, models, holder, until)
        VALUES (1, '', 0, NULL, '[]', ${holder}, ${at + LEASE_MS})
        ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE rebuilds.holder IS NULL OR rebuilds.holder = excluded.holder OR rebuilds.until <= ${at}
        RETURNING position`,
    ),
  )
  return taken !== null
}

/** Records the start of a rebuild of read models with this plan, by the holder that has taken it. */
export const noteRebuildStart = (plan: string, models: readonly string[]): Statement =>
  statement`UPDATE rebuilds SET plan = ${plan}, models = ${JSON.stringify(models)}, position = 0, leaf = NULL WHERE one = 1`

/** Renews the time of the holder. */
export function* renewRebuild(holder: string): Steps<void> {
  const at = yield* ask(findTime)
  yield* write(statement`UPDATE rebuilds SET until = ${at + LEASE_MS} WHERE one = 1 AND holder = ${holder}`)
}

/** Gives the rebuild back, so that another replica need not wait until its time is over. */
export const releaseRebuild = (holder: string): Statement =>
  statement`UPDATE rebuilds SET until = 0 WHERE one = 1 AND holder = ${holder}`

/** The record of the rebuild is gone: another holder has taken it, or an erasure has made it void. */
export class RebuildVoid extends Unavailable {
  override readonly name = 'RebuildVoid'
}

/**
 * Makes sure, before the tables are written, that they contain the log up to a position and that the holder keeps the
 * rebuild until the transaction ends. Throws `RebuildVoid` if it must start over.
 */
export function* holdRebuild(holder: string, position: number): Steps<void> {
  const at = yield* ask(findTime)
  const row = yield* ask(
    maybeOne(
      sql.type(Position)`
        UPDATE rebuilds SET until = ${at + LEASE_MS}
        WHERE one = 1 AND position = ${position} AND holder = ${holder} RETURNING position`,
    ),
  )
  if (!row) throw new RebuildVoid('another rebuild has replaced this one, or an erasure needs it to start over')
}

/** Records the position of the rebuild that `holdRebuild` holds. */
export function* noteRebuildPosition(position: number): Steps<void> {
  const { leaf = null } = (yield* ask(findRecord(position))) ?? {}
  yield* write(statement`UPDATE rebuilds SET position = ${position}, leaf = ${leaf && sql.binary(leaf)} WHERE one = 1`)
}
