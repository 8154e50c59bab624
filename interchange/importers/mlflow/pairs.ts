import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'

/** A list of `{key, value}` as an object. `read` reads each value. */
export const pairsOf = (list: Json | undefined, read = (value: Json): Json => value): Record<string, Json> =>
  Object.fromEntries(
    (Array.isArray(list) ? (list as Json[]) : []).flatMap((pair) =>
      isObject(pair) && typeof pair['key'] === 'string' ? [[pair['key'], read(pair['value'] ?? null)]] : [],
    ),
  )
