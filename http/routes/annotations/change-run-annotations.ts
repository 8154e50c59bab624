import { z } from 'zod'
import {
  MAX_ADDED_TAGS,
  MAX_RUN_NOTE,
  MAX_TAG,
  MAX_TITLE,
  runNoteProblem,
  tagProblem,
  titleProblem,
} from '../../../commands/annotation/annotation-fields.ts'
import { findAdded, RunAdded } from '../../../queries/runs/annotations.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkedText } from '../../requests/checked-text.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** No more are ever needed: a run has at most so many to remove. */
const Tags = z
  .array(checkedText(tagProblem, MAX_TAG))
  .max(MAX_ADDED_TAGS)
  .optional()
  .transform((tags) => tags ?? [])

const Body = z.strictObject({
  title: checkedText(titleProblem, MAX_TITLE)
    .nullable()
    .optional()
    .meta({ description: 'Null removes it; left out, it stays.' }),
  note: checkedText(runNoteProblem, MAX_RUN_NOTE)
    .nullable()
    .optional()
    .meta({ description: 'Null removes it; left out, it stays. The note of the document stays too.' }),
  add_tags: Tags.meta({ description: 'Tags that the document has already are left out.' }),
  remove_tags: Tags.meta({ description: 'Tags of the document itself stay.' }),
  revision: z.string().nullable().optional().meta({
    description:
      'The `revision` that the change was made on, null for a run to which nothing was added. If it is another one by now, the response is 409. Left out, the change is made in any case.',
  }),
})

const Annotated = z.object({ added: RunAdded.nullable() }).meta({ id: 'AnnotatedRun' })

export const changeRunAnnotationsRoute: Route = (app, { reader, commit }) => {
  const newId = newIds()
  app.patch(
    '/runs/:id/annotations',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['runs'],
        operationId: 'changeRunAnnotations',
        summary: 'Change the title, the note and the tags that a run has in addition to its document',
        params: IdPath,
        body: Body,
        response: { 200: Annotated, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, body }) => {
      const { run_no, project, suite } = mustExist(await reader.read(findRun(viewer, id)), 'run')
      await commit.annotateRun(viewer, { annotation_id: newId(), run_id: id, set: { project, suite }, ...body })
      return { added: await reader.read(findAdded(run_no)) }
    },
  )
}
