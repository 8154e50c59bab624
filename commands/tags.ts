import { setKey } from '../domain/sets.ts'
import type { RunSet } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import { streamOf } from '../storage/log/event.ts'
import type { DomainEvent } from './index.ts'

// What an answer is made of, by name. An event moves the tags of all that it changes; an answer holds while none of its
// own moved.

/**
 * A tag of run sets. An answer depends on it only as far as its viewer may see the sets. `project` is null for those of
 * every project.
 */
export type SetsTag = { readonly of: string; readonly project: string | null }
export type Tag = string | SetsTag

/** What changed in one run set: the names of the tags of sets that it moves, for those who may see the set. */
export type InvalidatedSet = RunSet & { readonly of: readonly string[] }
export type Invalidated = string | InvalidatedSet

/** Every run: the run list, the sets, the search. */
export const RUNS: SetsTag = { of: 'runs', project: null }

/** Restrictions and grants. Every answer that takes a viewer depends on them, said or not. */
export const ACCESS = 'access'

/** One account: its role, and whether it is disabled. */
export const userTag = (user_id: string): string => streamOf('user', user_id)
export const sessionTag = (session_id: string): string => streamOf('session', session_id)
export const keyTag = (key_id: string): string => streamOf('key', key_id)

/** Labels of who acts, as `uploaded_by` shows them. */
export const PRINCIPALS = 'principals'

/** Every baseline: of an answer whose path does not tell the suite. */
export const BASELINES: SetsTag = { of: 'baselines', project: null }

export const runTag = (run_id: string): string => streamOf('run', run_id)
export const projectTag = (project: string): SetsTag => ({ of: streamOf('project', project), project })
/** A suite's runs, series and baseline; runs without a project are in none. */
export const setTag = (set: RunSet & { readonly project: string }): SetsTag => ({
  of: streamOf('set', setKey(set) ?? ''),
  project: set.project,
})

type Known = {
  readonly [T in DomainEvent['type']]: (
    recorded: Recorded<Extract<DomainEvent, { readonly type: T }>>,
  ) => readonly Invalidated[] | null
}

const movedIn = (every: SetsTag, { project, suite }: RunSet): InvalidatedSet => {
  const own = project === null ? [] : [projectTag(project), setTag({ project, suite })]
  return { project, suite, of: [every, ...own].map(({ of }) => of) }
}

// One entry per event type: a type left out does not compile. Null moves everything.
const TAGS: Known = {
  RunIngested: ({ stream, data }) => [stream, movedIn(RUNS, data)],
  RunDeleted: ({ stream, data }) => [stream, movedIn(RUNS, data)],
  BaselinePinned: ({ data }) => [movedIn(BASELINES, data)],
  BaselineUnpinned: ({ data }) => [movedIn(BASELINES, data)],
  SetRestricted: () => [ACCESS],
  RestrictionLifted: () => [ACCESS],
  AccessGranted: () => [ACCESS],
  AccessRevoked: () => [ACCESS],
  // A new label stands at nothing yet, and those of deleted accounts stay.
  UserCreated: () => [],
  UserChanged: ({ data }) => [userTag(data.user_id)],
  UserDeleted: ({ data }) => [userTag(data.user_id)],
  SignedIn: () => [],
  SignedOut: ({ data }) => [sessionTag(data.session_id)],
  SignInRefused: () => [],
  KeyMinted: () => [],
  KeyRevoked: ({ data }) => [keyTag(data.key_id)],
  // A start labels the static tokens anew.
  Started: () => [PRINCIPALS],
  ProjectionRebuilt: () => null,
  CachePruned: () => [],
  CacheEntryDeleted: () => [],
}

/** Every type of event there is. */
export const EVENT_TYPES = Object.keys(TAGS) as ReadonlyArray<DomainEvent['type']>

/** What events move, each once; null where everything moves, as it does for a type that is not known here. */
export const invalidatedBy = (recorded: readonly Recorded[]): readonly Invalidated[] | null => {
  const moved = new Map<string, Invalidated>()
  for (const each of recorded) {
    const tags = Object.hasOwn(TAGS, each.type)
      ? (TAGS[each.type as DomainEvent['type']] as (recorded: Recorded) => readonly Invalidated[] | null)(each)
      : null
    if (tags === null) return null
    for (const tag of tags) moved.set(typeof tag === 'string' ? tag : JSON.stringify(tag), tag)
  }
  return [...moved.values()]
}
