import { z } from 'zod'
import { ITEM_STATES, RESOLVES, REVIEW_ROLES } from '../../domain/review/final.ts'
import type { Question } from '../../domain/review/rubric.ts'
import { any, constant, mapped, maybeOne, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import type { Suite } from '../sets/baselines.ts'

// What decisions about queues and labels need. Who is listed in a queue sees its items without a grant, so only queues that are found
// by their set take a viewer.

const count = z.number().int()
const id = z.string()

/** The parts of an item's id, `<queue_id>.<n>`; null for a text that is none. */
export const parseItemId = (item: string): { readonly queue_id: string; readonly n: number } | null => {
  const [, queue_id, n] = /^(.{1,100})\.([1-9]\d{0,5})$/s.exec(item) ?? []
  return queue_id === undefined ? null : { queue_id, n: Number(n) }
}

const Account = z.object({ id, username: id, disabled: z.boolean() })
export type NamedAccount = z.infer<typeof Account>

const listOf = (values: readonly string[]): Fragment => sql.join([...values], sql.fragment`, `)

/** Accounts by their ids or names. */
export const listAccountsNamed = (names: readonly string[]): Query<NamedAccount[]> =>
  names.length === 0
    ? constant([])
    : any(sql.type(Account)`
        SELECT users.id, coalesce(principals.label, users.id) AS username, users.disabled
        FROM users LEFT JOIN principals ON principals.id = users.id
        WHERE users.id IN (${listOf(names)})
          OR users.id IN (SELECT named.id FROM principals named WHERE named.kind = 'user' AND named.label IN (${listOf(names)}))`)

const Count = z.object({ n: count })
const onlyCount = (rows: Query<z.infer<typeof Count>>): Query<number> => mapped(rows, ({ n }) => n)

export const countOpenQueues = ({ project, suite }: Suite): Query<number> =>
  onlyCount(
    one(sql.type(Count)`
      SELECT count(*) AS n FROM review_queues WHERE project = ${project} AND suite = ${suite} AND closed_at IS NULL`),
  )

/** Whether a suite or its project is restricted. */
export const isRestricted = ({ project, suite }: Suite): Query<boolean> =>
  mapped(
    one(sql.type(Count)`
      SELECT count(*) AS n FROM restrictions x WHERE x.project = ${project} AND (x.suite IS NULL OR x.suite = ${suite})`),
    ({ n }) => n > 0,
  )

const Counts = z.object({ items: count, final: count, waiting: count, labels: count })

/** The counts of a queue: its items, those with a final label, those that wait for an adjudicator, and standing labels. */
export const findReviewCounts = (queue_id: string): Query<z.infer<typeof Counts>> =>
  one(sql.type(Counts)`
    SELECT count(*) AS items, count(final) AS final, coalesce(CAST(sum(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END) AS bigint), 0) AS waiting,
      coalesce(CAST(sum(given) AS bigint), 0) AS labels
    FROM review_items WHERE queue_id = ${queue_id}`)

/** Whether cases of a run are in an open queue, alone or as the second of a pair. */
export const isInOpenQueue = (run_no: number): Query<boolean> =>
  mapped(
    one(sql.type(Count)`
      SELECT (
        SELECT count(*) FROM review_items JOIN review_queues ON review_queues.queue_id = review_items.queue_id
        WHERE review_items.run_no = ${run_no} AND review_queues.closed_at IS NULL
      ) + (
        SELECT count(*) FROM review_queues JOIN review_items ON review_items.queue_id = review_queues.queue_id
        WHERE review_queues.kind = 'pairs' AND review_items.second_run_no = ${run_no} AND review_queues.closed_at IS NULL
      ) AS n`),
    ({ n }) => n > 0,
  )

const Queue = z.object({
  queue_id: id,
  project: id,
  suite: id,
  per_item: count,
  resolve: z.enum(RESOLVES),
  opened_by: id.nullable(),
  closed_at: z.number().nullable(),
})
export type QueueState = z.infer<typeof Queue>
const QUEUE_COLUMNS = sql.fragment`
  review_queues.queue_id, review_queues.project, review_queues.suite, review_queues.per_item, review_queues.resolve, review_queues.opened_by,
  review_queues.closed_at`

/** A queue of a suite that the viewer may see, or null. */
export const findQueueState = (viewer: Viewer, queue_id: string): Query<QueueState | null> =>
  maybeOne(sql.type(Queue)`
    SELECT ${QUEUE_COLUMNS} FROM review_queues WHERE queue_id = ${queue_id} AND ${visible(viewer, 'review_queues')}`)

/** The set of a queue that the viewer may see, or null. It never changes. */
export const findQueueSet = (viewer: Viewer, queue_id: string): Query<Suite | null> =>
  mapped(findQueueState(viewer, queue_id), (queue) => queue && { project: queue.project, suite: queue.suite })

const Person = z.object({ user_id: id, person: count, role: z.enum(REVIEW_ROLES), removed: count })
export type QueuePerson = z.infer<typeof Person>

/** The people of a queue, removed ones included, in the order in which they were first added. */
export const listQueuePeople = (queue_id: string): Query<QueuePerson[]> =>
  any(sql.type(Person)`
    SELECT user_id, person, role, removed FROM review_people WHERE queue_id = ${queue_id} ORDER BY person`)

/** Whether the run of an item `i` is stored, or both runs of a pair. */
export const RUN_IS_STORED = sql.fragment`(
  EXISTS (SELECT 1 FROM runs WHERE runs.run_no = i.run_no)
  AND (i.second_run_no IS NULL OR EXISTS (SELECT 1 FROM runs WHERE runs.run_no = i.second_run_no)))`

/** Whether an item is the only one of its queue that may still get a final label: items of deleted runs get none. */
export const isLastUnfinished = (queue_id: string, n: number): Query<boolean> =>
  mapped(
    maybeOne(sql.type(Count)`
      SELECT i.n FROM review_items i
      WHERE i.queue_id = ${queue_id} AND i.state IN ('open', 'waiting') AND i.n <> ${n} AND ${RUN_IS_STORED} LIMIT 1`),
    (other) => other === null,
  )

const Item = Queue.extend({
  n: count,
  run_no: count,
  case_n: count,
  second_run_no: count.nullable(),
  seed: id,
  runs: z.string(),
  run_index: count,
  state: z.enum(ITEM_STATES),
  has_run: count,
  own_run: count,
  questions: z.string(),
  person: count,
  role: z.enum(REVIEW_ROLES),
  declined: count,
  user_role: id,
})
/** An item as one of the people of its queue finds it. */
export type ItemForPerson = Omit<
  z.infer<typeof Item>,
  'runs' | 'run_index' | 'questions' | 'has_run' | 'own_run' | 'declined'
> & {
  readonly has_run: boolean
  /** Whether the account uploaded the run, or one of both. */
  readonly own_run: boolean
  readonly declined: boolean
  readonly document_sha256: string
  readonly questions: readonly Question[]
}

/** An item of a queue in which an account is listed, or null. */
export const findItemFor = (user_id: string | null, queue_id: string, n: number): Query<ItemForPerson | null> =>
  mapped(
    maybeOne(sql.type(Item)`
      SELECT ${QUEUE_COLUMNS}, review_queues.runs, review_queues.seed, i.n, i.run_no, i.case_n, i.second_run_no, i.run_index, i.state,
        CASE WHEN ${RUN_IS_STORED} THEN 1 ELSE 0 END AS has_run,
        (SELECT count(*) FROM runs WHERE runs.run_no IN (i.run_no, i.second_run_no) AND runs.uploaded_by = review_people.user_id) AS own_run,
        rubrics.questions, review_people.person, review_people.role, users.role AS user_role,
        (SELECT count(*) FROM review_declines
          WHERE review_declines.queue_id = i.queue_id AND review_declines.n = i.n AND review_declines.person = review_people.person) AS declined
      FROM review_items i JOIN review_queues ON review_queues.queue_id = i.queue_id
      JOIN review_people ON review_people.queue_id = i.queue_id
      JOIN users ON users.id = review_people.user_id
      JOIN rubrics ON rubrics.rubric_id = review_queues.rubric_id AND rubrics.version = review_queues.rubric_version
      WHERE i.queue_id = ${queue_id} AND i.n = ${n} AND review_people.user_id = ${user_id} AND review_people.removed = 0`),
    (row) => {
      if (!row) return null
      const { runs, run_index, questions, has_run, own_run, declined, ...item } = row
      // Safe: the projections wrote both.
      const { document_sha256 } = (JSON.parse(runs) as ReadonlyArray<{ document_sha256: string }>)[run_index]!
      return {
        ...item,
        has_run: has_run === 1,
        own_run: own_run > 0,
        declined: declined > 0,
        document_sha256,
        questions: JSON.parse(questions) as readonly Question[],
      }
    },
  )

const Label = z.object({
  label_id: id,
  queue_id: id,
  n: count,
  person: count,
  reviewer: id.nullable(),
  seq: count,
  answers: z.string().nullable(),
  decides: z.string().nullable(),
  seconds: z.number().nullable(),
  revises: id.nullable(),
  recognised: count,
  adjudicates: count,
  standing: count,
  withdrawn_at: z.number().nullable(),
  texts: z.string().nullable(),
})
export type StoredLabel = z.infer<typeof Label>
const LABEL_COLUMNS = sql.fragment`
  labels.label_id, labels.queue_id, labels.n, labels.person, labels.reviewer, labels.seq, labels.answers, labels.decides, labels.seconds, labels.revises,
  labels.recognised, labels.adjudicates, labels.standing, labels.withdrawn_at,
  (SELECT label_texts.texts FROM label_texts WHERE label_texts.label_id = labels.label_id) AS texts`

/** All labels of an item, the oldest first. For decisions: labels of others are never shown while a queue is open. */
export const listLabelsOfItem = (queue_id: string, n: number): Query<StoredLabel[]> =>
  any(sql.type(Label)`
    SELECT ${LABEL_COLUMNS} FROM labels WHERE queue_id = ${queue_id} AND n = ${n} ORDER BY seq`)

/** A label by its id, of any queue. */
export const findLabel = (label_id: string): Query<StoredLabel | null> =>
  maybeOne(sql.type(Label)`SELECT ${LABEL_COLUMNS} FROM labels WHERE label_id = ${label_id}`)

/** The item of an own label; null for labels of others. */
export const findOwnLabel = (
  user_id: string | null,
  label_id: string,
): Query<{ readonly queue_id: string; readonly n: number } | null> =>
  mapped(findLabel(label_id), (label) =>
    label && user_id !== null && label.reviewer === user_id ? { queue_id: label.queue_id, n: label.n } : null,
  )
