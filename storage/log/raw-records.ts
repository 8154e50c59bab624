/**
 * A record as verification reads it, as an array because objects take twice as long. `hashes` is commitment, leaf and salt
 * in lower-case hex, one after another. `body`, its length in bytes, `stream` and `version` are null after an erasure, which
 * also removes the salt. `hasPredecessor` is 0 or false if the version is above 1 and no earlier record has the version
 * before it.
 */
export type RawRecord = readonly [
  seq: number,
  recorded_at: number,
  type: string,
  hashes: string,
  body: string | null,
  bodyBytes: number | null,
  stream: string | null,
  version: number | null,
  hasPredecessor: number | boolean,
]
