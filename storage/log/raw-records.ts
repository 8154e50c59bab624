/**
 * A record as verification reads it, as an array because objects take twice as long. `content` is the salt and the body,
 * concatenated; with `saltBytes`, `stream` and `version` it is null after an erasure. `hasPredecessor` is 0 or false if the
 * version is above 1 and no earlier record has the version before it.
 */
export type RawRecord = readonly [
  seq: number,
  recorded_at: number,
  type: string,
  commitment: string,
  leaf: string,
  content: Buffer | null,
  saltBytes: number | null,
  stream: string | null,
  version: number | null,
  hasPredecessor: number | boolean,
]
