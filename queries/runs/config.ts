import { zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { orNull } from '../../domain/wire.ts'

/** A run's configuration digest and the resolved configuration itself. */
export const RunConfig = z
  .object({ run_id: z.string(), config_digest: z.string().nullable(), config: z.unknown() })
  .meta({ id: 'RunConfig' })

const Row = z.object({
  id: z.string(),
  config_digest: z.string().nullable(),
  raw_length: z.number(),
  bytes: z.instanceof(Buffer),
})

const Size = z.object({ raw_length: z.number() })

/** The length in bytes of a run's configuration as text; null for an unknown or hidden run. */
export const findConfigSize = (viewer: Viewer, run_id: string): Query<number | null> =>
  mapped(
    maybeOne(sql.type(Size)`
      SELECT run_configs.raw_length FROM runs JOIN run_configs ON run_configs.run_no = runs.run_no
      WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')}`),
    (row) => row?.raw_length ?? null,
  )

/** The configuration as JSON text (numbers keep all their digits); null for an unknown or hidden run. */
export const findConfig = async (reader: Reader, viewer: Viewer, run_id: string): Promise<string | null> => {
  const row = await reader.read(
    maybeOne(sql.type(Row)`
      SELECT runs.id, runs.config_digest, run_configs.raw_length, run_configs.bytes
      FROM runs JOIN run_configs ON run_configs.run_no = runs.run_no
      WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')}`),
  )
  if (!row) return null
  const config = zstdDecompressSync(row.bytes, { maxOutputLength: row.raw_length }).toString('utf8')
  return `{"run_id":${JSON.stringify(row.id)},"config_digest":${JSON.stringify(orNull(row.config_digest))},"config":${config}}`
}

/** The configurations of two runs. */
export const ComparedConfigs = z.object({ base: RunConfig, head: RunConfig }).meta({ id: 'ComparedConfigs' })

/** The configurations of two runs as JSON text; null if a run is unknown or hidden. */
export const findConfigs = async (
  reader: Reader,
  viewer: Viewer,
  asked: { readonly base: string; readonly head: string },
): Promise<string | null> => {
  const base = await findConfig(reader, viewer, asked.base)
  const head = await findConfig(reader, viewer, asked.head)
  return base === null || head === null ? null : `{"base":${base},"head":${head}}`
}
