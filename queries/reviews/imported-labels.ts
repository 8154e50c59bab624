import { z } from 'zod'
import type { QueueTarget } from '../../domain/review/final.ts'
import { REVIEWER_NAME } from '../../domain/review/imported.ts'
import { any, constant, mapped, numberList, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Suite } from '../sets/baselines.ts'

// Labels that came from files of other tools. Their reviewers have no account here, so their names are in the texts of their labels.

const Row = z.object({ run_no: z.number(), case_n: z.number(), answers: z.string(), texts: z.string().nullable() })

/** What an imported label says: equal texts are the same label again. `texts` are as they are stored. */
export const importedContent = (label: z.infer<typeof Row>): string =>
  JSON.stringify([label.run_no, label.case_n, label.answers, label.texts])

/** What the imported labels of some runs say about a target, by one rubric. */
export const listImportedContent = (
  { project, suite }: Suite,
  {
    rubric_id,
    target,
    metric,
    run_nos,
  }: {
    readonly rubric_id: string
    readonly target: QueueTarget
    readonly metric: string | null
    readonly run_nos: readonly number[]
  },
): Query<ReadonlySet<string>> =>
  mapped(
    any(sql.type(Row)`
      SELECT i.run_no, i.case_n, l.answers,
        (SELECT label_texts.texts FROM label_texts WHERE label_texts.label_id = l.label_id) AS texts
      FROM review_queues q JOIN review_items i ON i.queue_id = q.queue_id
      JOIN labels l ON l.queue_id = i.queue_id AND l.n = i.n AND l.erased = 0
      WHERE q.project = ${project} AND q.suite = ${suite} AND q.kind = 'imported' AND q.rubric_id = ${rubric_id}
        AND q.target = ${target} AND coalesce(q.metric, '') = ${metric ?? ''} AND i.run_no IN (${numberList(run_nos)})`),
    (rows) => new Set(rows.map(importedContent)),
  )

const Person = z.object({
  ...{ queue_id: z.string(), person: z.number(), texts: z.string().nullable() },
  labelled: z.number().int(),
})
export type ImportedPerson = {
  readonly queue_id: string
  readonly person: number
  readonly name: string | null
  /** Their standing labels. */
  readonly labelled: number
}

/** The people of imported queues, with the names that their tool has for them. A name is gone with the texts that have it. */
export const listImportedPeople = (queue_ids: readonly string[]): Query<ImportedPerson[]> =>
  queue_ids.length === 0
    ? constant([])
    : mapped(
        any(sql.type(Person)`
          SELECT l.queue_id, l.person, max(t.texts) AS texts, CAST(sum(l.standing) AS bigint) AS labelled FROM labels l LEFT JOIN label_texts t ON t.label_id = l.label_id
          WHERE l.queue_id IN (${sql.join([...queue_ids], sql.fragment`, `)})
          GROUP BY l.queue_id, l.person ORDER BY l.queue_id, l.person`),
        (rows) => rows.map(({ texts, ...row }) => ({ ...row, name: nameIn(texts) })),
      )

const nameIn = (texts: string | null): string | null =>
  // Safe: a command wrote it.
  texts === null ? null : ((JSON.parse(texts) as Readonly<Record<string, string>>)[REVIEWER_NAME] ?? null)
