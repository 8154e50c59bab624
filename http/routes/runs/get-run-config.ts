import { runTag } from '../../../commands/tags.ts'
import { findConfig, findConfigSize, RunConfig } from '../../../queries/runs/config.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** Larger texts are decompressed in a reader thread. */
const LARGE_TEXT_BYTES = 128 * 1024

export const getRunConfigRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/config',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['runs'],
        operationId: 'getRunConfig',
        summary: 'The configuration of a run',
        params: IdPath,
        response: { 200: RunConfig, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, clientLeft }, reply) => {
      const size = mustExist(await reader.read(findConfigSize(viewer, params.id)), 'run')
      const text =
        size > LARGE_TEXT_BYTES
          ? await longReads.config(viewer, { run_id: params.id }, clientLeft)
          : await findConfig(reader, viewer, params.id)
      return answerFound(reply, text, 'run')
    },
  )
