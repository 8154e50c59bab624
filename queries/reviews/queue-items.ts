import { z } from 'zod'
import { ITEM_STATES, letterOf, type ItemState } from '../../domain/review/final.ts'
import { REVIEWER_NAME } from '../../domain/review/imported.ts'
import { page } from '../../domain/wire.ts'
import { any, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { RUN_IS_STORED } from './queue-state.ts'
import { inList, type Page, type ReviewQueue } from './queues.ts'

// The items of a queue, as those see them who may see its suite. What people said is shown once the queue is closed.

const count = z.number().int()
const text = z.string()

/** What a judge says of an item. */
export const VERDICTS = ['pass', 'fail'] as const

const ItemLabel = z.object({
  letter: text,
  decides: text.nullable().meta({ description: 'The answer to the deciding question: of a score, its side' }),
  answers: z.record(text, z.unknown()),
  texts: z.record(text, z.unknown()).nullable(),
  seconds: z.number().nullable().meta({ description: 'Null if the file of an imported label does not say it' }),
  blind: text,
  recognised: z.boolean(),
  adjudicates: z.boolean(),
  own_run: z.boolean(),
})

export const ReviewItemList = z
  .object({
    items: z.array(
      z.object({
        id: text,
        run_id: text.nullable(),
        case_key: text.nullable(),
        test_id: text.nullable(),
        name: text.nullable(),
        second: z
          .object({ run_id: text, case_key: text })
          .nullable()
          .meta({ description: 'Of a pair, the case B; null for others and once its run was deleted' }),
        judge_id: text.nullable(),
        verdict: z.enum(VERDICTS).nullable(),
        state: z.enum(ITEM_STATES).nullable().meta({ description: 'Null for those who may not see it yet' }),
        final: text.nullable(),
        final_score: z.number().nullable(),
        labels: z.array(ItemLabel).nullable().meta({ description: 'Null until the queue is closed' }),
      }),
    ),
    next_cursor: text.nullable(),
  })
  .meta({ id: 'ReviewItemList' })
export type ReviewItemList = z.infer<typeof ReviewItemList>

const ItemRow = z.object({
  n: count,
  judge_id: text.nullable(),
  verdict: count.nullable(),
  state: z.enum(ITEM_STATES),
  final: text.nullable(),
  final_score: z.number().nullable(),
  run_id: text.nullable(),
  case_key: text.nullable(),
  test_id: text.nullable(),
  name: text.nullable(),
  second_run_id: text.nullable(),
  second_case_key: text.nullable(),
})

const LabelRow = z.object({
  n: count,
  person: count,
  decides: text.nullable(),
  answers: text,
  texts: text.nullable(),
  seconds: z.number().nullable(),
  blind: text,
  recognised: count,
  adjudicates: count,
  own_run: count,
})

/** The case B of an item `i`, if it is a pair. */
export const WITH_SECOND = sql.fragment`
  LEFT JOIN runs second_run ON second_run.run_no = i.second_run_no
  LEFT JOIN cases second_case ON second_case.run_no = i.second_run_no AND second_case.n = i.second_case_n`

/** The standing labels of some items, with the letters of those who gave them. For closed queues. */
const listItemLabels = (queue_id: string, ns: readonly number[]): Query<Array<z.infer<typeof LabelRow>>> =>
  any(sql.type(LabelRow)`
    SELECT labels.n, labels.person, labels.decides, labels.answers, labels.seconds, labels.blind, labels.recognised, labels.adjudicates, labels.own_run,
      (SELECT label_texts.texts FROM label_texts WHERE label_texts.label_id = labels.label_id) AS texts
    FROM labels WHERE labels.queue_id = ${queue_id} AND labels.standing = 1 AND labels.n IN (${inList(ns)}) ORDER BY labels.n, labels.seq`)

/** The comments and marks of a label, without the name that an imported one has with them. */
const proseIn = (texts: string | null): Record<string, unknown> | null => {
  if (texts === null) return null
  // Safe: the command wrote it.
  const { [REVIEWER_NAME]: _, ...prose } = JSON.parse(texts) as Record<string, unknown>
  return Object.keys(prose).length === 0 ? null : prose
}

/** Why items cannot be listed by their state, or by what they were decided. */
export const STATES_HIDDEN = 'states of items are shown when the queue is closed'

/** The final answers that items can be listed by, by what they say of the deciding question. */
export const FINALS = ['pass', 'fail', 'cannot_tell'] as const
/** Whose verdicts are not the same: those of people, or those of people and the judge. */
export const DIFFERENCES = ['people', 'judge'] as const

/** Items in one state, with one verdict of the judge, with one final answer. */
export type ItemFilters = {
  readonly state?: ItemState | undefined
  readonly verdict?: (typeof VERDICTS)[number] | undefined
  readonly final?: (typeof FINALS)[number] | undefined
  readonly differs?: (typeof DIFFERENCES)[number] | undefined
}

const HAS_FINAL: Readonly<Record<(typeof FINALS)[number], Fragment>> = {
  pass: sql.fragment`i.final_pass = 1`,
  fail: sql.fragment`i.final_pass = 0`,
  cannot_tell: sql.fragment`i.final = 'cannot_tell'`,
}
const DIFFERS: Readonly<Record<(typeof DIFFERENCES)[number], Fragment>> = {
  people: sql.fragment`
    (SELECT count(DISTINCT l.decides) FROM labels l
     WHERE l.queue_id = i.queue_id AND l.n = i.n AND l.standing = 1 AND l.adjudicates = 0) > 1`,
  judge: sql.fragment`i.final_pass <> i.verdict`,
}

const filtered = ({ state, verdict, final, differs }: ItemFilters, stateNow: Fragment): Fragment[] => [
  ...(state === undefined ? [] : [sql.fragment`${stateNow} = ${state}`]),
  ...(verdict === undefined ? [] : [sql.fragment`i.verdict = ${verdict === 'pass' ? 1 : 0}`]),
  ...(final === undefined ? [] : [HAS_FINAL[final]]),
  ...(differs === undefined ? [] : [DIFFERS[differs]]),
]

/**
 * The items of a queue that the viewer sees, in their order. Labels and final answers only once it is closed. Returns null if the
 * viewer may not know the states that are asked for.
 */
export const listReviewItems = async (
  reader: Reader,
  queue: ReviewQueue,
  filters: ItemFilters,
  { limit, cursor }: Page,
): Promise<ReviewItemList | null> => {
  const isClosed = queue.closed_at !== null
  const seesStates = queue.progress !== null && queue.progress.waiting !== null
  if (filters.state !== undefined && !seesStates) return null
  if ((filters.final !== undefined || filters.differs !== undefined) && !isClosed) return null
  const after = cursor !== undefined && /^\d{1,6}$/.test(cursor) ? Number(cursor) : 0
  const stateNow = sql.fragment`CASE WHEN i.state <> 'final' AND NOT ${RUN_IS_STORED} THEN 'gone' ELSE i.state END`
  const found = await reader.read(
    any(sql.type(ItemRow)`
      SELECT i.n, i.judge_id, i.verdict, ${stateNow} AS state, i.final, i.final_score, runs.id AS run_id, cases.case_key, cases.test_id, cases.name,
        second_run.id AS second_run_id, second_case.case_key AS second_case_key
      FROM review_items i LEFT JOIN runs ON runs.run_no = i.run_no LEFT JOIN cases ON cases.run_no = i.run_no AND cases.n = i.case_n
      ${WITH_SECOND}
      WHERE ${sql.join([sql.fragment`i.queue_id = ${queue.id} AND i.n > ${after}`, ...filtered(filters, stateNow)], sql.fragment` AND `)}
      ORDER BY i.n LIMIT ${limit + 1}`),
  )
  const { rows, next_cursor } = page(found, limit, ({ n }) => String(n))
  const labels = isClosed
    ? await reader.read(
        listItemLabels(
          queue.id,
          rows.map(({ n }) => n),
        ),
      )
    : []
  return {
    items: rows.map(({ n, verdict, state: stored, final, final_score, second_run_id, second_case_key, ...row }) => ({
      id: `${queue.id}.${n}`,
      ...row,
      second:
        second_run_id === null || second_case_key === null
          ? null
          : { run_id: second_run_id, case_key: second_case_key },
      verdict: verdict === null ? null : verdict === 1 ? 'pass' : 'fail',
      state: seesStates ? stored : null,
      final: isClosed ? final : null,
      final_score: isClosed ? final_score : null,
      labels: isClosed
        ? labels
            .filter((label) => label.n === n)
            .map(({ n: _, person, answers, texts, recognised, adjudicates, own_run, ...label }) => ({
              letter: letterOf(person),
              // Safe: the projection and the command wrote them.
              answers: JSON.parse(answers) as Record<string, unknown>,
              texts: proseIn(texts),
              ...label,
              recognised: recognised === 1,
              adjudicates: adjudicates === 1,
              own_run: own_run === 1,
            }))
        : null,
    })),
    next_cursor,
  }
}
