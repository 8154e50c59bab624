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
