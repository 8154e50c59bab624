import { z } from 'zod'
import { page, rfc3339 } from '../../../domain/wire.ts'
import {
  CheckpointList,
  listCheckpointsBelow,
  listCosignatures,
  type StoredCheckpoint,
  type StoredCosignature,
} from '../../../queries/log/checkpoints.ts'
import { ErrorBody } from '../../errors.ts'
import { paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { logAccess, neededSigner } from './log-access.ts'
import { NUMBER } from './log-text.ts'

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

export const listCheckpointsRoute: Route = (app, { signer, config }) => {
  const access = logAccess(config)
  app.get(
    '/log/checkpoints',
    {
      config: access.rules,
      schema: {
        tags: ['log'],
        operationId: 'listCheckpoints',
        summary: 'Checkpoints that were signed, the largest first',
        querystring: z.strictObject(paged(50, 200)),
        response: { 200: CheckpointList, 404: ErrorBody },
      },
    },
    async ({ viewer, query }, reply) => {
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
    },
  )
}
