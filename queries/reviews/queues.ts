import { z } from 'zod'
import { letterOf, QUEUE_TARGETS, RESOLVES, REVIEW_ROLES } from '../../domain/review/final.ts'
import type { QueueRun } from '../../domain/review/queue.ts'
import { page, rfc3339 } from '../../domain/wire.ts'
import { any, sql, type Fragment } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { findManaged } from '../access/levels.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { idInCursor } from '../tuple-cursor.ts'
import { listImportedPeople } from './imported-labels.ts'
import { RUN_IS_STORED } from './queue-state.ts'

// Queues as those see them who may see their suite. While a queue is open, nothing here depends on what a label says, but how many items
// wait: that is for those who run the queue and do not label in it.

const count = z.number().int()
const text = z.string()

const QueueRunView = z.object({
  run_id: text.nullable().meta({ description: 'Null if the run was deleted' }),
  judge_id: text.nullable(),
  passed: count,
  failed: count,
  other: count,
})

export const ReviewQueue = z
  .object({
    id: text,
    project: text,
    suite: text,
    rubric_id: text,
    rubric_version: count,
    name: text.meta({ description: 'The name of the rubric' }),
    target: z.enum(QUEUE_TARGETS),
    metric: text.nullable(),
    per_item: count.meta({ description: 'Labels that each case gets' }),
    resolve: z.enum(RESOLVES),
    selection: z.object({
      kind: text,
      count: count.optional(),
      passed: count.optional(),
      failed: count.optional(),
      half_width: z.number().nullable().optional(),
      format: text.optional().meta({ description: 'Of imported labels, the format of their file' }),
    }),
    seed: text,
    targeted: z
      .boolean()
      .meta({ description: 'Cases were chosen by what the judge said: never part of a calibration' }),
    runs: z.array(QueueRunView),
    items: count,
    opened_at: text,
    opened_by: text.nullable(),
    closed_at: text.nullable(),
    cause: z.enum(['complete', 'request']).nullable(),
    progress: z
      .object({
        given: count.meta({ description: 'Standing labels' }),
        started: count.meta({ description: 'Items with some of their labels' }),
        full: count.meta({ description: 'Items with all of their labels' }),
        declined: count,
        gone: count.nullable().meta({ description: 'Items whose run was deleted before they had a final label' }),
        erased: count.meta({ description: 'Labels that were erased' }),
        final: count.nullable(),
        waiting: count.nullable().meta({ description: 'Items that wait for an adjudicator' }),
      })
      .nullable()
      .meta({
        description:
          'While the queue is open, only for those who opened it, adjudicate in it or manage the suite; `gone`, `final` and `waiting` only for those who never labelled in it',
      }),
    people: z.array(
      z.object({
        letter: text,
        name: text.nullable().meta({ description: 'Only for those who opened the queue or manage the suite' }),
        role: z.enum(REVIEW_ROLES),
        labelled: count
          .nullable()
          .meta({ description: 'Their standing labels, of an adjudicator the decisions; with `progress`' }),
        declined: count.nullable(),
      }),
    ),
    my_role: z.enum(REVIEW_ROLES).nullable().meta({ description: 'As what the caller is listed' }),
  })
  .meta({ id: 'ReviewQueue' })
export type ReviewQueue = z.infer<typeof ReviewQueue>

export const ReviewQueueList = z
  .object({ queues: z.array(ReviewQueue), next_cursor: text.nullable() })
  .meta({ id: 'ReviewQueueList' })
export type ReviewQueueList = z.infer<typeof ReviewQueueList>

export const QUEUE_STATES = ['open', 'closed'] as const

const Row = ReviewQueue.pick({
  project: true,
  suite: true,
  rubric_id: true,
  rubric_version: true,
  target: true,
  metric: true,
  per_item: true,
  resolve: true,
  seed: true,
  opened_by: true,
  cause: true,
}).extend({
  queue_id: text,
  kind: text,
  selection: text,
  runs: text,
  words: text,
  targeted: count,
  opened_at: z.number(),
  closed_at: z.number().nullable(),
  opener: text.nullable(),
})
type Row = z.infer<typeof Row>

const COLUMNS = sql.fragment`
  review_queues.queue_id, review_queues.project, review_queues.suite, review_queues.rubric_id, review_queues.rubric_version, review_queues.target,
  review_queues.metric, review_queues.per_item, review_queues.resolve, review_queues.kind, review_queues.selection, review_queues.seed, review_queues.targeted,
  review_queues.runs, review_queues.opened_at, review_queues.opened_by AS opener, review_queues.closed_at, review_queues.cause,
  (SELECT label FROM principals WHERE principals.id = review_queues.opened_by) AS opened_by,
  (SELECT rubric_texts.words FROM rubric_texts
   WHERE rubric_texts.text_id = review_queues.rubric_id || '.' || CAST(review_queues.rubric_version AS text)) AS words`

const Tally = z.object({
  ...{ queue_id: text, items: count, given: count, started: count, full: count },
  ...{ final: count, waiting: count, gone: count },
})
const Extra = z.object({ queue_id: text, n: count })
const PersonRow = z.object({
  queue_id: text,
  user_id: text,
  person: count,
  role: z.enum(REVIEW_ROLES),
  removed: count,
  name: text.nullable(),
  labelled: count,
  declined: count,
})
const RunRow = z.object({ run_no: count, id: text })

/** Values for `IN`, of which there may be none. */
export const inList = (ids: ReadonlyArray<string | number>): Fragment =>
  ids.length === 0 ? sql.fragment`NULL` : sql.join([...ids], sql.fragment`, `)

const sum = (condition: Fragment): Fragment =>
  sql.fragment`CAST(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS bigint)`

/** What the viewer may see of a queue. `follows`: how far it came. `counts`: also how many of its items are decided. */
type Standing = { readonly names: boolean; readonly follows: boolean; readonly counts: boolean }

/** `people` has removed ones too: who leaves the list of reviewers still knows the own labels, and may come back to it. */
const standingOf = (
  viewer: Viewer,
  row: Pick<Row, 'opener' | 'closed_at'>,
  people: ReadonlyArray<z.infer<typeof PersonRow>>,
  manages: boolean,
): Standing => {
  const { user_id, credential_id } = viewer.actor
  const isOpener = row.opener !== null && row.opener === (user_id ?? credential_id)
  const person = people.find((each) => each.user_id === user_id)
  const isClosed = row.closed_at !== null
  const adjudicates = person?.role === 'adjudicator' && person.removed === 0
  const follows = isClosed || isOpener || manages || adjudicates
  return { names: isOpener || manages, follows, counts: isClosed || (follows && person?.role !== 'reviewer') }
}

const readViews = async (reader: Reader, viewer: Viewer, rows: readonly Row[]): Promise<ReviewQueue[]> => {
  const ids = inList(rows.map(({ queue_id }) => queue_id))
  const importedIds = rows.flatMap(({ queue_id, kind }) => (kind === 'imported' ? [queue_id] : []))
  const [tallies, declines, erased, people, foreign] = await Promise.all([
    reader.read(
      any(sql.type(Tally)`
        SELECT i.queue_id, count(*) AS items, CAST(sum(i.given) AS bigint) AS given,
          ${sum(sql.fragment`i.given > 0 AND i.given < q.per_item`)} AS started, ${sum(sql.fragment`i.given >= q.per_item`)} AS full,
          ${sum(sql.fragment`i.state = 'final'`)} AS final, ${sum(sql.fragment`i.state = 'waiting'`)} AS waiting,
          ${sum(sql.fragment`i.state <> 'final' AND NOT ${RUN_IS_STORED}`)} AS gone
        FROM review_items i JOIN review_queues q ON q.queue_id = i.queue_id WHERE i.queue_id IN (${ids}) GROUP BY i.queue_id`),
    ),
    reader.read(
      any(sql.type(Extra)`
        SELECT queue_id, count(*) AS n FROM review_declines WHERE queue_id IN (${ids}) GROUP BY queue_id`),
    ),
    reader.read(
      any(sql.type(Extra)`
        SELECT queue_id, count(*) AS n FROM labels WHERE queue_id IN (${ids}) AND erased = 1 GROUP BY queue_id`),
    ),
    reader.read(
      any(sql.type(PersonRow)`
        SELECT p.queue_id, p.user_id, p.person, p.role, p.removed, (SELECT label FROM principals WHERE principals.id = p.user_id) AS name,
          (SELECT count(*) FROM labels l WHERE l.queue_id = p.queue_id AND l.person = p.person AND l.standing = 1) AS labelled,
          (SELECT count(*) FROM review_declines d WHERE d.queue_id = p.queue_id AND d.person = p.person) AS declined
        FROM review_people p WHERE p.queue_id IN (${ids}) ORDER BY p.queue_id, p.person`),
    ),
    reader.read(listImportedPeople(importedIds)),
  ])
  // Safe: the projection wrote it.
  const runsOf = ({ runs }: Row) => JSON.parse(runs) as readonly QueueRun[]
  const run_nos = [...new Set(rows.flatMap((row) => runsOf(row).map(({ run_no }) => run_no)))]
  const stored = await reader.read(
    any(sql.type(RunRow)`SELECT run_no, id FROM runs WHERE run_no IN (${inList(run_nos)})`),
  )
  const runIds = new Map(stored.map(({ run_no, id }) => [run_no, id]))
  const isManaged = await reader.read(findManaged(viewer))
  const of = (list: ReadonlyArray<z.infer<typeof Extra>>, id: string) =>
    list.find(({ queue_id }) => queue_id === id)?.n ?? 0

  return rows.map((row) => {
    const {
      queue_id: id,
      opener: _,
      kind: _kind,
      selection,
      runs: _runs,
      words,
      targeted,
      opened_at,
      closed_at,
      ...fields
    } = row
    const own = people.filter(({ queue_id }) => queue_id === id)
    const listed = own.filter(({ removed }) => removed === 0)
    const { names, follows, counts } = standingOf(viewer, row, own, isManaged(row))
    const {
      items = 0,
      given = 0,
      started = 0,
      full = 0,
      final = 0,
      waiting = 0,
      gone = 0,
    } = tallies.find(({ queue_id }) => queue_id === id) ?? {}
    return {
      id,
      ...fields,
      // Safe: the projection wrote both.
      name: (JSON.parse(words) as { name: string }).name,
      selection: JSON.parse(selection) as ReviewQueue['selection'],
      targeted: targeted === 1,
      runs: runsOf(row).map(({ run_no, judge_id, passed, failed, other }) => ({
        ...{ run_id: runIds.get(run_no) ?? null, judge_id, passed, failed, other },
      })),
      items,
      opened_at: rfc3339(opened_at),
      closed_at: closed_at === null ? null : rfc3339(closed_at),
      progress: follows
        ? {
            ...{ given, started, full, declined: of(declines, id), erased: of(erased, id) },
            ...(counts ? { gone, final, waiting } : { gone: null, final: null, waiting: null }),
          }
        : null,
      people: [
        ...listed.map(({ person, name, role, labelled, declined }) => ({
          ...{ letter: letterOf(person), name: names ? name : null, role },
          // How many an adjudicator decided says how many labels differed.
          labelled: counts || (follows && role === 'reviewer') ? labelled : null,
          declined: follows ? declined : null,
        })),
        ...foreign.flatMap(({ queue_id, person, name, labelled }) =>
          queue_id === id
            ? [
                {
                  letter: letterOf(person),
                  name: names ? name : null,
                  role: 'reviewer' as const,
                  labelled,
                  declined: 0,
                },
              ]
            : [],
        ),
      ],
      my_role: listed.find(({ user_id }) => user_id === viewer.actor.user_id)?.role ?? null,
    }
  })
}

export type QueueFilters = {
  readonly project?: string | undefined
  readonly suite?: string | undefined
  readonly state?: (typeof QUEUE_STATES)[number] | undefined
}
export type Page = { readonly limit: number; readonly cursor?: string | undefined }

/** The queues of suites that the viewer may see, the newest first. */
export const listReviewQueues = async (
  reader: Reader,
  viewer: Viewer,
  { project, suite, state }: QueueFilters,
  { limit, cursor }: Page,
): Promise<ReviewQueueList> => {
  const after = idInCursor(cursor)
  const conditions: Fragment[] = [
    visible(viewer, 'review_queues'),
    ...(project === undefined ? [] : [sql.fragment`review_queues.project = ${project}`]),
    ...(suite === undefined ? [] : [sql.fragment`review_queues.suite = ${suite}`]),
    ...(state === undefined
      ? []
      : [
          state === 'open'
            ? sql.fragment`review_queues.closed_at IS NULL`
            : sql.fragment`review_queues.closed_at IS NOT NULL`,
        ]),
    ...(after === undefined ? [] : [sql.fragment`review_queues.queue_id < ${after}`]),
  ]
  const found = await reader.read(
    any(sql.type(Row)`
      SELECT ${COLUMNS} FROM review_queues WHERE ${sql.join(conditions, sql.fragment` AND `)}
      ORDER BY review_queues.queue_id DESC LIMIT ${limit + 1}`),
  )
  const { rows, next_cursor } = page(found, limit, ({ queue_id }) => queue_id)
  return { queues: await readViews(reader, viewer, rows), next_cursor }
}

/** A queue of a suite that the viewer may see, or null. */
export const findReviewQueue = async (
  reader: Reader,
  viewer: Viewer,
  queue_id: string,
): Promise<ReviewQueue | null> => {
  const rows = await reader.read(
    any(sql.type(Row)`
      SELECT ${COLUMNS} FROM review_queues WHERE review_queues.queue_id = ${queue_id} AND ${visible(viewer, 'review_queues')}`),
  )
  return (await readViews(reader, viewer, rows))[0] ?? null
}
