import { setKey } from '../domain/sets.ts'
import type { RunSet } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import { streamOf } from '../storage/log/event.ts'
import type { DomainEvent } from './index.ts'

// Tags name the data that a cached response depends on. An event invalidates the tags of everything that it changes. A
// cached response is valid until one of its tags is invalidated.

/**
 * A tag of run sets. A response depends on it only for the sets that its viewer may see. `project` is null for the sets
 * of all projects.
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

/** Every baseline, for a response whose path does not contain the suite. */
export const BASELINES: SetsTag = { name: 'baselines', project: null }

export const runTag = (run_id: string): string => streamOf('run', run_id)
export const projectTag = (project: string): SetsTag => ({ name: streamOf('project', project), project })
/** A suite's runs, series and baseline; runs without a project have no such tag. */
export const setTag = (set: RunSet & { readonly project: string }): SetsTag => ({
  name: streamOf('set', setKey(set) ?? ''),
  project: set.project,
})

type TagsByType = {
  readonly [T in DomainEvent['type']]: (
    recorded: Recorded<Extract<DomainEvent, { readonly type: T }>>,
  ) => readonly Invalidated[] | null
}

const invalidatedSet = (every: SetsTag, { project, suite }: RunSet): InvalidatedSet => {
  const own = project === null ? [] : [projectTag(project), setTag({ project, suite })]
  return { project, suite, names: [every, ...own].map(({ name }) => name) }
}

// One entry per event type: a missing type does not compile. Null invalidates everything.
const TAGS: TagsByType = {
  RunIngested: ({ stream, data }) => [stream, invalidatedSet(RUNS, data)],
  RunDeleted: ({ stream, data }) => [stream, invalidatedSet(RUNS, data)],
  BaselinePinned: ({ data }) => [invalidatedSet(BASELINES, data)],
  BaselineUnpinned: ({ data }) => [invalidatedSet(BASELINES, data)],
  SetRestricted: () => [ACCESS],
  RestrictionLifted: () => [ACCESS],
  AccessGranted: () => [ACCESS],
  AccessRevoked: () => [ACCESS],
  // A new label is not shown anywhere yet, and the label of a deleted account remains.
  UserCreated: () => [],
  UserChanged: ({ data }) => [userTag(data.user_id)],
  UserDeleted: ({ data }) => [userTag(data.user_id)],
  SignedIn: () => [],
  SignedOut: ({ data }) => [sessionTag(data.session_id)],
  SignInRefused: () => [],
  KeyMinted: () => [],
  KeyRevoked: ({ data }) => [keyTag(data.key_id)],
  // A start replaces the labels of the static tokens.
  Started: () => [PRINCIPALS],
  ProjectionRebuilt: () => null,
  CachePruned: () => [],
  CacheEntryDeleted: () => [],
}

/** Every event type. */
export const EVENT_TYPES = Object.keys(TAGS) as ReadonlyArray<DomainEvent['type']>

/** Returns the distinct tags that events invalidate; null for all tags, as for an event of an unknown type. */
export const invalidatedBy = (recorded: readonly Recorded[]): readonly Invalidated[] | null => {
  const invalidated = new Map<string, Invalidated>()
  for (const event of recorded) {
    const tags = Object.hasOwn(TAGS, event.type)
      ? (TAGS[event.type as DomainEvent['type']] as (recorded: Recorded) => readonly Invalidated[] | null)(event)
      : null
    if (tags === null) return null
    for (const tag of tags) invalidated.set(typeof tag === 'string' ? tag : JSON.stringify(tag), tag)
  }
  return [...invalidated.values()]
}
