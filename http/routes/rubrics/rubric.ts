import { z } from 'zod'
import { rubricParts, type RubricFields } from '../../../commands/rubric/rubric-fields.ts'
import {
  MAX_LABEL,
  MAX_OPTIONS,
  MAX_QUESTIONS,
  MAX_RUBRIC_BYTES,
  MAX_RUBRIC_NAME,
  MAX_SHOWN,
  QUESTION_KEY,
  QUESTION_KINDS,
  VALID_DAYS,
} from '../../../domain/review/rubric.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findRubric, findRubricSet, type RubricDetail } from '../../../queries/reviews/rubrics.ts'
import type { Suite } from '../../../queries/sets/baselines.ts'
import { mustExist } from '../../errors.ts'
import { refusedBy } from '../../requests/refused-by.ts'
import type { Services } from '../../services.ts'

/** JSON writes a byte of text with at most six characters; the questions with their words are short. */
export const MAX_BODY_BYTES = 6 * (MAX_RUBRIC_BYTES + MAX_QUESTIONS * (MAX_OPTIONS + 1) * MAX_LABEL)

const Key = z.string().regex(QUESTION_KEY, 'must be 1 to 32 of a to z, 0 to 9 and _')
const Label = z.string().meta({ minLength: 1, maxLength: MAX_LABEL })

const Question = z.strictObject({
  key: Key,
  kind: z.enum(QUESTION_KINDS),
  label: Label.meta({ description: 'What is asked.' }),
  deciding: z.boolean().optional().meta({
    description: 'Its answer decides the final label. Of exactly one verdict, score, category or preference.',
  }),
  min: z.number().optional(),
  max: z.number().optional(),
  step: z.number().optional().meta({ description: 'The distance between two values of a score.' }),
  pass_from: z.number().optional().meta({ description: 'The least value that passes, of a score that decides.' }),
  options: z
    .array(
      z.strictObject({
        key: Key,
        label: Label,
        pass: z.boolean().optional().meta({ description: 'This option passes, of a category that decides.' }),
      }),
    )
    .max(MAX_OPTIONS)
    .optional(),
})

/** The fields of a version of a rubric. */
export const rubricFields = {
  name: z.string().meta({ minLength: 1, maxLength: MAX_RUBRIC_NAME }),
  text: z.string().meta({
    minLength: 1,
    description: `What people decide by: Markdown of at most ${MAX_RUBRIC_BYTES} bytes of UTF-8.`,
  }),
  questions: z.array(Question).meta({ minItems: 1, maxItems: MAX_QUESTIONS }),
  show: z
    .array(z.strictObject({ field: z.string(), label: Label }))
    .max(MAX_SHOWN)
    .default([])
    .meta({
      description:
        'What reviewers see of a case, each with a heading: `prompt`, `output`, `tool_calls`, or `vars.` and the name of a variable. Without any, they see the prompt and the output.',
    }),
  valid_days: z.number().int().min(VALID_DAYS.least).max(VALID_DAYS.most).default(VALID_DAYS.default).meta({
    description: 'How many days the labels count as new.',
  }),
}

/** Reports what the command would refuse, before access is checked. */
export const checkedRubric = refusedBy((fields: RubricFields) => void rubricParts(fields))

/** Finds a version of a rubric, the newest by default. Refuses: not_found. */
export const readRubric = async (
  reader: Services['reader'],
  viewer: Viewer,
  id: string,
  version: number | null = null,
): Promise<RubricDetail> => mustExist(await reader.read(findRubric(viewer, id, version)), 'rubric')

/** The set of a rubric never changes, so it can be read before the command that checks the level on it. */
export const readRubricSet = async (reader: Services['reader'], viewer: Viewer, id: string): Promise<Suite> =>
  mustExist(await reader.read(findRubricSet(viewer, id)), 'rubric')
