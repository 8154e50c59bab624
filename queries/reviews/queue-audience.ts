import { z } from 'zod'
import { REVIEW_ROLES } from '../../domain/review/final.ts'
import type { ReviewStep } from '../../domain/review/queue.ts'
import { any, constant, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { MANAGERS, mayManage } from '../access/levels.ts'
import type { Viewer } from '../access/viewer.ts'
import { inList } from './queues.ts'

// Who learns that something happened in a queue, by the rules of what a queue shows while it is open (`queues.ts`).

export type QueueAudience = {
  readonly project: string
  readonly suite: string
  readonly opener: string | null
  /** The accounts that may manage its suite. */
  readonly managers: ReadonlySet<string>
  /** The role of each account that was ever listed. */
  readonly people: ReadonlyMap<string, { readonly role: (typeof REVIEW_ROLES)[number]; readonly isListed: boolean }>
}

/** A queue with one of its people, one account that may manage its suite (then the role is null), or none. */
const Row = z.object({
  queue_id: z.string(),
  project: z.string(),
  suite: z.string(),
  opener: z.string().nullable(),
  user_id: z.string().nullable(),
  role: z.enum(REVIEW_ROLES).nullable(),
  removed: z.number().int().nullable(),
})

/** The audiences of queues, by their ids. */
export const listQueueAudiences = (ids: readonly string[]): Query<ReadonlyMap<string, QueueAudience>> =>
  ids.length === 0
    ? constant(new Map())
    : mapped(
        any(sql.type(Row)`
          SELECT q.queue_id, q.project, q.suite, q.opened_by AS opener, p.user_id, p.role, p.removed
          FROM review_queues q LEFT JOIN review_people p ON p.queue_id = q.queue_id WHERE q.queue_id IN (${inList(ids)})
          UNION ALL
          SELECT q.queue_id, q.project, q.suite, q.opened_by, m.user_id, NULL, NULL
          FROM review_queues q JOIN (${MANAGERS}) m ON m.project IS NULL OR (m.project = q.project AND (m.suite IS NULL OR m.suite = q.suite))
          WHERE q.queue_id IN (${inList(ids)})`),
        (rows) =>
          new Map(
            [...Map.groupBy(rows, ({ queue_id }) => queue_id)].map(([id, own]) => {
              const { project, suite, opener } = own[0]!
              const people = own.flatMap(({ user_id, role, removed }) =>
                user_id === null || role === null ? [] : [[user_id, { role, isListed: removed === 0 }] as const],
              )
              const managers = own.flatMap(({ user_id, role }) => (user_id !== null && role === null ? [user_id] : []))
              return [id, { project, suite, opener, managers: new Set(managers), people: new Map(people) }]
            }),
          ),
      )

/**
 * Whether a viewer who sees the suite of a queue learns of a step. How far a queue came is for those who opened it, adjudicate in it or
 * may manage its suite; how many items are decided, for those of them who never labelled in it.
 */
export const learnsOf = ({ managers, ...queue }: QueueAudience, step: ReviewStep, viewer: Viewer): boolean => {
  if (step === 'queue') return true
  const { user_id, credential_id } = viewer.actor
  const person = user_id === null ? undefined : queue.people.get(user_id)
  const isOpener = queue.opener !== null && queue.opener === (user_id ?? credential_id)
  const manages = mayManage(viewer, queue, (id) => managers.has(id))
  const follows = isOpener || manages || (person?.role === 'adjudicator' && person.isListed)
  return follows && (step === 'label' || person?.role !== 'reviewer')
}
