import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { page, rfc3339 } from '../../../domain/wire.ts'
import {
  CheckpointList,
  cosignedNote,
  findCheckpoint,
  listCheckpointsBelow,
  listCosignatures,
} from '../../../queries/log/checkpoints.ts'
import type { StoredCheckpoint, StoredCosignature } from '../../../queries/log/checkpoints.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import { cursor, flag, limit, NoParameters } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'
import { logAccess, neededSigner, newestCheckpoint, NO_POLICY } from './log-access.ts'

/** The content type of signed notes, keys, proofs and receipts. */
export const TEXT = 'text/plain; charset=utf-8'

/** Describes an answer that is text. */
const textContent = (description: string) => ({
  description,
  content: { [TEXT]: { schema: z.string() } },
})

const NUMBER = /^[1-9]\d{0,14}$/

/** The last second of the year 9999, the last year that RFC 3339 can express. */
const MAX_SECONDS = 253_402_300_799

const listed = (
  { size, root, signed_at, note }: StoredCheckpoint,
  cosignatures: readonly StoredCosignature[],
): CheckpointList['checkpoints'][number] => ({
  size,
  root: root.toString('base64'),
  signed_at: rfc3339(signed_at),
  note,
  // A witness can sign any number as its time, and 0 for none.
  cosigned_by: cosignatures.flatMap(({ key_name, at }) =>
    at > 0 && at <= MAX_SECONDS ? [{ name: key_name, at: rfc3339(at * 1000) }] : [],
  ),
})

const SizePath = z.object({
  size: z.string().meta({ pattern: NUMBER.source, description: 'Size of the log: its number of records.' }),
})

/** Signed checkpoints of the log (c2sp.org/tlog-checkpoint), and the keys that sign them. */
export const checkpointRoutes =
  ({ signer, config }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['log']
    const access = logAccess(config)

    const keys = {
      tags,
      operationId: 'getLogKeys',
      summary: 'The keys that verify checkpoints of this service, one a line',
      querystring: NoParameters,
      response: { 200: textContent('Verifier keys of c2sp.org/signed-note.'), 404: ErrorBody },
    }
    app.get('/log/keys', { config: { scope: null }, schema: keys }, async (_request, reply) => {
      const { vkeys } = neededSigner(signer)
      return reply.type(TEXT).send(vkeys.map((vkey) => `${vkey}\n`).join(''))
    })

    const newest = {
      tags,
      operationId: 'getCheckpoint',
      summary: 'The newest checkpoint, or the newest one that enough witnesses have cosigned',
      querystring: z.strictObject({
        cosigned: flag.meta({ description: 'Whether the checkpoint must meet the witness policy.' }),
      }),
      response: { 200: textContent('A signed note.'), 404: ErrorBody, 503: ErrorBody },
    }
    app.get('/log/checkpoint', { config: access.rules, schema: newest }, async ({ viewer, query }, reply) => {
      access.check(viewer)
      const needed = neededSigner(signer)
      const found = query.cosigned ? await needed.newestCosigned() : await newestCheckpoint(needed)
      if (!found)
        throw new Refused('not_found', needed.hasPolicy() ? 'no checkpoint has enough cosignatures yet' : NO_POLICY)
      return reply.headers(access.headers('changing')).type(TEXT).send(cosignedNote(found, found.cosignatures))
    })

    const list = {
      tags,
      operationId: 'listCheckpoints',
      summary: 'Checkpoints that were signed, the largest first',
      querystring: z.strictObject({ limit: limit(50, 200), cursor }),
      response: { 200: CheckpointList, 404: ErrorBody },
    }
    app.get('/log/checkpoints', { config: access.rules, schema: list }, async ({ viewer, query }, reply) => {
      access.check(viewer)
      const { reader } = neededSigner(signer)
      const below = NUMBER.test(query.cursor ?? '') ? Number(query.cursor) : Number.MAX_SAFE_INTEGER
      const found = await reader.read(listCheckpointsBelow(below, query.limit + 1))
      const { rows, next_cursor } = page(found, query.limit, ({ size }) => String(size))
      const [first, last] = [rows[0], rows.at(-1)]
      const cosignatures = first && last ? await reader.read(listCosignatures(last.size, first.size)) : []
      const bySize = Map.groupBy(cosignatures, ({ size }) => size)
      return reply
        .headers(access.headers('changing'))
        .send({ checkpoints: rows.map((row) => listed(row, bySize.get(row.size) ?? [])), next_cursor })
    })

    const one = {
      tags,
      operationId: 'getCheckpointOfSize',
      summary: 'The checkpoint of a size',
      params: SizePath,
      querystring: NoParameters,
      response: { 200: textContent('A signed note.'), 404: ErrorBody },
    }
    app.get('/log/checkpoints/:size', { config: access.rules, schema: one }, async ({ viewer, params }, reply) => {
      access.check(viewer)
      const { reader, written } = neededSigner(signer)
      const size = NUMBER.test(params.size) ? Number(params.size) : 0
      const { checkpoint, cosignatures } = await reader.readAll({
        checkpoint: findCheckpoint(size),
        cosignatures: listCosignatures(size, size),
      })
      if (!checkpoint) throw notFound('checkpoint')
      return reply
        .headers(access.headers('changing'))
        .type(TEXT)
        .send(cosignedNote(checkpoint, written(cosignatures)))
    })
  }
