import { z } from 'zod'
import { BadParameter } from '../../../queries/bad-parameter.ts'
import { consistencyPath, rootAt } from '../../../queries/log/tree.ts'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { checkTree, logAccess, neededSigner, newestCheckpoint } from './log-access.ts'
import { size, SIZE } from './tree-size.ts'

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

export const getConsistencyProofRoute: Route = (app, { signer, config }) => {
  const access = logAccess(config)
  app.get(
    '/log/consistency',
    {
      config: access.rules,
      schema: {
        tags: ['log'],
        operationId: 'getConsistencyProof',
        summary: 'A proof that the records of a smaller log begin a larger one',
        querystring: z.strictObject({
          from: size.meta({ ...SIZE, description: 'Size of the smaller log: its number of records.' }),
          to: size.meta({ ...SIZE, description: 'Size of the larger log.' }),
        }),
        response: { 200: ConsistencyProof, 404: ErrorBody, 503: ErrorBody },
      },
    },
    async ({ viewer, query }, reply) => {
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
    },
  )
}
