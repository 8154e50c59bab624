import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { BadParameter } from '../../../queries/bad-parameter.ts'
import { findCheckpoint, listCosignatures } from '../../../queries/log/checkpoints.ts'
import { InclusionProof, inclusionJson, inclusionText } from '../../../queries/log/receipts.ts'
import type { ProvingCheckpoint } from '../../../queries/log/receipts.ts'
import { consistencyPath, rootAt } from '../../../queries/log/tree.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import type { CheckpointSigner } from '../../../runtime/proof/signer.ts'
import type { Services } from '../../services.ts'
import { TEXT } from './checkpoints.ts'
import { asksForJson, checkTree, logAccess, neededSigner, newestCheckpoint, varyByAccept } from './log-access.ts'

const NUMBER = /^(?:0|[1-9]\d{0,14})$/

const base64 = z.string().meta({ contentEncoding: 'base64' })

const ConsistencyProof = z
  .object({
    from: z.number().int(),
    to: z.number().int(),
    from_root: base64,
    to_root: base64,
    proof: z.array(base64),
  })
  .meta({ id: 'ConsistencyProof' })

/** For the API's document: parameters are text, but this one means a number. */
const SIZE = { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 } as const

const size = z
  .string()
  .refine((text) => NUMBER.test(text), 'must be a number of records')
  .transform(Number)
  .meta(SIZE)

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

/** Inclusion proofs and consistency proofs of the log (RFC 6962 2.1). */
export const proofRoutes =
  ({ signer, config }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['log']
    const access = logAccess(config)

    const inclusion = {
      tags,
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
        400: ErrorBody,
        404: ErrorBody,
        503: ErrorBody,
      },
    }
    app.get('/log/proof/:index', { config: access.rules, schema: inclusion }, async (request, reply) => {
      const { viewer, params, query, headers } = request
      access.check(viewer)
      const needed = neededSigner(signer)
      const newest = await newestCheckpoint(needed)
      const checkpoint = query.size === undefined ? newest : await findKept(needed, query.size)
      if (!checkpoint) throw notFound('checkpoint')
      if (!NUMBER.test(params.index) || Number(params.index) >= checkpoint.size) throw notFound('record')
      await checkTree(needed)
      const { reader } = needed
      const index = Number(params.index)
      void reply.headers(varyByAccept(access.headers('changing')))
      if (asksForJson(headers.accept)) return reply.send(await inclusionJson(reader, index, checkpoint))
      return reply.type(TEXT).send(await inclusionText(reader, index, checkpoint))
    })

    const consistency = {
      tags,
      operationId: 'getConsistencyProof',
      summary: 'A proof that the records of a smaller log begin a larger one',
      querystring: z.strictObject({
        from: size.meta({ ...SIZE, description: 'Size of the smaller log: its number of records.' }),
        to: size.meta({ ...SIZE, description: 'Size of the larger log.' }),
      }),
      response: { 200: ConsistencyProof, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
    }
    app.get('/log/consistency', { config: access.rules, schema: consistency }, async ({ viewer, query }, reply) => {
      access.check(viewer)
      const { from, to } = query
      const needed = neededSigner(signer)
      const newest = await newestCheckpoint(needed)
      // Nothing follows from an empty tree.
      if (from < 1) throw new BadParameter('from: must be 1 or more')
      if (to < from) throw new BadParameter('to: must not be less than from')
      if (to > newest.size)
        throw new BadParameter(`to: must be at most ${newest.size}, the size of the newest checkpoint`)
      await checkTree(needed)
      const { reader } = needed
      const proof = await consistencyPath(reader, from, to)
      const [from_root, to_root] = [await rootAt(reader, from), await rootAt(reader, to)]
      return reply.headers(access.headers('changing')).send({
        from,
        to,
        from_root: from_root.toString('base64'),
        to_root: to_root.toString('base64'),
        proof: proof.map((hash) => hash.toString('base64')),
      })
    })
  }
