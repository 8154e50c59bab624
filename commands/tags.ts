import { setKey, type RunSet } from '../domain/sets.ts'
import { streamOf } from '../storage/log/event.ts'

// Tags name the data that a cached response depends on. An event invalidates the tags of everything that it changes. A
// cached response is valid until one of its tags is invalidated.

/**
 * A tag for the data of run sets. A change in a set invalidates a cached response with this tag only if the viewer of
 * the response may see that set. `project` is null if the tag is for the sets of all projects.
 */
export type SetsTag = { readonly name: string; readonly project: string | null }
export type Tag = string | SetsTag

/** A change in one run set: the names of the invalidated tags, for viewers who may see the set. */
export type InvalidatedSet = RunSet & { readonly names: readonly string[] }
export type Invalidated = string | InvalidatedSet

/** Every run: the run list, the sets, the search. */
export const RUNS: SetsTag = { name: 'runs', project: null }

/** Restrictions and grants. Every response for a viewer depends on them, even if it does not list this tag. */
export const ACCESS = 'access'

/** One account: its role, and whether it is disabled. */
export const userTag = (user_id: string): string => streamOf('user', user_id)
export const sessionTag = (session_id: string): string => streamOf('session', session_id)
export const keyTag = (key_id: string): string => streamOf('key', key_id)

/** Labels of principals, as `uploaded_by` shows them. */
export const PRINCIPALS = 'principals'

/** The badge keys of a suite, for an image that a key opened. */
export const badgeTag = (project: string, suite: string): string => streamOf('badge', project, suite)

/** Every baseline, for a response whose path does not contain the suite. */
export const BASELINES: SetsTag = { name: 'baselines', project: null }

/** The owner, the snooze, the archive and the thresholds of every suite. */
export const SUITE_SETTINGS: SetsTag = { name: 'suite-settings', project: null }

/** The runs of every plan, for a response that shows how often a plan was tried. */
export const PLANS: SetsTag = { name: 'plans', project: null }

/** Which code the suites declared to be judges. */
export const JUDGES: SetsTag = { name: 'judges', project: null }

export const runTag = (run_id: string): string => streamOf('run', run_id)
export const projectTag = (project: string): SetsTag => ({ name: streamOf('project', project), project })
/** A suite's runs, series and baseline; runs without a project have no such tag. */
export const setTag = (set: RunSet & { readonly project: string }): SetsTag => ({
  name: streamOf('set', setKey(set) ?? ''),
  project: set.project,
})

/** What a change in a set invalidates: the tag of all sets, and those of its project and its suite. */
export const invalidatedSet = (every: SetsTag, { project, suite }: RunSet): InvalidatedSet => {
  const own = project === null ? [] : [projectTag(project), setTag({ project, suite })]
  return { project, suite, names: [every, ...own].map(({ name }) => name) }
}

/** The tag of the suite of a run, for a response that shows other runs of it; none for a run without a project. */
export const tagsOfSet = (set: RunSet | null): Tag[] =>
  set === null || set.project === null ? [] : [setTag({ project: set.project, suite: set.suite })]
