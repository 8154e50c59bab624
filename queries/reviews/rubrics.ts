import { z } from 'zod'
import {
  joinQuestions,
  QUESTION_KINDS,
  RUBRIC_CHANGES,
  type Question,
  type RubricWords,
} from '../../domain/review/rubric.ts'
import { page, rfc3339 } from '../../domain/wire.ts'
import { any, mapped, maybeOne, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import type { Suite } from '../sets/baselines.ts'
import { idInCursor } from '../tuple-cursor.ts'

// Rubrics: what people decide by. A rubric is visible to the viewers of its run set.

const count = z.number().int()
const text = z.string().nullable()

const Option = z.object({ key: z.string(), label: z.string(), pass: z.boolean().optional() }).meta({
  id: 'RubricOption',
})
export const RubricQuestion = z
  .object({
    key: z.string(),
    kind: z.enum(QUESTION_KINDS),
    label: z.string(),
    /** Whether its answer decides the final label. Of exactly one question. */
    deciding: z.boolean(),
    min: z.number().optional(),
    max: z.number().optional(),
    step: z.number().optional(),
    /** The least score that passes. */
    pass_from: z.number().optional(),
    options: z.array(Option).optional(),
  })
  .meta({ id: 'RubricQuestion' })

const Fields = z.object({
  project: z.string(),
  suite: z.string(),
  version: count,
  text_sha256: z.string(),
  change: z.enum(RUBRIC_CHANGES).nullable(),
  valid_days: count,
  versioned_by: text,
})
const Row = Fields.extend({
  rubric_id: z.string(),
  questions: z.string(),
  words: z.string(),
  versioned_at: z.number(),
  retired_at: z.number().nullable(),
})

const Rubric = z
  .object({
    id: z.string(),
    name: z.string(),
    ...Fields.shape,
    versioned_at: z.string(),
    /** When the rubric was retired: no new queue uses it. */
    retired_at: text,
    questions: z.array(RubricQuestion),
    show: z.array(z.object({ field: z.string(), label: z.string() })),
  })
  .meta({ id: 'Rubric' })
type Rubric = z.infer<typeof Rubric>

export const RubricList = z.object({ rubrics: z.array(Rubric), next_cursor: text }).meta({ id: 'RubricList' })
export type RubricList = z.infer<typeof RubricList>

/** A version of a rubric with its text. */
export const RubricDetail = Rubric.extend({ text: z.string() }).meta({ id: 'RubricDetail' })
export type RubricDetail = z.infer<typeof RubricDetail>

const COLUMNS = sql.fragment`
  rubrics.rubric_id, rubrics.project, rubrics.suite, rubrics.version, rubrics.text_sha256, rubrics.questions, rubrics.change, rubrics.valid_days,
  rubrics.versioned_at, rubrics.retired_at, rubric_texts.words,
  (SELECT label FROM principals WHERE principals.id = rubrics.versioned_by) AS versioned_by`

const WITH_WORDS = sql.fragment`
  rubrics JOIN rubric_texts ON rubric_texts.text_id = rubrics.rubric_id || '.' || CAST(rubrics.version AS text)`

const IS_NEWEST = sql.fragment`
  rubrics.version = (SELECT max(later.version) FROM rubrics later WHERE later.rubric_id = rubrics.rubric_id)`

/** What the projection stored. */
const storedQuestions = (questions: string): readonly Question[] => JSON.parse(questions) as readonly Question[]

const rubricView = ({
  rubric_id,
  questions,
  words,
  versioned_at,
  retired_at,
  ...fields
}: z.infer<typeof Row>): Rubric => {
  const { name, questions: said, show } = JSON.parse(words) as RubricWords
  return {
    id: rubric_id,
    name,
    ...fields,
    versioned_at: rfc3339(versioned_at),
    retired_at: retired_at === null ? null : rfc3339(retired_at),
    questions: joinQuestions(storedQuestions(questions), said) as Rubric['questions'],
    show: [...show],
  }
}

type Filters = { readonly project?: string | undefined; readonly suite?: string | undefined }
type Page = { readonly limit: number; readonly cursor?: string | undefined }

/** The newest version of each rubric of a project, of a suite or of all sets, the newest rubric first. */
export const listRubrics = (
  viewer: Viewer,
  { project, suite }: Filters,
  { limit, cursor }: Page,
): Query<RubricList> => {
  const after = idInCursor(cursor)
  const conditions: Fragment[] = [
    visible(viewer, 'rubrics'),
    IS_NEWEST,
    ...(project === undefined ? [] : [sql.fragment`rubrics.project = ${project}`]),
    ...(suite === undefined ? [] : [sql.fragment`rubrics.suite = ${suite}`]),
    ...(after === undefined ? [] : [sql.fragment`rubrics.rubric_id < ${after}`]),
  ]
  return mapped(
    any(sql.type(Row)`
      SELECT ${COLUMNS} FROM ${WITH_WORDS} WHERE ${sql.join(conditions, sql.fragment` AND `)}
      ORDER BY rubrics.rubric_id DESC LIMIT ${limit + 1}`),
    (rows) => {
      const { rows: rubrics, next_cursor } = page(rows.map(rubricView), limit, ({ id }) => id)
      return { rubrics: [...rubrics], next_cursor }
    },
  )
}

/** A version of a visible rubric with its text, by default the newest, or null. */
export const findRubric = (viewer: Viewer, rubric_id: string, version: number | null): Query<RubricDetail | null> =>
  mapped(
    maybeOne(sql.type(Row.extend({ text: z.string() }))`
      SELECT ${COLUMNS}, rubric_texts.text FROM ${WITH_WORDS}
      WHERE rubrics.rubric_id = ${rubric_id} AND ${version === null ? IS_NEWEST : sql.fragment`rubrics.version = ${version}`}
        AND ${visible(viewer, 'rubrics')}`),
    (row) => {
      if (!row) return null
      const { text, ...rubric } = row
      return { ...rubricView(rubric), text }
    },
  )

/** The set of a visible rubric, or null. */
export const findRubricSet = (viewer: Viewer, rubric_id: string): Query<Suite | null> =>
  maybeOne(sql.type(Fields.pick({ project: true, suite: true }))`
    SELECT rubrics.project, rubrics.suite FROM rubrics
    WHERE rubrics.rubric_id = ${rubric_id} AND rubrics.version = 1 AND ${visible(viewer, 'rubrics')}`)

const State = z.object({
  project: z.string(),
  suite: z.string(),
  version: count,
  questions: z.string(),
  retired_at: z.number().nullable(),
})
/** What the decisions about a rubric need: its newest version. */
export type RubricState = Omit<z.infer<typeof State>, 'questions'> & { readonly questions: readonly Question[] }

/** The state of a visible rubric, or null. */
export const findRubricState = (viewer: Viewer, rubric_id: string): Query<RubricState | null> =>
  mapped(
    maybeOne(sql.type(State)`
      SELECT rubrics.project, rubrics.suite, rubrics.version, rubrics.questions, rubrics.retired_at FROM rubrics
      WHERE rubrics.rubric_id = ${rubric_id} AND ${IS_NEWEST} AND ${visible(viewer, 'rubrics')}`),
    (row) => row && { ...row, questions: storedQuestions(row.questions) },
  )
