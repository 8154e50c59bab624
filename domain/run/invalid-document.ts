/** Why a run document is refused: not JSON, no version, a version outside the window, or the wrong shape. */
export type InvalidReason = 'malformed' | 'missing_version' | 'version' | 'invalid'

/** A run document that cannot be taken. The message is written for the one who sent it. */
export class InvalidDocument extends Error {
  readonly reason: InvalidReason

  constructor(reason: InvalidReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InvalidDocument'
    this.reason = reason
  }
}

export const malformed = (detail: string, options?: ErrorOptions) =>
  new InvalidDocument('malformed', `invalid JSON body: ${detail}`, options)
export const invalid = (detail: string, options?: ErrorOptions) =>
  new InvalidDocument('invalid', `invalid run document: ${detail}`, options)

const QUOTED = 80

/** Text for a message: at most 80 characters, so that hostile input cannot swell an answer or a log line. */
export const clip = (text: string) => (text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text).toWellFormed()
