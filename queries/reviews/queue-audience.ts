import { z } from 'zod'
import { REVIEW_ROLES } from '../../domain/review/final.ts'
import type { ReviewStep } from '../../domain/review/queue.ts'
import { any, constant, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { inList } from './queues.ts'

// Who learns that something happened in a queue, by the rules of what a queue shows while it is open (`queues.ts`).

export type QueueAudience = {
  readonly project: string
  readonly suite: string
  readonly opener: string | null
  /** The role of each account that was ever listed. */
  readonly people: ReadonlyMap<string, { readonly role: (typeof REVIEW_ROLES)[number]; readonly isListed: boolean }>
}

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
          FROM review_queues q LEFT JOIN review_people p ON p.queue_id = q.queue_id WHERE q.queue_id IN (${inList(ids)})`),
        (rows) =>
          new Map(
            [...Map.groupBy(rows, ({ queue_id }) => queue_id)].map(([id, own]) => {
              const { project, suite, opener } = own[0]!
              const people = own.flatMap(({ user_id, role, removed }) =>
                user_id === null || role === null ? [] : [[user_id, { role, isListed: removed === 0 }] as const],
              )
              return [id, { project, suite, opener, people: new Map(people) }]
            }),
          ),
      )

/**
 * Whether a viewer who sees the suite of a queue learns of a step. How far a queue came is for those who opened it or adjudicate in it,
 * and for admins; how many items are decided, for those of them who never labelled in it.
 */
export const learnsOf = (
  { opener, people }: QueueAudience,
  step: ReviewStep,
  { actor: { user_id, credential_id, scope }, sees_all, limit }: Viewer,
): boolean => {
  if (step === 'queue') return true
  const person = user_id === null ? undefined : people.get(user_id)
  const isOpener = opener !== null && opener === (user_id ?? credential_id)
  const isAdmin = sees_all && !limit && (user_id === null || scope === 'admin')
  const follows = isOpener || isAdmin || (person?.role === 'adjudicator' && person.isListed)
  return follows && (step === 'label' || person?.role !== 'reviewer')
}
