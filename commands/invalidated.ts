import type { RunSet } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import type { Kept } from '../storage/log/erasures.ts'
import { streamOf } from '../storage/log/event.ts'
import type { DomainEvent } from './index.ts'
import {
  ACCESS,
  badgeTag,
  BASELINES,
  heldTag,
  holdTag,
  keyTag,
  PLANS,
  PRINCIPALS,
  projectTag,
  RUNS,
  runTag,
  sessionTag,
  setTag,
  userTag,
} from './tags.ts'
import type { SetsTag } from './tags.ts'

/** A change in one run set: the names of the invalidated tags, for viewers who may see the set. */
export type InvalidatedSet = RunSet & { readonly names: readonly string[] }
export type Invalidated = string | InvalidatedSet

type TagsByType = {
  readonly [T in DomainEvent['type']]: (
    recorded: Recorded<Extract<DomainEvent, { readonly type: T }>>,
  ) => readonly Invalidated[] | null
}

const invalidatedSet = (every: SetsTag, { project, suite }: RunSet): InvalidatedSet => {
  const own = project === null ? [] : [projectTag(project), setTag({ project, suite })]
  return { project, suite, names: [every, ...own].map(({ name }) => name) }
}

/** A run that stays loses its uploader. What else an erasure keeps is in no cached response. */
const invalidatedByKept = ({ data, stream }: Kept): readonly Invalidated[] =>
  stream.startsWith(streamOf('run', '')) ? [stream, invalidatedSet(RUNS, data as RunSet)] : []

// One entry per event type: a missing type does not compile. Null invalidates everything.
const TAGS: TagsByType = {
  // The other runs of a plan show how often it was tried.
  RunIngested: ({ stream, data }) => [
    stream,
    invalidatedSet(RUNS, data),
    ...((data.plan_id ?? null) === null ? [] : [invalidatedSet(PLANS, data)]),
  ],
  RunDeleted: ({ stream, data }) => [stream, invalidatedSet(RUNS, data)],
  BaselinePinned: ({ data }) => [invalidatedSet(BASELINES, data)],
  BaselineUnpinned: ({ data }) => [invalidatedSet(BASELINES, data)],
  BadgeKeyMinted: () => [],
  BadgeKeysRevoked: ({ data }) => [badgeTag(data.project, data.suite)],
  SetRestricted: () => [ACCESS],
  RestrictionLifted: () => [ACCESS],
  AccessGranted: () => [ACCESS],
  AccessRevoked: () => [ACCESS],
  // A new label is not shown anywhere yet, and the label of a deleted account remains.
  UserCreated: () => [],
  UserChanged: ({ data }) => [userTag(data.user_id)],
  UserDeleted: ({ data }) => [userTag(data.user_id)],
  // An account shows its identities.
  IdentityLinked: ({ data }) => [userTag(data.user_id)],
  SignedIn: () => [],
  SignedOut: ({ data }) => [sessionTag(data.session_id)],
  SessionsEnded: ({ data }) => [userTag(data.user_id)],
  SignInRefused: () => [],
  KeyMinted: () => [],
  KeyRevoked: ({ data }) => [keyTag(data.key_id)],
  // A start replaces the labels of the static tokens.
  Started: () => [PRINCIPALS],
  ProjectionRebuilt: () => null,
  CachePruned: () => [],
  CacheEntryDeleted: () => [],
  // Checkpoints, receipts and plans themselves are not cached.
  LogKeyAdopted: () => [],
  LogKeyRetired: () => [],
  EventErased: ({ data: { cause, kept } }) => [
    // The label of the account was deleted.
    ...(cause === 'user' ? [PRINCIPALS] : []),
    ...(kept === null ? [] : invalidatedByKept(kept)),
  ],
  // A hold changes what runs show. Only viewers of such a run notice it.
  HoldPlaced: ({ data: { run_id, project, suite } }) => [
    ...(run_id === null ? [] : [runTag(run_id)]),
    ...(project === null ? [] : [heldTag(project, suite)]),
  ],
  HoldLifted: ({ data }) => [holdTag(data.hold_id)],
  PlanRegistered: () => [],
  PlanRevealed: () => [],
  PlanWithdrawn: () => [],
  // Webhooks are in no cached response.
  WebhookCreated: () => [],
  WebhookSecretReplaced: () => [],
  WebhookDisabled: () => [],
  WebhookDeleted: () => [],
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
