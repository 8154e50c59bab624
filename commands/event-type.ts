import type { EventName } from '../domain/proof/event-names.ts'
import type { RunSet } from '../domain/sets.ts'
import type { NewEvent, Recorded } from '../storage/command.ts'
import type { Invalidated } from './tags.ts'

/**
 * How a record is erased. `facts`: its data are kept, without the actor. `pin`: they are kept until a later record of the
 * stream replaces them. `run`: it is an upload or a deletion, of which nothing is kept once the run is gone. `account`: it
 * goes with the other records of the account `user_id`. `account end`: it does too, but is kept if something of the account
 * was kept before, because a replay without it would bring that back. `never`: it cannot be erased.
 */
export type ErasureClass = 'facts' | 'pin' | 'run' | 'account' | 'account end' | 'never'

/** What open pages must fetch again. */
type ChangeKind = 'run' | 'baseline' | 'access' | 'queue' | 'label' | 'decision' | 'everything' | 'nothing'

/** What the service does with a type of event. */
export type EventType<E extends NewEvent = NewEvent> = {
  /** The tags that it invalidates; null for all of them. */
  readonly tags: (recorded: Recorded<E>) => readonly Invalidated[] | null
  readonly change: ChangeKind
  readonly erasure: ErasureClass
  /**
   * Whether it has the digest of a text that is stored next to the log (a credential, a label, a note), or deletes such a
   * text: `ers verify` follows it.
   */
  readonly digests: boolean
  /** The names of the read models that take it. `none`: it exists for the audit trail. */
  readonly projections: readonly string[] | 'none'
}

/** Only data with a run set may change a run or a baseline, only data of a queue what is known of it, and only data with a run may be erased like one. */
type Allowed<Data> = (Data extends RunSet ? unknown : { readonly change: Exclude<ChangeKind, 'run' | 'baseline'> }) &
  (Data extends { readonly queue_id: string }
    ? unknown
    : { readonly change: Exclude<ChangeKind, 'queue' | 'label' | 'decision'> }) &
  (Data extends RunSet & { readonly run_no: number } ? unknown : { readonly erasure: Exclude<ErasureClass, 'run'> })

/** The types of some events by name. A type without an object, or without words for the audit page, does not compile. */
export type EventTypes<E extends NewEvent<EventName>> = {
  readonly [T in E['type']]: EventType<Extract<E, { readonly type: T }>> &
    Allowed<Extract<E, { readonly type: T }>['data']>
}
