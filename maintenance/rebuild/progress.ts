import { z } from 'zod'
import { ask, write } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import { Unavailable } from '../../storage/errors.ts'
import { findRecord } from '../../storage/log/records.ts'
import { maybeOne, sql, statement } from '../../storage/sql.ts'

const UnfinishedRebuild = z.object({ plan: z.string(), position: z.number(), leaf: z.instanceof(Buffer).nullable() })
export type UnfinishedRebuild = z.infer<typeof UnfinishedRebuild>

/** The unfinished rebuild, or null. */
export const findUnfinishedRebuild = maybeOne(
  sql.type(UnfinishedRebuild)`SELECT plan, position, leaf FROM rebuilds WHERE one = 1`,
)

/**
 * Whether the rebuild was started from the current log. A leaf contains a commitment to random bytes, so the same leaf
 * does not occur in another log.
 */
export function* isSameLog({ position, leaf }: UnfinishedRebuild): Steps<boolean> {
  return leaf === null ? position === 0 : (yield* ask(findRecord(position)))?.leaf.equals(leaf) === true
}

/** Records the start of a rebuild with this plan, in place of any other. */
export function* noteRebuildStart(plan: string): Steps<void> {
  yield* write(statement`DELETE FROM rebuilds`)
  yield* write(statement`INSERT INTO rebuilds (one, plan, position, leaf) VALUES (1, ${plan}, 0, NULL)`)
}

const Noted = z.object({ position: z.number() })

/** The record of the rebuild is gone: another rebuild has replaced it, or an erasure has made it void. */
export class RebuildVoid extends Unavailable {
  override readonly name = 'RebuildVoid'
}

/** Records the position of the rebuild. Throws `RebuildVoid` if it must start over. */
export function* noteRebuildPosition(from: number, position: number): Steps<void> {
  const { leaf = null } = (yield* ask(findRecord(position))) ?? {}
  const noted = yield* ask(
    maybeOne(
      sql.type(
        Noted,
      )`UPDATE rebuilds SET position = ${position}, leaf = ${leaf && sql.binary(leaf)} WHERE one = 1 AND position = ${from} RETURNING position`,
    ),
  )
  if (!noted) throw new RebuildVoid('another rebuild has replaced this one, or an erasure needs it to start over')
}
