import { z } from 'zod'
import { QUEUE_TARGETS, type QueueTarget } from '../../domain/review/final.ts'
import { any, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import type { Suite } from '../sets/baselines.ts'

// What people said about cases, from queues that are closed. Labels of open queues are read by their own reviewers alone.

const count = z.number().int()
const side = z.union([z.literal(0), z.literal(1)])

/** A run of a queue with one judge. Counts are of cases, and outlive the run. */
export const QueueRun = z.object({
  run_no: count,
  document_sha256: z.string(),
  judge_id: z.string().nullable(),
  passed: count,
  failed: count,
  other: count,
})

const ClosedRow = z.object({
  queue_id: z.string(),
  rubric_id: z.string(),
  rubric_version: count,
  kind: z.string(),
  targeted: z.number(),
  runs: z.string(),
  opened_seq: count,
  closed_seq: count,
})
export type ClosedQueue = Omit<z.infer<typeof ClosedRow>, 'runs' | 'targeted'> & {
  readonly targeted: boolean
  readonly runs: ReadonlyArray<z.infer<typeof QueueRun>>
}

/**
 * The closed queues of a suite about one target, those that were opened first come first; without preferences, which say nothing of a
 * judge. `as_of`: as they were when the log had so many records; null for now.
 */
export const listClosedQueues = (
  viewer: Viewer,
  { project, suite }: Suite,
  { target, metric }: { readonly target: QueueTarget; readonly metric: string | null },
  as_of: number | null = null,
): Query<ClosedQueue[]> =>
  mapped(
    any(sql.type(ClosedRow)`
      SELECT queue_id, rubric_id, rubric_version, kind, targeted, runs, opened_seq, closed_seq FROM review_queues
      WHERE project = ${project} AND suite = ${suite} AND target = ${target} AND coalesce(metric, '') = ${metric ?? ''}
        AND closed_seq IS NOT NULL AND kind <> 'pairs' AND ${as_of === null ? sql.fragment`TRUE` : sql.fragment`closed_seq <= ${as_of}`}
        AND ${visible(viewer, 'review_queues')}
      ORDER BY opened_seq`),
    (rows) =>
      rows.map(({ targeted, runs, ...row }) => ({
        ...row,
        targeted: targeted === 1,
        // Safe: the projection wrote it.
        runs: JSON.parse(runs) as ClosedQueue['runs'],
      })),
  )

const Asked = z.object({ target: z.enum(QUEUE_TARGETS), metric: z.string().nullable() })

/** What the closed, untargeted queues of a suite asked people to judge, that of the newest queue first. */
export const listAskedTargets = (
  viewer: Viewer,
  { project, suite }: Suite,
  as_of: number | null,
): Query<Array<z.infer<typeof Asked>>> =>
  any(sql.type(Asked)`
    SELECT target, metric FROM review_queues
    WHERE project = ${project} AND suite = ${suite} AND targeted = 0
      AND closed_seq IS NOT NULL AND kind <> 'pairs' AND ${as_of === null ? sql.fragment`TRUE` : sql.fragment`closed_seq <= ${as_of}`}
      AND ${visible(viewer, 'review_queues')}
    GROUP BY target, metric ORDER BY max(opened_seq) DESC`)

const ItemRow = z.object({
  queue_id: z.string(),
  queue: count,
  n: count,
  run_no: count,
  case_n: count,
  judge_id: z.string().nullable(),
  verdict: side.nullable(),
  criterion: z.string().nullable(),
  final: z.string().nullable(),
  final_pass: side.nullable(),
  final_score: z.number().nullable(),
  given_at: z.number().nullable(),
  passes: side.nullable(),
  adjudicates: z.number().nullable(),
})

/** An item of a closed queue. `queue` grows with the time at which a queue was opened. */
export type LabelledItem = Omit<z.infer<typeof ItemRow>, 'passes' | 'adjudicates'> & {
  /** The sides of its labels before anything was adjudicated, without "cannot tell". */
  readonly votes: ReadonlyArray<0 | 1>
}

/** The items of closed queues with what their labels say, in the order of the queues and items. `given_at` is of the newest label. */
export const listLabelledItems = (queue_ids: readonly string[]): Query<LabelledItem[]> =>
  mapped(
    any(sql.type(ItemRow)`
      SELECT i.queue_id, q.opened_seq AS queue, i.n, i.run_no, i.case_n, i.judge_id, i.verdict, i.criterion, i.final, i.final_pass,
        i.final_score, l.given_at, l.passes, l.adjudicates
      FROM review_queues q JOIN review_items i ON i.queue_id = q.queue_id
      LEFT JOIN labels l ON l.queue_id = i.queue_id AND l.n = i.n AND l.standing = 1
      WHERE q.closed_seq IS NOT NULL AND q.queue_id IN (${
        queue_ids.length === 0 ? sql.fragment`NULL` : sql.join([...queue_ids], sql.fragment`, `)
      })
      ORDER BY q.opened_seq, i.n, l.seq`),
    (rows) => {
      const items: Array<LabelledItem & { given_at: number | null; votes: Array<0 | 1> }> = []
      for (const { passes, adjudicates, ...row } of rows) {
        const last = items.at(-1)
        const isSame = last?.queue_id === row.queue_id && last.n === row.n
        const item = isSame ? last : { ...row, votes: [] }
        if (!isSame) items.push(item)
        item.given_at = row.given_at
        if (passes !== null && adjudicates === 0) item.votes.push(passes)
      }
      return items
    },
  )
