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

/** Reads the error of a response whose status is no success. The body is used up. */
export const errorOf = async (response: Response): Promise<ErsError> => {
  const text = await response.text().catch(() => '')
  return new ErsError(
    response.status,
    messageIn(text) ?? `the server answered ${response.status}`,
    response.headers.get('x-request-id'),
  )
}

const messageIn = (text: string): string | null => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : null
  } catch {
    // A proxy answers with a page of its own.
    return null
  }
}
