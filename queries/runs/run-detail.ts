import { z } from 'zod'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { orNull, rfc3339, usd } from '../wire.ts'
import { LISTED, ListedRow, RunListItem, sharedFields } from './run-list.ts'

const count = z.number().int()
const text = z.string().nullable()

/** A run in full: the row's fields without its rate, and what only the detail tells. */
export const RunDetail = RunListItem.omit({ pass_rate: true, empty_count: true })
  .extend({
    uploaded_at: z.string(),
    schema_version: count,
    content_hash: z.string(),
    config_digest: text,
    cache_read_tokens: count.nullable(),
    cache_write_tokens: count.nullable(),
    cache_savings_usd: z.number().nullable(),
    grader_cost_usd: z.number().nullable(),
    assert_labels: z.array(z.string()),
    empty_counts: z.record(z.string(), count).optional(),
  })
  .meta({ id: 'RunDetail' })
export type RunDetail = z.infer<typeof RunDetail>

const DetailRow = ListedRow.extend({
  uploaded_at: count,
  schema_version: count,
  content_hash: z.string(),
  config_digest: text,
  cache_read_tokens: count.nullable(),
  cache_write_tokens: count.nullable(),
  cache_savings_micro: count.nullable(),
  grader_cost_micro: count.nullable(),
  assert_labels: z.array(z.string()),
  empty_counts: z.record(z.string(), count).nullable(),
})

/** One run in full, or null. */
export const findRunDetail = (viewer: Viewer, id: string): Query<RunDetail | null> =>
  mapped(
    maybeOne(sql.type(DetailRow)`
      SELECT ${LISTED}, runs.uploaded_at, runs.schema_version, runs.content_hash, runs.config_digest, runs.cache_read_tokens, runs.cache_write_tokens,
        runs.cache_savings_micro, runs.grader_cost_micro, runs.assert_labels, runs.empty_counts
      FROM runs WHERE runs.id = ${id} AND ${visible(viewer, 'runs')}`),
    (row) =>
      row && {
        ...sharedFields(row, { rate: {}, empty: {} }),
        uploaded_at: rfc3339(row.uploaded_at),
        schema_version: row.schema_version,
        content_hash: row.content_hash,
        config_digest: orNull(row.config_digest),
        cache_read_tokens: row.cache_read_tokens,
        cache_write_tokens: row.cache_write_tokens,
        cache_savings_usd: usd(row.cache_savings_micro),
        grader_cost_usd: usd(row.grader_cost_micro),
        assert_labels: row.assert_labels,
        ...(row.empty_counts && Object.keys(row.empty_counts).length > 0 ? { empty_counts: row.empty_counts } : {}),
      },
  )
