import { z } from 'zod'
import { findCheckpoint, listCosignatures } from '../../../queries/log/checkpoints.ts'
import { inclusionJson, InclusionProof, inclusionText, type ProvingCheckpoint } from '../../../queries/log/receipts.ts'
import type { CheckpointSigner } from '../../../runtime/proof/signer.ts'
import { ErrorBody, mustExist, notFound } from '../../errors.ts'
import type { Route } from '../route.ts'
import { asksForJson, checkTree, logAccess, neededSigner, newestCheckpoint, varyByAccept } from './log-access.ts'
import { TEXT } from './log-text.ts'
import { NUMBER, size, SIZE } from './tree-size.ts'

/** The checkpoint of a size with its cosignatures; null if none is kept. */
const findKept = async (
  { reader, written }: Pick<CheckpointSigner, 'reader' | 'written'>,
  asked: number,
): Promise<ProvingCheckpoint | null> => {
  const { checkpoint, cosignatures } = await reader.readAll({
    checkpoint: findCheckpoint(asked),
    cosignatures: listCosignatures(asked, asked),
  })
  return checkpoint && { ...checkpoint, cosignatures: written(cosignatures) }
}

export const getInclusionProofRoute: Route = (app, { signer, config }) => {
  const access = logAccess(config)
  app.get(
    '/log/proof/:index',
    {
      config: access.rules,
      schema: {
        tags: ['log'],
        operationId: 'getInclusionProof',
        summary: 'A proof that the record of an index, counted from 0, is in the log',
        params: z.object({
          index: z.string().meta({ pattern: NUMBER.source, description: 'Index of the record, counted from 0.' }),
        }),
        querystring: z.strictObject({
          size: size.optional().meta({
            ...SIZE,
            description: 'Size of a checkpoint that the log keeps; without it, the newest.',
          }),
        }),
        response: {
          200: {
            description: 'A proof of c2sp.org/tlog-proof, or its parts.',
            content: { [TEXT]: { schema: z.string() }, 'application/json': { schema: InclusionProof } },
          },
          404: ErrorBody,
          503: ErrorBody,
        },
      },
    },
    async (request, reply) => {
      const { viewer, params, query, headers } = request
      access.check(viewer)
      const needed = neededSigner(signer)
      const newest = await newestCheckpoint(needed)
      const checkpoint = mustExist(query.size === undefined ? newest : await findKept(needed, query.size), 'checkpoint')
      if (!NUMBER.test(params.index) || Number(params.index) >= checkpoint.size) throw notFound('record')
      await checkTree(needed)
      const { reader } = needed
      const index = Number(params.index)
      void reply.headers(varyByAccept(access.headers('changing')))
      if (asksForJson(headers.accept)) return reply.send(await inclusionJson(reader, index, checkpoint))
      return reply.type(TEXT).send(await inclusionText(reader, index, checkpoint))
    },
  )
}
