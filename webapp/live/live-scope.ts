import type { LiveChange, LiveSet } from './live-events.ts'

/**
 * What data depends on: one run, or the runs and baselines of a project or suite. A part that is left out matches
 * everything: `{}` depends on every run and baseline.
 */
export type LiveScope = {
  /** Only this run. */
  readonly run?: string | undefined
  readonly project?: string | null | undefined
  readonly suite?: string | null | undefined
  /** Whether changes of baselines alone count; true unless given. */
  readonly baselines?: boolean | undefined
  /** Whether it depends on review queues too, or on these alone. */
  readonly reviews?: 'too' | 'only' | undefined
  /** Of the queues, only this one. */
  readonly queue?: string | undefined
}

declare module '@tanstack/vue-query' {
  interface Register {
    queryMeta: {
      /**
       * What the data of the query depends on. When that changes, the query becomes stale, and is requested again while
       * it is shown. `held`: it only becomes stale, because new data would move what is shown.
       */
      live?: LiveScope & { readonly held?: boolean }
    }
  }
}

const isIn = ({ project, suite }: LiveScope, set: LiveSet): boolean =>
  (project === undefined || project === set.project) && (suite === undefined || suite === set.suite)

/** Whether data of a scope may have changed. */
export const concerns = (scope: LiveScope, { runs, baselines, reviews = [] }: LiveChange): boolean => {
  const isOfQueue = reviews.some((each) => isIn(scope, each) && (scope.queue === undefined || scope.queue === each.id))
  if (scope.reviews !== undefined && isOfQueue) return true
  return scope.reviews !== 'only' && concernsRuns(scope, { runs, baselines })
}

const concernsRuns = (scope: LiveScope, { runs, baselines }: Pick<LiveChange, 'runs' | 'baselines'>): boolean =>
  runs.some((run) => (scope.run === undefined ? isIn(scope, run) : scope.run === run.id)) ||
  (scope.baselines !== false && baselines.some((set) => isIn(scope, set)))
