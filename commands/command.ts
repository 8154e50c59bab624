import type { Viewer } from '../queries/viewer.ts'
import type { Answers, Command, NewEvent, Numbers, Queries, Recorded, Source } from '../storage/storage.ts'

type Plain<Facts extends Queries, Result> = {
  readonly facts: Facts
  readonly decide: (facts: Answers<Facts>, numbers: Numbers) => readonly NewEvent[]
  readonly answer?: (recorded: readonly Recorded[], facts: Answers<Facts>) => Result
}

/** A command with nothing to prepare: which facts to read under the lock, and what follows from them. */
export const command = <Facts extends Queries, Result = undefined>(viewer: Viewer, { facts, decide, answer }: Plain<Facts, Result>): Command<null, Facts, Result> => ({
  actor: viewer.actor,
  request_id: viewer.request_id,
  bytes: 0,
  prepare: () => null,
  facts: () => facts,
  decide: (answers, _, numbers) => decide(answers, numbers),
  answer: (recorded, _, answers) => (answer ? answer(recorded, answers) : undefined) as Result,
})

type Heavy<Prepared, Facts extends Queries, Result> = {
  readonly bytes: number
  readonly prepare: (source: Source) => Prepared | Promise<Prepared>
  readonly facts: (prepared: Prepared) => Facts
  readonly decide: (facts: Answers<Facts>, prepared: Prepared, numbers: Numbers) => readonly NewEvent[]
  readonly answer: (recorded: readonly Recorded[], prepared: Prepared, facts: Answers<Facts>) => Result
}

/** A command that brings bytes and works on them before it takes the lock. */
export const heavyCommand = <Prepared, Facts extends Queries, Result>(viewer: Viewer, parts: Heavy<Prepared, Facts, Result>): Command<Prepared, Facts, Result> => ({
  actor: viewer.actor,
  request_id: viewer.request_id,
  ...parts,
})

/** What a command answers. */
export type ResultOf<C> = C extends { readonly answer: (...args: never) => infer R } ? R : never

