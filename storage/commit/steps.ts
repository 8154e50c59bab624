import type { Answers, Queries, Query, Statement } from '../storage.ts'

// Work on an open transaction, told step by step: one text of it serves a storage that answers at once and one that
// answers later. SQLite must not let go of its lock's thread in between, PostgreSQL cannot but wait.

/** What such work asks for next. */
export type Step = { readonly read: Query<unknown> } | { readonly run: Statement }
export type Steps<T> = Generator<Step, T, unknown>

/** Reads. */
export function* ask<T>(query: Query<T>): Steps<T> {
  return (yield { read: query }) as T
}

/** Reads several, in order. */
export function* askAll<Q extends Queries>(queries: Q): Steps<Answers<Q>> {
  const found: Record<string, unknown> = {}
  for (const [name, query] of Object.entries(queries)) found[name] = yield { read: query }
  return found as Answers<Q>
}

/** Writes. */
export function* write(statement: Statement): Steps<void> {
  yield { run: statement }
}

/** No work at all. */
export function* nothing(): Steps<void> {}

/** Runs work where every step is answered at once. An error of a step ends it. */
export const runAtOnce = <T>(
  steps: Steps<T>,
  { read, run }: { readonly read: <A>(query: Query<A>) => A; readonly run: (statement: Statement) => void },
): T => {
  let next = steps.next()
  while (!next.done) next = steps.next('read' in next.value ? read(next.value.read) : run(next.value.run))
  return next.value
}

/** Runs work where steps are answered later, one after another. An error of a step ends it. */
export const runInTurn = async <T>(
  steps: Steps<T>,
  {
    read,
    run,
  }: { readonly read: <A>(query: Query<A>) => Promise<A>; readonly run: (statement: Statement) => Promise<void> },
): Promise<T> => {
  let next = steps.next()
  while (!next.done) next = steps.next(await ('read' in next.value ? read(next.value.read) : run(next.value.run)))
  return next.value
}
