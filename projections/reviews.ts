import type {
  ErasedLabelData,
  ItemAdjudicated,
  LabelData,
  LabelGiven,
  ReviewQueueOpened,
} from '../commands/review/events.ts'
import { canonicalJson } from '../domain/run/canonical-json.ts'
import type { Recorded } from '../storage/command.ts'
import { insertRows, sql, statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

type Item = { readonly queue_id: string; readonly n: number }

// Inserted as rows: in the text of a statement, the column `runs` would be taken for the table, which a rebuild renames.
const QUEUE_COLUMNS = [
  'queue_id',
  'project',
  'suite',
  'rubric_id',
  'rubric_version',
  'target',
  'metric',
  'per_item',
  'resolve',
  'kind',
  'selection',
  'seed',
  'targeted',
  'runs',
  'opened_at',
  'opened_by',
  'opened_seq',
  'closed_at',
  'closed_seq',
  'cause',
]

const queueRow = ({ seq, recorded_at, actor, data }: Recorded<ReviewQueueOpened>) => [
  ...[data.queue_id, data.project, data.suite, data.rubric_id, data.rubric_version, data.target, data.metric],
  ...[data.per_item, data.resolve, data.selection.kind, canonicalJson(data.selection), data.seed],
  ...[data.targeted ? 1 : 0, canonicalJson(data.runs), recorded_at, actor.user_id ?? actor.credential_id, seq],
  ...[null, null, null],
]

const ITEM_COLUMNS = [
  'queue_id',
  'n',
  'run_index',
  'run_no',
  'case_n',
  'second_run_no',
  'second_case_n',
  'judge_id',
  'verdict',
  'criterion',
  'given',
  'state',
]

const itemRows = ({ queue_id, runs, items }: ReviewQueueOpened['data']) =>
  items.map((item, i) => {
    const [run_index, case_n, verdict, criterion, second, second_case_n] = item
    const run = runs[run_index]
    if (!run) throw new Error(`item ${i + 1} of the queue ${queue_id} has no run`)
    const second_run_no = second === undefined ? null : (runs[second]?.run_no ?? null)
    return [
      ...[queue_id, i + 1, run_index, run.run_no, case_n, second_run_no, second_case_n ?? null],
      ...[run.judge_id, verdict, criterion, 0, 'open'],
    ]
  })

/**
 * What the labels of an item say. It follows from the labels alone, whatever happened to them: what the adjudicator said, else the
 * answer that all labels of a full item have, or most of them where the majority decides. As `finalOf` in `domain/review/final.ts`. An
 * item of an imported queue is full with the labels that it has.
 */
const settleItem = ({ queue_id, n }: Item): Statement[] => {
  const votes = sql.fragment`(
    SELECT count(*) FROM labels votes WHERE votes.queue_id = ${queue_id} AND votes.n = ${n} AND votes.standing = 1)`
  return [
    statement`
      UPDATE review_items SET
        given = (
          SELECT count(*) FROM labels WHERE labels.queue_id = ${queue_id} AND labels.n = ${n} AND labels.standing = 1 AND labels.adjudicates = 0),
        final = (
          SELECT labels.decides FROM labels JOIN review_queues ON review_queues.queue_id = labels.queue_id
          WHERE labels.queue_id = ${queue_id} AND labels.n = ${n} AND labels.standing = 1
          GROUP BY labels.decides, review_queues.per_item, review_queues.resolve, review_queues.kind
          HAVING max(labels.adjudicates) = 1
            OR (
              count(*) * (CASE review_queues.resolve WHEN 'majority' THEN 2 ELSE 1 END)
                >= ${votes} + (CASE review_queues.resolve WHEN 'majority' THEN 1 ELSE 0 END)
              AND (review_queues.kind = 'imported' OR review_queues.per_item = ${votes}))
          ORDER BY max(labels.adjudicates) DESC LIMIT 1)
      WHERE queue_id = ${queue_id} AND n = ${n}`,
    statement`
      UPDATE review_items SET
        state = CASE
          WHEN final IS NOT NULL THEN 'final'
          WHEN given >= (
            SELECT CASE review_queues.kind WHEN 'imported' THEN 1 ELSE review_queues.per_item END
            FROM review_queues WHERE review_queues.queue_id = ${queue_id}) THEN 'waiting'
          ELSE 'open' END,
        final_pass = (
          SELECT max(labels.passes) FROM labels
          WHERE labels.queue_id = ${queue_id} AND labels.n = ${n} AND labels.standing = 1 AND labels.decides = review_items.final),
        final_seq = CASE WHEN final IS NULL THEN NULL ELSE (
          SELECT max(labels.seq) FROM labels
          WHERE labels.queue_id = ${queue_id} AND labels.n = ${n} AND labels.standing = 1) END,
        final_score = CASE WHEN final IS NULL THEN NULL ELSE (
          SELECT avg(scored.score) FROM (
            SELECT labels.score, row_number() OVER (ORDER BY labels.score) AS place, count(*) OVER () AS scores FROM labels
            WHERE labels.queue_id = ${queue_id} AND labels.n = ${n} AND labels.standing = 1 AND labels.score IS NOT NULL
              AND labels.decides = review_items.final
              AND labels.adjudicates = (
                SELECT max(decided.adjudicates) FROM labels decided
                WHERE decided.queue_id = ${queue_id} AND decided.n = ${n} AND decided.standing = 1)) scored
          WHERE 2 * scored.place IN (scored.scores, scored.scores + 1, scored.scores + 2)) END
      WHERE queue_id = ${queue_id} AND n = ${n}`,
  ]
}

const insertLabel = (
  { seq, recorded_at, actor, data }: Recorded<LabelGiven | ItemAdjudicated>,
  adjudicates: 0 | 1,
): Statement[] => {
  const { label_id, queue_id, n, person, revises } = data
  const replaced = revises === null ? [] : [statement`UPDATE labels SET standing = 0 WHERE label_id = ${revises}`]
  // What an erasure kept says only that there was a label.
  if ('erased' in (data as LabelData | ErasedLabelData))
    return [
      ...replaced,
      statement`
        INSERT INTO labels (label_id, queue_id, n, person, reviewer, seq, given_at, answers, decides, passes, score, seconds, revises, blind,
          recognised, side, text_sha256, imported, own_run, adjudicates, standing, withdrawn_at, erased)
        VALUES (${label_id}, ${queue_id}, ${n}, ${person}, NULL, ${seq}, ${recorded_at}, NULL, NULL, NULL, NULL, NULL, ${revises}, NULL,
          0, NULL, NULL, NULL, 0, ${adjudicates}, 0, NULL, 1)`,
      ...settleItem(data),
    ]
  const { answers, decides, seconds, blind, recognised, side, text_sha256, imported, own_run } = data
  // The reviewer of an imported label has no account here: its actor is the account that imported it.
  const reviewer = imported === null ? actor.user_id : null
  return [
    ...replaced,
    statement`
      INSERT INTO labels (label_id, queue_id, n, person, reviewer, seq, given_at, answers, decides, passes, score, seconds, revises, blind,
        recognised, side, text_sha256, imported, own_run, adjudicates, standing, withdrawn_at, erased)
      VALUES (${label_id}, ${queue_id}, ${n}, ${person}, ${reviewer}, ${seq}, ${data.given_at ?? recorded_at}, ${canonicalJson(answers)}, ${decides.answer},
        ${decides.passes}, ${decides.score}, ${seconds}, ${revises}, ${blind}, ${recognised ? 1 : 0}, ${side}, ${text_sha256}, ${imported},
        ${own_run ? 1 : 0}, ${adjudicates}, 1, NULL, 0)`,
    ...settleItem(data),
  ]
}

/** Queues of cases that people label, their items, and the labels. Texts of labels are next to the log. */
export const reviews = projection(
  {
    name: 'reviews',
    version: 1,
    tables: ['review_queues', 'review_items', 'labels', 'review_people', 'review_declines'],
    readsNoDocument: true,
  },
  {
    ReviewQueueOpened: (recorded) => [
      insertRows('review_queues', QUEUE_COLUMNS, [queueRow(recorded)]),
      insertRows('review_items', ITEM_COLUMNS, itemRows(recorded.data)),
    ],
    ReviewersChanged: ({ data: { queue_id, added, removed } }) => [
      ...removed.map(
        (user_id) =>
          statement`UPDATE review_people SET removed = 1 WHERE queue_id = ${queue_id} AND user_id = ${user_id}`,
      ),
      ...added.flatMap(({ user_id, role, person }) => [
        statement`DELETE FROM review_people WHERE queue_id = ${queue_id} AND user_id = ${user_id}`,
        statement`
          INSERT INTO review_people (queue_id, user_id, person, role, removed) VALUES (${queue_id}, ${user_id}, ${person}, ${role}, 0)`,
      ]),
    ],
    ReviewQueueClosed: ({ seq, recorded_at, data: { queue_id, cause } }) => [
      statement`
        UPDATE review_queues SET closed_at = ${recorded_at}, closed_seq = ${seq}, cause = ${cause} WHERE queue_id = ${queue_id}`,
    ],
    LabelGiven: (recorded) => insertLabel(recorded, 0),
    ItemAdjudicated: (recorded) => insertLabel(recorded, 1),
    LabelWithdrawn: ({ recorded_at, data }) => [
      statement`UPDATE labels SET standing = 0, withdrawn_at = ${recorded_at} WHERE label_id = ${data.label_id}`,
      ...settleItem(data),
    ],
    ItemDeclined: ({ data: { queue_id, n, person, reason } }) => [
      statement`INSERT INTO review_declines (queue_id, n, person, reason) VALUES (${queue_id}, ${n}, ${person}, ${reason})`,
    ],
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null) return []
      const { type, recorded_at } = attachedRecord(recorded)
      if (type === 'ReviewQueueOpened') {
        const { queue_id } = kept.data as ReviewQueueOpened['data']
        return [statement`UPDATE review_queues SET opened_by = NULL WHERE queue_id = ${queue_id}`]
      }
      if (type !== 'LabelGiven' && type !== 'ItemAdjudicated') return []
      const label = kept.data as LabelData | ErasedLabelData
      if (!('erased' in label)) return [statement`UPDATE labels SET reviewer = NULL WHERE label_id = ${label.label_id}`]
      return [
        statement`
          UPDATE labels SET reviewer = NULL, given_at = ${recorded_at}, answers = NULL, decides = NULL, passes = NULL, score = NULL, seconds = NULL, blind = NULL,
            recognised = 0, side = NULL, text_sha256 = NULL, imported = NULL, own_run = 0, standing = 0, erased = 1
          WHERE label_id = ${label.label_id}`,
        ...settleItem(label),
      ]
    },
  },
)
