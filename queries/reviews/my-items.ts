import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { RESOLVES, REVIEW_ROLES } from '../../domain/review/final.ts'
import { sideOf, turnedAnswers, type Side } from '../../domain/review/queue.ts'
import { joinQuestions, type Question, type RubricWords } from '../../domain/review/rubric.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { any, maybeOne, numberList, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { readCaseAt } from '../cases/cases.ts'
import { deletedAsNull, type DocumentReader } from '../runs/documents.ts'
import { RUN_IS_STORED } from './queue-state.ts'
import { RubricQuestion } from './rubrics.ts'

// What a reviewer sees: the rubric, what the system was asked and what it answered, under an opaque id. Nothing of runs, suites, models,
// judges, scores or others. An adjudicator also sees the labels of items that wait, without names.

const count = z.number().int()
const text = z.string()

export const MyQueues = z
  .object({
    queues: z.array(
      z.object({
        id: text,
        name: text,
        role: z.enum(REVIEW_ROLES),
        left: count.meta({ description: 'Items that wait for the caller' }),
        done: count.meta({ description: 'Items that the caller labelled, or adjudicated' }),
        closed_at: text.nullable(),
      }),
    ),
  })
  .meta({ id: 'MyReviewQueues' })
export type MyQueues = z.infer<typeof MyQueues>

const QueueRow = z.object({
  queue_id: text,
  words: text,
  role: z.enum(REVIEW_ROLES),
  person: count,
  closed_at: z.number().nullable(),
  done: count,
  left: count,
})

const NOT_DECLINED = sql.fragment`NOT EXISTS (
  SELECT 1 FROM review_declines d WHERE d.queue_id = i.queue_id AND d.n = i.n AND d.person = p.person)`
const NOT_LABELLED = sql.fragment`NOT EXISTS (
  SELECT 1 FROM labels l WHERE l.queue_id = i.queue_id AND l.n = i.n AND l.person = p.person AND l.standing = 1)`
/** An adjudicator never decides an item that he labelled, also if the label was withdrawn. */
const NEVER_LABELLED = sql.fragment`NOT EXISTS (
  SELECT 1 FROM labels l WHERE l.queue_id = i.queue_id AND l.n = i.n AND l.person = p.person AND l.adjudicates = 0)`

/** Items `i` that the person `p` of a queue may still label, or adjudicate. */
const IS_LEFT: Fragment = sql.fragment`
  ${RUN_IS_STORED} AND CASE p.role
    WHEN 'reviewer' THEN i.state = 'open' AND ${NOT_DECLINED} AND ${NOT_LABELLED}
    ELSE i.state = 'waiting' AND ${NEVER_LABELLED} END`

/** The queues in which an account is listed, the newest first: open ones, and those that it labelled in. */
export const listMyQueues = async (reader: Reader, user_id: string): Promise<MyQueues> => {
  const rows = await reader.read(
    any(sql.type(QueueRow)`
      SELECT q.queue_id, t.words, p.role, p.person, q.closed_at,
        (SELECT count(*) FROM labels l WHERE l.queue_id = q.queue_id AND l.person = p.person AND l.standing = 1) AS done,
        CASE WHEN q.closed_at IS NULL THEN (
          SELECT count(*) FROM review_items i WHERE i.queue_id = q.queue_id AND ${IS_LEFT}) ELSE 0 END AS left
      FROM review_people p JOIN review_queues q ON q.queue_id = p.queue_id
      JOIN rubric_texts t ON t.text_id = q.rubric_id || '.' || CAST(q.rubric_version AS text)
      WHERE p.user_id = ${user_id} AND p.removed = 0 ORDER BY q.queue_id DESC LIMIT ${MAX_LISTED}`),
  )
  return {
    queues: rows.map(({ queue_id, words, role, left, done, closed_at }) => ({
      id: queue_id,
      // Safe: a command wrote it.
      name: (JSON.parse(words) as RubricWords).name,
      role,
      left,
      done,
      closed_at: closed_at === null ? null : rfc3339(closed_at),
    })),
  }
}

const MAX_LISTED = 200

const Listed = z.object({ seed: text, role: z.enum(REVIEW_ROLES), closed_at: z.number().nullable() })

/** The queue in which an account is listed, or null. */
export const findMyQueue = (user_id: string, queue_id: string): Query<z.infer<typeof Listed> | null> =>
  maybeOne(sql.type(Listed)`
    SELECT q.seed, p.role, q.closed_at FROM review_people p JOIN review_queues q ON q.queue_id = p.queue_id
    WHERE p.user_id = ${user_id} AND p.queue_id = ${queue_id} AND p.removed = 0`)

const Waiting = z.object({ n: count, room: count, role: z.enum(REVIEW_ROLES) })

/** The items of a queue that are left for an account, in an order of its own; without those that others hold at `at`. */
export const listLeftItems = async (
  reader: Reader,
  user_id: string,
  queue_id: string,
  { seed, at }: { readonly seed: string; readonly at: number },
): Promise<number[]> => {
  const rows = await reader.read(
    any(sql.type(Waiting)`
      SELECT i.n, q.per_item - i.given - (
        SELECT count(*) FROM review_leases held
        WHERE held.queue_id = i.queue_id AND held.n = i.n AND held.user_id <> p.user_id AND held.until > ${at}) AS room, p.role
      FROM review_people p JOIN review_queues q ON q.queue_id = p.queue_id JOIN review_items i ON i.queue_id = q.queue_id
      WHERE p.user_id = ${user_id} AND p.queue_id = ${queue_id} AND p.removed = 0 AND q.closed_at IS NULL AND ${IS_LEFT}`),
  )
  const keyed = rows.flatMap(({ n, room, role }) =>
    // An item that waits has all its labels.
    room > 0 || role === 'adjudicator' ? [{ n, key: hash('sha256', `${seed}\0${user_id}\0${n}`, 'hex') }] : [],
  )
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ n }) => n)
}

const Leased = z.object({ n: count })

/** The items that an account holds. */
export const listLeased = (user_id: string, queue_id: string, at: number): Query<Array<z.infer<typeof Leased>>> =>
  any(sql.type(Leased)`
    SELECT n FROM review_leases WHERE queue_id = ${queue_id} AND user_id = ${user_id} AND until > ${at} ORDER BY n`)

const Part = z.object({ field: text, label: text, value: z.unknown() })
const MyLabel = z.object({
  id: text,
  answers: z.record(text, z.unknown()),
  texts: z.record(text, z.unknown()).nullable(),
  seconds: z.number(),
  recognised: z.boolean(),
  standing: z.boolean(),
  withdrawn: z.boolean(),
})

export const MyItem = z
  .object({
    id: text,
    queue_id: text,
    role: z.enum(REVIEW_ROLES),
    closed: z.boolean(),
    rubric: z.object({
      id: text,
      version: count,
      name: text,
      text,
      questions: z.array(RubricQuestion),
    }),
    parts: z.array(Part).meta({
      description:
        'What the rubric shows of the case: prompt, output, tool calls or variables. Of a pair, what both have',
    }),
    sides: z.array(z.array(Part)).length(2).nullable().meta({
      description:
        'Of a pair, what differs: of the case that is shown first, then of the other. In the answers of the caller, `a` is the first and `b` the other',
    }),
    labels: z.array(MyLabel).meta({ description: 'Own ones, the newest last' }),
    to_decide: z
      .array(MyLabel.pick({ answers: true, texts: true }))
      .nullable()
      .meta({ description: 'For an adjudicator, the labels of an item that waits, without names; null for others' }),
  })
  .meta({ id: 'MyReviewItem' })
export type MyItem = z.infer<typeof MyItem>

export const MyItems = z.object({ items: z.array(MyItem) }).meta({ id: 'MyReviewItems' })

const ItemRow = z.object({
  queue_id: text,
  n: count,
  state: text,
  per_item: count,
  resolve: z.enum(RESOLVES),
  seed: text,
  role: z.enum(REVIEW_ROLES),
  person: count,
  closed_at: z.number().nullable(),
  rubric_id: text,
  rubric_version: count,
  questions: text,
  words: text,
  text,
  run_no: count,
  case_key: text,
  test_id: text.nullable(),
  document_offset: count,
  document_length: count,
  second_run_no: count.nullable(),
  second_case_key: text.nullable(),
  second_offset: count.nullable(),
  second_length: count.nullable(),
})

const LabelRow = z.object({
  label_id: text,
  n: count,
  person: count,
  answers: text.nullable(),
  texts: text.nullable(),
  seconds: z.number().nullable(),
  recognised: count,
  standing: count,
  adjudicates: count,
  withdrawn_at: z.number().nullable(),
})

type Members = Readonly<Record<string, unknown>>
// Safe: the stored texts are JSON objects that a command or a projection wrote.
const parsed = (stored: string): Record<string, unknown> => JSON.parse(stored) as Record<string, unknown>

const SHOWN_BY_DEFAULT = [
  { field: 'prompt', label: 'Prompt' },
  { field: 'output', label: 'Output' },
  { field: 'tool_calls', label: 'Tool calls' },
]

/** The fields of a case that a rubric shows. What the case does not have is left out. */
const shownParts = (show: RubricWords['show'], of: Members): MyItem['parts'] => {
  const vars = (of['vars'] ?? {}) as Members
  return (show.length === 0 ? SHOWN_BY_DEFAULT : show).flatMap(({ field, label }) => {
    const value = field.startsWith('vars.') ? vars[field.slice('vars.'.length)] : of[field]
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    return isEmpty ? [] : [{ field, label, value }]
  })
}

/**
 * The parts of an item: of a pair, those that both cases have alike, and by the side on which they are shown those that differ. Outputs are
 * always on a side.
 */
const shownOf = (
  show: RubricWords['show'],
  one: Members,
  other: Members | null,
  side: Side | null,
): Pick<MyItem, 'parts' | 'sides'> => {
  const ofOne = shownParts(show, one)
  if (other === null) return { parts: ofOne, sides: null }
  const ofOther = shownParts(show, other)
  const isAlike = ({ field, value }: MyItem['parts'][number]): boolean =>
    field !== 'output' && ofOther.some((each) => each.field === field && isDeepStrictEqual(each.value, value))
  const parts = ofOne.filter(isAlike)
  const differing = [ofOne, ofOther].map((all) =>
    all.filter(({ field }) => parts.every((each) => each.field !== field)),
  )
  return { parts, sides: side === 'ba' ? differing.toReversed() : differing }
}

/** The case B of a pair; null if the item is of one case, or its run was deleted. */
const readSecond = (
  documents: DocumentReader,
  { second_run_no, second_case_key, second_offset, second_length, test_id }: z.infer<typeof ItemRow>,
): Promise<string | null> =>
  second_run_no === null || second_case_key === null || second_offset === null || second_length === null
    ? Promise.resolve(null)
    : readCaseAt(documents, {
        ...{ run_no: second_run_no, case_key: second_case_key, test_id },
        ...{ document_offset: second_offset, document_length: second_length },
      }).catch(deletedAsNull)

const myLabel = ({
  label_id,
  answers,
  texts,
  seconds,
  recognised,
  standing,
  withdrawn_at,
}: z.infer<typeof LabelRow>) => ({
  id: label_id,
  answers: answers === null ? {} : parsed(answers),
  texts: texts === null ? null : parsed(texts),
  seconds: seconds ?? 0,
  recognised: recognised === 1,
  standing: standing === 1,
  withdrawn: withdrawn_at !== null,
})

/** A label with its preference as the viewer sees the pair. */
const labelOnSide =
  (questions: readonly Question[], side: Side | null) =>
  <L extends { readonly answers: Readonly<Record<string, unknown>> }>(label: L): L => ({
    ...label,
    answers: turnedAnswers(questions, side, label.answers),
  })

/** Items of a queue in which the account of the viewer is listed, in the order of `ns`; items of deleted runs are left out. */
export const readMyItems = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { queue_id, ns }: { readonly queue_id: string; readonly ns: readonly number[] },
): Promise<MyItem[]> => {
  const rows = await reader.read(
    any(sql.type(ItemRow)`
      SELECT q.queue_id, i.n, i.state, q.per_item, q.resolve, q.seed, p.role, p.person, q.closed_at, q.rubric_id, q.rubric_version, b.questions, t.words, t.text,
        c.run_no, c.case_key, c.test_id, c.document_offset, c.document_length,
        i.second_run_no, s.case_key AS second_case_key, s.document_offset AS second_offset, s.document_length AS second_length
      FROM review_people p JOIN review_queues q ON q.queue_id = p.queue_id JOIN review_items i ON i.queue_id = q.queue_id
      JOIN rubrics b ON b.rubric_id = q.rubric_id AND b.version = q.rubric_version
      JOIN rubric_texts t ON t.text_id = q.rubric_id || '.' || CAST(q.rubric_version AS text)
      JOIN cases c ON c.run_no = i.run_no AND c.n = i.case_n
      LEFT JOIN cases s ON s.run_no = i.second_run_no AND s.n = i.second_case_n
      WHERE p.user_id = ${viewer.actor.user_id} AND p.queue_id = ${queue_id} AND p.removed = 0 AND i.n IN (${numberList(ns)})`),
  )
  const labels = await reader.read(
    any(sql.type(LabelRow)`
      SELECT l.label_id, l.n, l.person, l.answers, l.seconds, l.recognised, l.standing, l.adjudicates, l.withdrawn_at,
        (SELECT label_texts.texts FROM label_texts WHERE label_texts.label_id = l.label_id) AS texts
      FROM labels l WHERE l.queue_id = ${queue_id} AND l.n IN (${numberList(ns)}) AND l.erased = 0 ORDER BY l.seq`),
  )
  const items = await Promise.all(
    rows.map(async (row): Promise<MyItem | null> => {
      const { run_no, case_key, test_id, document_offset, document_length, second_run_no } = row
      const place = { run_no, case_key, test_id, document_offset, document_length }
      const found = await readCaseAt(documents, place).catch(deletedAsNull)
      const second = await readSecond(documents, row)
      if (found === null || (second === null && second_run_no !== null)) return null
      const side = second_run_no === null ? null : sideOf(row.seed, viewer.actor.user_id ?? '', row.n)
      const ownSide = labelOnSide(JSON.parse(row.questions) as readonly Question[], side)
      const { name, questions: words, show } = parsed(row.words) as unknown as RubricWords
      const ofItem = labels.filter(({ n }) => n === row.n)
      const mine = ofItem.filter(({ person }) => person === row.person)
      const decides =
        row.role === 'adjudicator' &&
        row.state === 'waiting' &&
        row.closed_at === null &&
        mine.every(({ adjudicates }) => adjudicates === 1)
      return {
        id: `${row.queue_id}.${row.n}`,
        queue_id: row.queue_id,
        role: row.role,
        closed: row.closed_at !== null,
        rubric: {
          id: row.rubric_id,
          version: row.rubric_version,
          name,
          text: row.text,
          // Safe: the projection wrote it.
          questions: joinQuestions(
            JSON.parse(row.questions) as readonly Question[],
            words,
          ) as MyItem['rubric']['questions'],
        },
        ...shownOf(show, JSON.parse(found) as Members, second === null ? null : (JSON.parse(second) as Members), side),
        labels: mine.map(myLabel).map(ownSide),
        to_decide: decides
          ? ofItem
              .filter(({ standing, adjudicates }) => standing === 1 && adjudicates === 0)
              .map(myLabel)
              .map(ownSide)
              .map(({ answers, texts }) => ({ answers, texts }))
              .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
          : null,
      }
    }),
  )
  const order = new Map(ns.map((n, i) => [`${queue_id}.${n}`, i]))
  return items.filter((item) => item !== null).sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
}
