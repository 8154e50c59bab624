import { findCurrentAccess, type CurrentAccess } from '../queries/access/current-access.ts'
import { reaches, type Viewer } from '../queries/access/viewer.ts'
import type { Command, Numbers, Recorded } from '../storage/command.ts'
import type { Queries, Query, Results, Statement } from '../storage/storage.ts'
import type { DomainEvent } from './events.ts'
import { Refused } from './refused.ts'

/** The facts of a command and the current access of its viewer. */
export type FactsAndAccess<Facts extends Queries> = Results<Facts> & { readonly currentAccess: CurrentAccess }
export type FactAndAccessQueries<Facts extends Queries> = Facts & { readonly currentAccess: Query<CurrentAccess> }

type PlainCommand<Facts extends Queries, Result> = {
  readonly facts: Facts
  readonly decide: (facts: FactsAndAccess<Facts>, numbers: Numbers) => readonly DomainEvent[]
  readonly result?: (recorded: readonly Recorded[], facts: FactsAndAccess<Facts>) => Result
  /** Statements that write rows without a history. They also run if the command records no event. */
  readonly statements?: readonly Statement[]
  /** Such statements that depend on the facts. */
  readonly writes?: (facts: FactsAndAccess<Facts>) => readonly Statement[]
}

/** A command without preparation: the facts to read under the lock, and the decision on them. */
export const command = <Facts extends Queries, Result = undefined>(
  viewer: Viewer,
  { facts, decide, result, statements, writes }: PlainCommand<Facts, Result>,
): Command<null, FactAndAccessQueries<Facts>, Result> => ({
  actor: viewer.actor,
  request_id: viewer.request_id,
  bytes: 0,
  prepare: () => null,
  facts: () => ({ ...facts, currentAccess: findCurrentAccess(viewer) }),
  ...(statements ? { statements } : {}),
  ...(writes
    ? { writes: (results: Results<FactAndAccessQueries<Facts>>) => writes(results as FactsAndAccess<Facts>) }
    : {}),
  decide: (results, _, numbers) => decide(requireCurrentAccess(viewer, results), numbers),
  result: (recorded, _, results) => (result ? result(recorded, results as FactsAndAccess<Facts>) : undefined) as Result,
})

/**
 * Returns the facts if the viewer's account may still run the command. The request was authorized before the lock;
 * while the command waited, the account may have been disabled, signed out or demoted. Refuses: unauthenticated,
 * forbidden.
 */
export const requireCurrentAccess = <Facts extends Queries>(
  { actor, needed, sees_all, limit }: Viewer,
  facts: Results<FactAndAccessQueries<Facts>>,
): FactsAndAccess<Facts> => {
  // Safe: `FactAndAccessQueries<Facts>` is `Facts` and the current access.
  const checked = facts as unknown as FactsAndAccess<Facts>
  if (actor.user_id === null) return checked
  const { currentAccess } = checked
  if (currentAccess.scope === null) throw new Refused('unauthenticated', 'authentication required')
  if (needed !== null && !reaches(currentAccess.scope, needed))
    throw new Refused('forbidden', `insufficient scope: ${needed} is needed`)
  // The facts were read for a viewer that sees everything, so they may contain what this account may no longer see.
  if ((sees_all || limit?.all) && !currentAccess.sees_all)
    throw new Refused('forbidden', 'the role of this account was changed; try again')
  return checked
}
