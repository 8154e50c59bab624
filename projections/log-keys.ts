import { statement } from '../storage/sql.ts'
import { projection } from './projection.ts'

/** The keys that have signed checkpoints of this log. A key may be adopted again after it was retired. */
export const logKeys = projection(
  { name: 'log_keys', version: 1, tables: ['log_keys'] },
  {
    LogKeyAdopted: ({ seq, recorded_at, data: { key_id, origin, vkey, continues } }) => [
      statement`
        INSERT INTO log_keys (key_id, origin, vkey, continues, adopted_at, adopted_seq, retired_at)
        VALUES (${key_id}, ${origin}, ${vkey}, ${continues && JSON.stringify(continues)}, ${recorded_at}, ${seq}, NULL)
        ON CONFLICT (key_id) DO UPDATE SET retired_at = NULL`,
    ],
    LogKeyRetired: ({ recorded_at, data: { key_id } }) => [
      statement`UPDATE log_keys SET retired_at = ${recorded_at} WHERE key_id = ${key_id}`,
    ],
  },
)
