import type { StagedPart } from '../../queries/evidence/staged.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { dropParts } from '../../storage/objects/rows.ts'
import { Refused } from '../refused.ts'

// Parts that no run names yet are rows without a history: the log knows parts only by the manifests of runs.

/** What an account or a token may have sent without naming it in a run. */
export type StagedLimits = { readonly maxBytes: number; readonly maxParts: number }

/** What is sent of a part: its digest, and the bytes of the whole. */
export type PartSize = { readonly sha256: string; readonly total: number }

/** Refuses a part that the same caller announced with another size. */
export const refuseOtherTotal = (staged: StagedPart | null, { total }: PartSize): void => {
  if (staged !== null && staged.bytes !== total)
    throw new Refused('conflict', `an upload of this part with ${staged.bytes} bytes was begun: drop it first`)
}

/** Refuses more than an account or a token may have staged. */
export const refuseBeyond = (
  totals: { readonly parts: number; readonly bytes: number },
  { maxBytes, maxParts }: StagedLimits,
  more: { readonly parts: number; readonly bytes: number },
): void => {
  if (totals.parts + more.parts > maxParts || totals.bytes + more.bytes > maxBytes)
    throw new Refused('conflict', 'name or drop your parts first: too many were sent that no run names')
}

/** Why an upload does not go on. */
export const uploadDropped = (): Refused =>
  new Refused('conflict', 'the upload of this part was dropped: send it again')

/** Notes that a caller has sent a part, or the first piece of it. */
export const insertStaged = (
  actor: string,
  { sha256, total }: PartSize,
  { part_no, isComplete, at }: { readonly part_no: number; readonly isComplete: boolean; readonly at: number },
): Statement =>
  statement`
    INSERT INTO staged_parts (actor, sha256, part_no, bytes, complete, touched_at)
    VALUES (${actor}, ${sha256}, ${part_no}, ${total}, ${isComplete ? 1 : 0}, ${at})`

/** A staged part is used again: its hours begin again. */
export const touchStaged = (actor: string, sha256: string, at: number): Statement =>
  statement`UPDATE staged_parts SET touched_at = ${at} WHERE actor = ${actor} AND sha256 = ${sha256}`

/** Drops a staged part, with its bytes. */
export const dropStaged = (actor: string, sha256: string): Statement[] => [
  ...dropParts(sql.fragment`SELECT part_no FROM staged_parts WHERE actor = ${actor} AND sha256 = ${sha256}`),
  statement`DELETE FROM staged_parts WHERE actor = ${actor} AND sha256 = ${sha256}`,
]
