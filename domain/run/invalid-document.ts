/** Why a run document is rejected: not JSON, no version, a version outside of the window, or a wrong shape. */
export type InvalidReason = 'malformed' | 'missing_version' | 'version' | 'invalid'

/** Thrown for a run document that is not accepted. The message is written for the uploader. */
export class InvalidDocument extends Error {
  readonly reason: InvalidReason

  constructor(reason: InvalidReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InvalidDocument'
    this.reason = reason
  }
}

export const malformedDocument = (detail: string, options?: ErrorOptions) =>
  new InvalidDocument('malformed', `invalid JSON body: ${detail}`, options)
export const invalid = (detail: string, options?: ErrorOptions) =>
  new InvalidDocument('invalid', `invalid run document: ${detail}`, options)

const MAX_QUOTED_UNITS = 80

/** Shortens text for a message to 80 characters, so that hostile input cannot enlarge a response or a log line. */
export const clip = (text: string) =>
  (text.length > MAX_QUOTED_UNITS ? `${text.slice(0, MAX_QUOTED_UNITS - 1)}…` : text).toWellFormed()
