import { sql, statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'
import { saltedDigest } from './credential.ts'

/** An account, key or static token, with the label that is shown in lists. A key may have no label. */
export type Principal = { readonly id: string; readonly kind: 'user' | 'key' | 'static'; readonly label: string | null }

/**
 * The field of events that store a label: its salted digest, so that the stored label can be compared with the event. Null
 * for no label. Older events do not have this field.
 */
export type LabelDigest = { readonly label_sha256?: string | null }

/** Returns the digest of a label for its event. */
export const labelDigest = ({ kind, label }: Principal, salt: string): string | null =>
  label === null ? null : saltedDigest(salt, kind, label)

/** The text of a row of `principals` whose digest is in the event. */
export const labelText = sql.fragment`coalesce(salt, '') || ' ' || kind || ' ' || label`

/**
 * Stores the label of a principal in the transaction of its event, because events contain only ids. A label remains
 * stored after its account is deleted.
 */
export const storeLabel = ({ id, kind, label }: Principal, salt: string): Statement => statement`
  INSERT INTO principals (id, kind, label, salt) VALUES (${id}, ${kind}, ${label}, ${label === null ? null : salt})
  ON CONFLICT (id) DO UPDATE SET label = excluded.label, salt = excluded.salt`

/** Deletes a label with its salt: the digest in the log means nothing then. */
export const deleteLabel = (id: string): Statement =>
  statement`UPDATE principals SET label = NULL, salt = NULL WHERE id = ${id}`
