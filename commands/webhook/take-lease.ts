import type { Viewer } from '../../queries/access/viewer.ts'
import { findLease } from '../../queries/webhooks/deliveries.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

type Lease = {
  readonly holder: string
  readonly at: number
  /** Until when the holder sends, in epoch milliseconds. */
  readonly until: number
}

/** Takes or renews the lease of the replica that sends, if no other one holds it. Returns whether the holder has it. */
export const takeWebhookLease = (viewer: Viewer, { holder, at, until }: Lease) =>
  command(viewer, {
    facts: { lease: findLease },
    decide: () => [],
    result: (_, { lease }) => lease === null || lease.holder === holder || lease.until <= at,
    statements: [
      statement`
        INSERT INTO webhook_lease (one, holder, until) VALUES (1, ${holder}, ${until})
        ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE webhook_lease.holder = excluded.holder OR webhook_lease.until <= ${at}`,
    ],
  })

/** Gives the lease back, so that another replica need not wait until it ends. */
export const releaseWebhookLease = (viewer: Viewer, { holder }: { readonly holder: string }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [statement`DELETE FROM webhook_lease WHERE holder = ${holder}`],
  })
