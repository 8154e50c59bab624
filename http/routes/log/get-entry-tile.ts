import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { z } from 'zod'
import { entryBundle, listEntries } from '../../../queries/log/entries.ts'
import { TILE_WIDTH } from '../../../queries/log/tile-paths.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { acceptedCodings } from '../../requests/accepted-codings.ts'
import type { Route } from '../route.ts'
import { neededSigner, newestCheckpoint, RECORDS_ACCESS, recordsHeaders } from './log-access.ts'
import { BYTES, bytesContent, checkSpelling, isWithin, lifetimeOf, tileOf, TilePlace } from './tile.ts'

const compress = promisify(gzip)

export const getEntryTileRoute: Route = (app, { signer }) =>
  app.get(
    '/log/tile/entries/*',
    {
      config: RECORDS_ACCESS,
      schema: {
        tags: ['log'],
        operationId: 'getEntryTile',
        summary: 'The entries of up to 256 records, each preceded by its length in two bytes',
        params: z.object({ '*': TilePlace }),
        response: { 200: bytesContent('An entry bundle.'), 404: ErrorBody, 503: ErrorBody },
      },
    },
    async (request, reply) => {
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
    },
  )
