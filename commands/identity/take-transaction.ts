import { findTransaction } from '../../queries/access/identities.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

/**
 * Uses a transaction up and returns it; null if there is none. It is read under the lock, so only one caller receives
 * it. The caller checks its provider and whether it has expired; it is used up in any case.
 */
export const takeTransaction = (viewer: Viewer, { id_hash }: { readonly id_hash: string }) =>
  command(viewer, {
    facts: { transaction: findTransaction(id_hash) },
    decide: () => [],
    statements: [statement`DELETE FROM sso_transactions WHERE id_hash = ${id_hash}`],
    result: (_recorded, { transaction }) => transaction,
  })
