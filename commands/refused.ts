import { includes, type Level } from '../queries/access/levels.ts'

export type Reason =
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'unsupported_encoding'
  | 'unprocessable'

/**
 * Thrown if a rule rejects a command. `extra` contains additional members of the error body. Only `http/` knows status
 * codes.
 */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly reason: Reason
  readonly extra: Readonly<Record<string, string>>

  constructor(reason: Reason, message: string, extra: Readonly<Record<string, string>> = {}) {
    super(message)
    this.reason = reason
    this.extra = extra
  }
}

/** Why a viewer may not write to a restricted run set. */
export const NO_UPLOAD_LEVEL = 'this run set is restricted; you need an upload grant on it'

/** Refuses a viewer whose level on a run set is too low to write to it. */
export const refuseWithoutUpload = (level: Level | null): void => {
  if (!includes(level, 'upload')) throw new Refused('forbidden', NO_UPLOAD_LEVEL)
}
