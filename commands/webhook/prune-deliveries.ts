import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

/** The newest ended deliveries of each webhook that stay, and for how long. */
const MAX_ENDED = 1000
const MAX_AGE_MS = 30 * 86_400_000

/** Deletes deliveries that ended long ago, or that have many newer ones. `at` is in epoch milliseconds. */
export const pruneDeliveries = (viewer: Viewer, { at }: { readonly at: number }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [
      statement`DELETE FROM webhook_deliveries WHERE next_at IS NULL AND created_at < ${at - MAX_AGE_MS}`,
      statement`
        DELETE FROM webhook_deliveries WHERE delivery_id IN (
          SELECT delivery_id FROM (
            SELECT delivery_id, row_number() OVER (PARTITION BY webhook_id ORDER BY delivery_id DESC) AS n
            FROM webhook_deliveries WHERE next_at IS NULL) ranked
          WHERE n > ${MAX_ENDED})`,
    ],
  })
