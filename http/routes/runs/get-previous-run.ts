import { runTag, tagsOfSet } from '../../../commands/tags.ts'
import type { RunSet } from '../../../domain/sets.ts'
import { PreviousRun } from '../../../queries/runs/previous-run.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { answerFound, type CachedRequest } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const getPreviousRunRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/previous',
    {
      config: {
        scope: 'read',
        cached: {
          findSet: ({ viewer, params }: CachedRequest<IdPath>) => reader.read(findRun(viewer, params.id)),
          tags: ({ id }: IdPath, _: object, set: RunSet | null) => [runTag(id), ...tagsOfSet(set)],
        },
      },
      schema: {
        tags: ['runs'],
        operationId: 'getPreviousRun',
        summary:
          'The previous run of the suite with the same providers and most of the cases, and what changed between the two',
        params: IdPath,
        response: { 200: PreviousRun, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, clientLeft }, reply) =>
      answerFound(reply, await longReads.previous(viewer, { run_id: params.id }, clientLeft), 'run'),
  )
