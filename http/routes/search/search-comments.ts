import { z } from 'zod'
import { CommentSearch } from '../../../queries/search/comment-search.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { LONG_READ } from '../../errors.ts'
import { optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const searchCommentsRoute: Route = (app, { longReads }) =>
  app.get(
    '/search/comments',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['search'],
        operationId: 'searchComments',
        summary: 'Comments on runs and cases that contain all words, the newest first',
        querystring: z.strictObject({
          q: z.string(),
          project: optionalText,
          suite: optionalText,
          ...paged(20, 50),
        }),
        response: { 200: CommentSearch, ...LONG_READ },
      },
    },
    async ({ viewer, query }, reply) =>
      sendFound(reply, await longReads.searchComments(viewer, query, abortWhenClientLeaves(reply)), 'comment'),
  )
