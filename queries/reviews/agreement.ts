import { z } from 'zod'
import { decisionOf, letterOf } from '../../domain/review/final.ts'
import { agreementOf, type Answer, type ComparedKind } from '../../domain/review/queue-agreement.ts'
import { CANNOT_TELL, type Question } from '../../domain/review/rubric.ts'
import { any, one, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'

// How far the people of a closed queue agree. Takes queues that the viewer may see.

const count = z.number().int()
const text = z.string()

const REASONS = ['fewer_than_two_items', 'one_category', 'not_for_sets', 'not_two_people', 'not_three_people'] as const
const Reason = z.enum(REASONS)
const Coefficient = z.object({
  estimate: z.number(),
  se: z.number(),
  lower: z.number(),
  upper: z.number(),
  observed: z.number(),
  expected: z.number(),
  units: count,
})
const Maybe = z
  .object({ value: Coefficient.nullable(), reason: Reason.nullable() })
  .meta({ id: 'AgreementCoefficient' })
const Even = z.object({ first: count, second: count, p_value: z.number() }).meta({ id: 'EvenTest' })

export const ReviewAgreement = z
  .object({
    kind: text.meta({ description: 'The kind of the deciding question' }),
    items: count.meta({ description: 'Items with two labels or more that say something' }),
    percent: z.object({ estimate: z.number(), lower: z.number(), upper: z.number() }).nullable(),
    ac: Maybe.meta({ description: "Gwet's AC1; AC2 for scores" }),
    alpha: Maybe.meta({ description: "Krippendorff's alpha" }),
    cohen: z.object({
      kappa: z.number().nullable(),
      se: z.number().optional(),
      items: count.optional(),
      reason: Reason.optional(),
    }),
    fleiss: Maybe,
    pass_share: z.number().nullable(),
    many_passes: z.boolean().meta({ description: 'So many labels pass that alpha is low although people agree' }),
    people: z.array(
      z.object({
        person: text,
        labels: count,
        agrees_with_final: z.object({ agree: count, of: count }),
        pass_share: z.number().nullable(),
        cannot_tell: count,
        median_seconds: z.number().nullable(),
        rushed: z.boolean(),
      }),
    ),
    preference: z.object({ options: Even, sides: Even, ties: count }).nullable(),
  })
  .meta({ id: 'ReviewAgreement' })
export type ReviewAgreement = z.infer<typeof ReviewAgreement>

const Row = z.object({
  n: count,
  person: count,
  answers: text,
  side: z.enum(['ab', 'ba']).nullable(),
  seconds: z.number().nullable(),
  final: text.nullable(),
  final_score: z.number().nullable(),
  test_id: text.nullable(),
})
const Questions = z.object({ questions: text })

/** The questions of the version of the rubric that a queue has. */
export const readQueueQuestions = async (reader: Reader, queue_id: string): Promise<readonly Question[]> => {
  const { questions } = await reader.read(
    one(sql.type(Questions)`
      SELECT rubrics.questions FROM review_queues
      JOIN rubrics ON rubrics.rubric_id = review_queues.rubric_id AND rubrics.version = review_queues.rubric_version
      WHERE review_queues.queue_id = ${queue_id}`),
  )
  // Safe: the projection wrote it.
  return JSON.parse(questions) as readonly Question[]
}

/** The agreement of a queue that is closed. Items of one test depend on each other. */
export const readAgreement = async (reader: Reader, queue_id: string): Promise<ReviewAgreement> => {
  const deciding = (await readQueueQuestions(reader, queue_id)).find((question) => question.deciding)
  if (!deciding) throw new Error('a rubric without a deciding question')
  const rows = await reader.read(
    any(sql.type(Row)`
      SELECT i.n, l.person, l.answers, l.side, l.seconds, i.final, i.final_score, cases.test_id
      FROM review_items i JOIN labels l ON l.queue_id = i.queue_id AND l.n = i.n AND l.standing = 1 AND l.adjudicates = 0
      LEFT JOIN cases ON cases.run_no = i.run_no AND cases.n = i.case_n
      WHERE i.queue_id = ${queue_id} ORDER BY i.n, l.seq`),
  )
  const answerOf = (answers: string): Answer | null =>
    (JSON.parse(answers) as Readonly<Record<string, Answer | null>>)[deciding.key] ?? null
  const { min, max, step } = deciding
  const steps = min !== undefined && max !== undefined && step !== undefined ? Math.round((max - min) / step) + 1 : null
  const agreement = agreementOf({
    // Safe: only these kinds decide.
    kind: deciding.kind as ComparedKind,
    steps,
    passes: (answer) => {
      const { passes } = decisionOf(deciding, answer)
      return passes === null ? null : passes === 1
    },
    items: [...Map.groupBy(rows, ({ n }) => n).values()].map((ofItem) => ({
      group: ofItem[0]!.test_id,
      labels: ofItem.map(({ person, answers, side, seconds }) => ({
        ...{ person: letterOf(person), answer: answerOf(answers), seconds, first: side && (side === 'ab' ? 'a' : 'b') },
      })),
      final: finalAnswer(ofItem[0]!),
    })),
  })
  return { kind: deciding.kind, ...agreement, people: [...agreement.people] }
}

const finalAnswer = ({ final, final_score }: z.infer<typeof Row>): Answer | null =>
  final === null || final === CANNOT_TELL ? null : (final_score ?? final)
