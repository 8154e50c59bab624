import type { Queries, Query, Results, Statement } from '../storage.ts'

// Work on an open transaction as a sequence of steps: one implementation serves a synchronous and an asynchronous
// database. SQLite must not yield to the event loop while it holds the lock; PostgreSQL always has to wait.

/** One step: a query to read, or a statement to run. */
export type Step = { readonly read: Query<unknown> } | { readonly run: Statement }
export type Steps<T> = Generator<Step, T, unknown>

/** Runs one query. */
export function* ask<T>(query: Query<T>): Steps<T> {
  return (yield { read: query }) as T
}

/** Runs several queries in order. */
export function* askAll<Q extends Queries>(queries: Q): Steps<Results<Q>> {
  const results: Record<string, unknown> = {}
  for (const [name, query] of Object.entries(queries)) results[name] = yield { read: query }
  return results as Results<Q>
}

/** Runs one write. */
export function* write(statement: Statement): Steps<void> {
  yield { run: statement }
}

export function* noSteps(): Steps<void> {}

/** Runs the steps on a synchronous database. An error of a step ends the work. */
export const runSync = <T>(
  steps: Steps<T>,
  { read, run }: { readonly read: <A>(query: Query<A>) => A; readonly run: (statement: Statement) => void },
): T => {
  let next = steps.next()
  while (!next.done) next = steps.next('read' in next.value ? read(next.value.read) : run(next.value.run))
  return next.value
}

/** Runs the steps on an asynchronous database, one after another. An error of a step ends the work. */
export const runAsync = async <T>(
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
