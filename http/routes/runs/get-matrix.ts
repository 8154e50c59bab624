import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { EXPORTERS } from '../../../interchange/exporters/index.ts'
import { LABEL_WRITERS } from '../../../interchange/exporters/label-table.ts'
import { findMatrixTag, findMatrixWidth, Matrix, matrixLimit } from '../../../queries/cases/matrix.ts'
import { runLongReadStep } from '../../../queries/long-reads.ts'
import { runInSteps } from '../../../runtime/reads/in-steps.ts'
import { answerFound, type CachedRequest } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const MatrixQuery = z.strictObject(paged(100, 500))

/** A page of a matrix with more cells is built in a reader thread. */
const MANY_CELLS = 5_000

export const getMatrixRoute: Route = (app, { reader, documents, sharedCache, longReads }) => {
  /** The same reads in this thread, for short ones. */
  const readHere = runInSteps((name, viewer, args, _signal, resumed) =>
    runLongReadStep(
      {
        reader,
        cache: sharedCache.reader,
        documents,
        exporters: EXPORTERS,
        labelWriters: LABEL_WRITERS,
        readObject: () => Promise.reject(new Error('a matrix has no objects')),
        viewer,
      },
      name,
      args,
      resumed,
    ),
  )
  app.get(
    '/runs/:id/matrix',
    {
      config: {
        scope: 'read',
        cached: {
          tags: ({ id }: IdPath) => [runTag(id)],
          tag: ({ viewer, params, query }: CachedRequest<IdPath, z.infer<typeof MatrixQuery>>) =>
            findMatrixTag(reader, viewer, { run_id: params.id, ...query }),
        },
      },
      schema: {
        tags: ['runs'],
        operationId: 'getMatrix',
        summary: 'Tests as rows, and columns of provider and prompt, with one cell for each case',
        params: IdPath,
        querystring: MatrixQuery,
        response: { 200: Matrix, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, query, clientLeft }, reply) => {
      const width = mustExist(await reader.read(findMatrixWidth(viewer, params.id)), 'run')
      const isLarge = matrixLimit(query.limit, width) * width > MANY_CELLS
      const reads = isLarge ? longReads : readHere
      return answerFound(reply, await reads.matrix(viewer, { run_id: params.id, ...query }, clientLeft), 'run')
    },
  )
}
