import { findCurrentAccess } from '../queries/access/current-access.ts'
import type { Viewer } from '../queries/access/viewer.ts'
import type { Command, Numbers, Recorded, UnlockedReader } from '../storage/command.ts'
import type { Queries, Results, Statement } from '../storage/storage.ts'
import { requireCurrentAccess, type FactAndAccessQueries, type FactsAndAccess } from './command.ts'
import type { DomainEvent } from './events.ts'

type HeavyCommand<Prepared, Facts extends Queries, Result> = {
  readonly bytes: number
  readonly prepare: (reader: UnlockedReader) => Prepared | Promise<Prepared>
  readonly facts: (prepared: Prepared) => Facts
  readonly decide: (facts: FactsAndAccess<Facts>, prepared: Prepared, numbers: Numbers) => readonly DomainEvent[]
  /** Statements that write rows without a history. They also run if the command records no event. */
  readonly writes?: (facts: FactsAndAccess<Facts>, prepared: Prepared) => readonly Statement[]
  readonly result: (recorded: readonly Recorded[], prepared: Prepared, facts: FactsAndAccess<Facts>) => Result
}

/** A command with bytes, which it processes before it takes the lock. */
export const heavyCommand = <Prepared, Facts extends Queries, Result>(
  viewer: Viewer,
  { bytes, prepare, facts, decide, writes, result }: HeavyCommand<Prepared, Facts, Result>,
): Command<Prepared, FactAndAccessQueries<Facts>, Result> => ({
  actor: viewer.actor,
  request_id: viewer.request_id,
  bytes,
  prepare,
  facts: (prepared) => ({ ...facts(prepared), currentAccess: findCurrentAccess(viewer) }),
  decide: (results, prepared, numbers) => decide(requireCurrentAccess(viewer, results), prepared, numbers),
  ...(writes
    ? {
        writes: (results: Results<FactAndAccessQueries<Facts>>, prepared: Prepared) =>
          writes(results as FactsAndAccess<Facts>, prepared),
      }
    : {}),
  result: (recorded, prepared, results) => result(recorded, prepared, results as FactsAndAccess<Facts>),
})
