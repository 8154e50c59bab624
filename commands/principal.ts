import { statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'

/** Who may act, under the label that lists show. A key may have none. */
export type Principal = { readonly id: string; readonly kind: 'user' | 'key' | 'static'; readonly label: string | null }

/** Writes a label beside the event that brings it: events hold ids alone, and a label outlives its account. */
export const labelled = ({ id, kind, label }: Principal): Statement => statement`
  INSERT INTO principals (id, kind, label) VALUES (${id}, ${kind}, ${label})
  ON CONFLICT (id) DO UPDATE SET label = excluded.label`
