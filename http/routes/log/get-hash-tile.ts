import { z } from 'zod'
import { BadParameter } from '../../../queries/bad-parameter.ts'
import { readTile } from '../../../queries/log/tree.ts'
import { ErrorBody, mustExist, notFound } from '../../errors.ts'
import type { Route } from '../route.ts'
import { checkTree, logAccess, neededSigner, newestCheckpoint } from './log-access.ts'
import { BYTES, bytesContent, checkSpelling, isWithin, lifetimeOf, tileOf, TilePlace } from './tile.ts'

const LEVEL = /^(?:\d|[1-5]\d|6[0-3])$/

export const getHashTileRoute: Route = (app, { signer, config }) => {
  const access = logAccess(config)
  app.get(
    '/log/tile/:level/*',
    {
      config: access.rules,
      schema: {
        tags: ['log'],
        operationId: 'getHashTile',
        summary: 'Up to 256 hashes of the tree at a level',
        params: z.object({
          level: z.string().meta({ pattern: LEVEL.source, description: 'Level of the tile, counted from 0.' }),
          '*': TilePlace,
        }),
        response: { 200: bytesContent('A tile.'), 404: ErrorBody, 503: ErrorBody },
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      access.check(viewer)
      if (!LEVEL.test(params.level)) throw new BadParameter('the level of a tile must be a number from 0 to 63')
      const [level, tile] = [Number(params.level), tileOf(params['*'])]
      checkSpelling(request)
      const needed = neededSigner(signer)
      const { size } = await newestCheckpoint(needed)
      if (!isWithin(size, level, tile)) throw notFound('tile')
      await checkTree(needed)
      const found = mustExist(await readTile(needed.reader, level, tile.n, tile.width), 'tile')
      return reply
        .headers(access.headers(lifetimeOf(tile)))
        .type(BYTES)
        .send(found)
    },
  )
}
