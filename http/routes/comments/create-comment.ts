import { z } from 'zod'
import { commentProblem, MAX_COMMENT } from '../../../commands/annotation/annotation-fields.ts'
import { findCaseInRun } from '../../../queries/cases/cases.ts'
import { Comment, readComment } from '../../../queries/runs/comments.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkedText } from '../../requests/checked-text.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const Body = z.strictObject({
  text: checkedText(commentProblem, MAX_COMMENT)
    .transform((text) => text.replaceAll(/\r\n?/g, '\n'))
    .meta({ description: 'Plain text. Line breaks are stored as line feeds.', minLength: 1, maxLength: MAX_COMMENT }),
  case_key: z
    .string()
    .nullish()
    .meta({ description: 'The case that the comment is on; null or left out for the run itself.' }),
})

export const createCommentRoute: Route = (app, { reader, commit, config }) => {
  const newId = newIds()
  app.post(
    '/runs/:id/comments',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['runs'],
        operationId: 'createComment',
        summary: 'Comment on a run, or on one of its cases',
        params: IdPath,
        body: Body,
        response: { 201: Comment, 404: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id: run_id }, body: { text, case_key = null } }, reply) => {
      const run = mustExist(await reader.read(findRun(viewer, run_id)), 'run')
      const { run_no, project, suite } = run
      // A text that is not stored as it is was never a key.
      if (case_key !== null)
        mustExist(case_key.isWellFormed() ? await findCaseInRun(reader, viewer, run_id, case_key) : null, 'case')
      const comment_id = newId()
      await commit.commentOnRun(viewer, { comment_id, run_id, run_no, set: { project, suite }, case_key, text })
      const isOpen = config.authMode === 'open'
      return reply.code(201).send(mustExist(await readComment(reader, viewer, run, { comment_id, isOpen }), 'comment'))
    },
  )
}
