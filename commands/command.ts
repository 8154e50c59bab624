import { reaches } from '../queries/access/viewer.ts'
import type { Viewer } from '../queries/access/viewer.ts'
import { findCurrentAccess } from '../queries/access/visible.ts'
import type { CurrentAccess } from '../queries/access/visible.ts'
import type { Command, NewEvent, Numbers, Recorded, Source } from '../storage/command.ts'
import type { Answers, Queries, Query, Statement } from '../storage/storage.ts'
import { Refused } from './refused.ts'

/** The facts of a command, and besides them what its viewer may do now. */
type Known<Facts extends Queries> = Answers<Facts> & { readonly standing: CurrentAccess }
type Asked<Facts extends Queries> = Facts & { readonly standing: Query<CurrentAccess> }

type Plain<Facts extends Queries, Result> = {
  readonly facts: Facts
  readonly decide: (facts: Known<Facts>, numbers: Numbers) => readonly NewEvent[]
  readonly answer?: (recorded: readonly Recorded[], facts: Known<Facts>) => Result
  /** Rows that no history is kept of. */
  readonly alongside?: readonly Statement[]
}

/** A command with nothing to prepare: which facts to read under the lock, and what follows from them. */
export const command = <Facts extends Queries, Result = undefined>(
  viewer: Viewer,
  { facts, decide, answer, alongside }: Plain<Facts, Result>,
): Command<null, Asked<Facts>, Result> => ({
  actor: viewer.actor,
  request_id: viewer.request_id,
  bytes: 0,
  prepare: () => null,
  facts: () => ({ ...facts, standing: findCurrentAccess(viewer) }),
  ...(alongside ? { alongside } : {}),
  decide: (answers, _, numbers) => decide(stillStanding(viewer, answers), numbers),
  answer: (recorded, _, answers) => (answer ? answer(recorded, answers as Known<Facts>) : undefined) as Result,
})

type Heavy<Prepared, Facts extends Queries, Result> = {
  readonly bytes: number
  readonly prepare: (source: Source) => Prepared | Promise<Prepared>
  readonly facts: (prepared: Prepared) => Facts
  readonly decide: (facts: Known<Facts>, prepared: Prepared, numbers: Numbers) => readonly NewEvent[]
  readonly answer: (recorded: readonly Recorded[], prepared: Prepared, facts: Known<Facts>) => Result
}

/** A command that brings bytes and works on them before it takes the lock. */
export const heavyCommand = <Prepared, Facts extends Queries, Result>(
  viewer: Viewer,
  { bytes, prepare, facts, decide, answer }: Heavy<Prepared, Facts, Result>,
): Command<Prepared, Asked<Facts>, Result> => ({
  actor: viewer.actor,
  request_id: viewer.request_id,
  bytes,
  prepare,
  facts: (prepared) => ({ ...facts(prepared), standing: findCurrentAccess(viewer) }),
  decide: (answers, prepared, numbers) => decide(stillStanding(viewer, answers), prepared, numbers),
  answer: (recorded, prepared, answers) => answer(recorded, prepared, answers as Known<Facts>),
})

/**
 * Passes the facts on when the account that asks may still do what it was let through for. What the request was allowed
 * is from before the lock: a command that waited must not act for one who was disabled, signed out or demoted
 * meanwhile. Refuses: unauthenticated, forbidden.
 */
const stillStanding = <Facts extends Queries>(
  { actor, needed, sees_all }: Viewer,
  facts: Answers<Asked<Facts>>,
): Known<Facts> => {
  // Safe: the answers to `Asked<Facts>` are those to `Facts` and the standing.
  const known = facts as unknown as Known<Facts>
  if (actor.user_id === null) return known
  const { standing } = known
  if (standing.scope === null) throw new Refused('unauthenticated', 'authentication required')
  if (needed !== null && !reaches(standing.scope, needed))
    throw new Refused('forbidden', `insufficient scope: ${needed} is needed`)
  // Its queries were made for one who sees everything.
  if (sees_all && !standing.sees_all) throw new Refused('forbidden', 'the role of this account was changed; try again')
  return known
}

/** What a command answers. */
export type ResultOf<C> = C extends { readonly answer: (...args: never) => infer R } ? R : never
