/** An error response, or no response (`status` is 0). `requestId` identifies the request in the server's log. */
export class ErsError extends Error {
  override readonly name = 'ErsError'
  readonly status: number
  readonly requestId: string | null

  constructor(status: number, message: string, requestId: string | null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.requestId = requestId
  }
}

/** Escapes control characters, so that the text of a server cannot control a terminal or break a line. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )

/** The error of a response whose status is no success. `text` is its body. */
export const errorOf = ({ status, headers }: Response, text: string): ErsError =>
  new ErsError(status, printable(messageIn(text) ?? `the server answered ${status}`), headers.get('x-request-id'))

const messageIn = (text: string): string | null => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : null
  } catch {
    // A proxy answers with a page of its own.
    return null
  }
}
