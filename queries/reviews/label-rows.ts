import { z } from 'zod'
import { letterOf } from '../../domain/review/final.ts'
import { CANNOT_TELL } from '../../domain/review/rubric.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { readQueueQuestions } from './agreement.ts'
import { WITH_SECOND } from './queue-items.ts'

// The labels of a closed queue as a table: a row a label, replaced, withdrawn and erased ones included.

const count = z.number().int()
const text = z.string()

const Row = z.object({
  n: count,
  run_id: text.nullable(),
  case_key: text.nullable(),
  test_id: text.nullable(),
  second_run: text.nullable(),
  second_case_key: text.nullable(),
  side: text.nullable(),
  verdict: count.nullable(),
  judge_id: text.nullable(),
  final: text.nullable(),
  final_score: z.number().nullable(),
  label_id: text,
  person: count,
  answers: text.nullable(),
  texts: text.nullable(),
  seconds: z.number().nullable(),
  blind: text.nullable(),
  recognised: count,
  revises: text.nullable(),
  standing: count,
  adjudicates: count,
  own_run: count,
  erased: count,
  seq: count,
})

/** A column of the table. Columns of questions have the key of the question behind `answer_`. */
export type LabelColumn = { readonly name: string; readonly kind: 'text' | 'integer' | 'double' | 'boolean' }
export type LabelTable = {
  readonly columns: readonly LabelColumn[]
  readonly rows: ReadonlyArray<ReadonlyArray<string | number | boolean | null>>
}

export const LABEL_FORMATS = ['csv', 'jsonl', 'parquet'] as const
export type LabelFormat = (typeof LABEL_FORMATS)[number]
/** What writes a table in each format. `interchange/` has them: it knows formats and no database. */
export type LabelWriters = Readonly<Record<LabelFormat, (table: LabelTable) => string | Uint8Array>>

const BEFORE = [
  ...(['item', 'run', 'case_key', 'test', 'verdict', 'judge_id'] as const).map((name) => ({
    name,
    kind: 'text' as const,
  })),
]
const AFTER: readonly LabelColumn[] = [
  { name: 'final', kind: 'text' },
  { name: 'final_score', kind: 'double' },
  { name: 'reviewer', kind: 'text' },
  { name: 'adjudicates', kind: 'boolean' },
  { name: 'seconds', kind: 'double' },
  { name: 'blind', kind: 'text' },
  { name: 'recognised', kind: 'boolean' },
  { name: 'own_run', kind: 'boolean' },
  { name: 'label_id', kind: 'text' },
  { name: 'revises', kind: 'text' },
  { name: 'standing', kind: 'boolean' },
  { name: 'erased', kind: 'boolean' },
  { name: 'seq', kind: 'integer' },
]

/** The case B, and which case the person was shown first. */
const OF_PAIRS: readonly LabelColumn[] = (['second_run', 'second_case_key', 'side'] as const).map((name) => ({
  ...{ name, kind: 'text' },
}))

/** "Cannot tell" is the text `cannot_tell`; an empty field has no answer. Lists and marks are JSON. */
const answerField = (answer: unknown): string | number | null => {
  if (answer === undefined) return null
  if (answer === null) return CANNOT_TELL
  return typeof answer === 'string' || typeof answer === 'number' ? answer : JSON.stringify(answer)
}

/** The labels of a queue that is closed, in the order of its items. */
export const readLabelTable = async (reader: Reader, queue_id: string): Promise<LabelTable> => {
  const questions = await readQueueQuestions(reader, queue_id)
  const rows = await reader.read(
    any(sql.type(Row)`
      SELECT i.n, runs.id AS run_id, cases.case_key, cases.test_id, second_run.id AS second_run, second_case.case_key AS second_case_key, l.side, i.verdict, i.judge_id, i.final, i.final_score, l.label_id, l.person, l.answers,
        (SELECT label_texts.texts FROM label_texts WHERE label_texts.label_id = l.label_id) AS texts,
        l.seconds, l.blind, l.recognised, l.revises, l.standing, l.adjudicates, l.own_run, l.erased, l.seq
      FROM review_items i JOIN labels l ON l.queue_id = i.queue_id AND l.n = i.n
      LEFT JOIN runs ON runs.run_no = i.run_no LEFT JOIN cases ON cases.run_no = i.run_no AND cases.n = i.case_n
      ${WITH_SECOND}
      WHERE i.queue_id = ${queue_id} ORDER BY i.n, l.seq`),
  )
  const isOfPairs = questions.some(({ kind }) => kind === 'preference')
  return {
    columns: [
      ...BEFORE,
      ...questions.map(({ key }) => ({ name: `answer_${key}`, kind: 'text' as const })),
      ...AFTER,
      ...(isOfPairs ? OF_PAIRS : []),
    ],
    rows: rows.map((row) => {
      // Safe: the projection and the command wrote both.
      const answers = {
        ...(JSON.parse(row.answers ?? '{}') as Record<string, unknown>),
        ...(JSON.parse(row.texts ?? '{}') as Record<string, unknown>),
      }
      const verdict = row.verdict === null ? null : row.verdict === 1 ? 'pass' : 'fail'
      return [
        ...[`${queue_id}.${row.n}`, row.run_id, row.case_key, row.test_id, verdict, row.judge_id],
        ...questions.map(({ key }) => answerField(answers[key])),
        ...[row.final, row.final_score, letterOf(row.person), row.adjudicates === 1, row.seconds, row.blind],
        ...[
          row.recognised === 1,
          row.own_run === 1,
          row.label_id,
          row.revises,
          row.standing === 1,
          row.erased === 1,
          row.seq,
        ],
        ...(isOfPairs ? [row.second_run, row.second_case_key, row.side] : []),
      ]
    }),
  }
}
