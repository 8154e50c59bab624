import { statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'

/** An account, key or static token, with the label that is shown in lists. A key may have no label. */
export type Principal = { readonly id: string; readonly kind: 'user' | 'key' | 'static'; readonly label: string | null }

/**
 * Stores the label of a principal in the transaction of its event, because events contain only ids. A label remains
 * stored after its account is deleted.
 */
export const storeLabel = ({ id, kind, label }: Principal): Statement => statement`
  INSERT INTO principals (id, kind, label) VALUES (${id}, ${kind}, ${label})
  ON CONFLICT (id) DO UPDATE SET label = excluded.label`
