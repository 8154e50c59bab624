import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { entryBundle, listEntries } from '../../../queries/log/entries.ts'
import { parseTilePath, TILE_WIDTH } from '../../../queries/log/tile-paths.ts'
import type { TilePath } from '../../../queries/log/tile-paths.ts'
import { readTile } from '../../../queries/log/tree.ts'
import { BadParameter } from '../../../queries/bad-parameter.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { acceptedCodings } from '../../requests/accepted-codings.ts'
import { NoParameters } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'
import { checkTree, logAccess, neededSigner, newestCheckpoint, RECORDS_ACCESS, recordsHeaders } from './log-access.ts'

const compress = promisify(gzip)

const BYTES = 'application/octet-stream'

const LEVEL = /^(?:\d|[1-5]\d|6[0-3])$/

const bytesContent = (description: string) => ({ description, content: { [BYTES]: { schema: z.unknown() } } })

const TilePlace = z.string().meta({
  description:
    'Number of the tile in groups of three digits, `x001/x234/067`; of a partial tile with `.p/` and its width.',
})

/** The number and width in a path. Throws `BadParameter`. */
const tileOf = (path: string): TilePath => {
  const tile = parseTilePath(path)
  if (!tile)
    throw new BadParameter(
      'the number of a tile must be in groups of three digits, x001/x234/067, with .p/1 to .p/255 for a partial tile',
    )
  return tile
}

/**
 * Refuses other spellings of an address: not_found. Paths of tiles need no escapes and no parameters, and shared caches keep
 * each spelling as an answer of its own.
 */
const checkSpelling = ({ url }: { readonly url: string }): void => {
  if (/[%?#]/.test(url)) throw notFound('tile')
}

/** Whether a tree of a size has all nodes of a tile. */
const isWithin = (size: number, level: number, { n, width }: TilePath): boolean =>
  (n * TILE_WIDTH + width) * TILE_WIDTH ** level <= size

/** Hash tiles and entry bundles (c2sp.org/tlog-tiles). */
export const tileRoutes =
  ({ signer, config }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['log']
    const access = logAccess(config)
    const lifetimeOf = ({ width }: TilePath) => (width === TILE_WIDTH ? 'immutable' : 'changing')

    const entries = {
      tags,
      operationId: 'getEntryTile',
      summary: 'The entries of up to 256 records, each after its length in two bytes',
      params: z.object({ '*': TilePlace }),
      querystring: NoParameters,
      response: { 200: bytesContent('An entry bundle.'), 404: ErrorBody, 503: ErrorBody },
    }
    app.get('/log/tile/entries/*', { config: RECORDS_ACCESS, schema: entries }, async (request, reply) => {
      const { viewer, params, headers } = request
      checkSeesAll(viewer)
      const tile = tileOf(params['*'])
      checkSpelling(request)
      const needed = neededSigner(signer)
      const { size } = await newestCheckpoint(needed)
      if (!isWithin(size, 0, tile)) throw notFound('tile')
      const found = await needed.reader.read(listEntries(tile.n * TILE_WIDTH, tile.width))
      // Clients keep a bundle for a year: one that lacks records must not reach them.
      if (found.length !== tile.width)
        throw new Error('the log lacks records that a checkpoint covers: run "ers verify"')
      void reply.headers(recordsHeaders(lifetimeOf(tile))).type(BYTES)
      const bundle = entryBundle(found)
      // Entries are alike: gzip makes a bundle of 37 KB about a third as large. Every answer varies by Accept-Encoding.
      if (!acceptedCodings(headers['accept-encoding']).has('gzip')) return reply.send(bundle)
      return reply.header('content-encoding', 'gzip').send(await compress(bundle))
    })

    const hashes = {
      tags,
      operationId: 'getHashTile',
      summary: 'Up to 256 hashes of the tree at a level',
      params: z.object({
        level: z.string().meta({ pattern: LEVEL.source, description: 'Level of the tile, counted from 0.' }),
        '*': TilePlace,
      }),
      querystring: NoParameters,
      response: { 200: bytesContent('A tile.'), 404: ErrorBody, 503: ErrorBody },
    }
    app.get('/log/tile/:level/*', { config: access.rules, schema: hashes }, async (request, reply) => {
      const { viewer, params } = request
      access.check(viewer)
      if (!LEVEL.test(params.level)) throw new BadParameter('the level of a tile must be a number from 0 to 63')
      const [level, tile] = [Number(params.level), tileOf(params['*'])]
      checkSpelling(request)
      const needed = neededSigner(signer)
      const { size } = await newestCheckpoint(needed)
      if (!isWithin(size, level, tile)) throw notFound('tile')
      await checkTree(needed)
      const found = await readTile(needed.reader, level, tile.n, tile.width)
      if (!found) throw notFound('tile')
      return reply
        .headers(access.headers(lifetimeOf(tile)))
        .type(BYTES)
        .send(found)
    })
  }
