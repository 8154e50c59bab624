/** A body is longer or slower than its reader allows. The message continues a sentence about the server. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused'
}

export type BodyLimits = {
  /** The longest body, in bytes after decompression. */
  readonly maxBytes: number
  /** How long the reader waits for a body, in milliseconds, plus 1 ms for each 16 bytes; a minute if not given. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 60_000
const MIN_BYTES_PER_MS = 16

/**
 * Yields the parts of a body within its limits. A server that sends a byte now and then is too slow; a slow line is not. The
 * time that the caller takes for a part does not count. Throws `BodyRefused`, and the errors of the connection. If the
 * caller stops early, the rest of the body is dropped.
 */
export const bodyParts = async function* (
  { body }: Pick<Response, 'body'>,
  { maxBytes, patienceMs = PATIENCE_MS }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  let length = 0
  let waitedMs = 0
  let isWhole = false
  try {
    for (;;) {
      const beganMs = performance.now()
      const { done, value } = await within(patienceMs + length / MIN_BYTES_PER_MS - waitedMs, reader.read())
      waitedMs += performance.now() - beganMs
      if (done) {
        isWhole = true
        return
      }
      length += value.length
      if (length > maxBytes) throw new BodyRefused(`sends an answer larger than ${maxBytes} bytes`)
      yield value
    }
  } finally {
    // Not waited for: the connection may never report its end.
    if (!isWhole) reader.cancel().catch(() => undefined)
  }
}

/** The whole body. Throws as `bodyParts` does. */
export const readBody = async (response: Pick<Response, 'body'>, limits: BodyLimits): Promise<Buffer<ArrayBuffer>> => {
  const parts: Uint8Array[] = []
  for await (const part of bodyParts(response, limits)) parts.push(part)
  return Buffer.concat(parts)
}

const MAX_REASON_BYTES = 64 * 1024

/**
 * The first 64 KiB of a body that only explains a status. If the server is too slow, only the part that it sent. Throws the
 * errors of the connection.
 */
export const readReason = async (response: Pick<Response, 'body'>): Promise<string> => {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of bodyParts(response, { maxBytes: Infinity })) {
      parts.push(part)
      length += part.length
      if (length >= MAX_REASON_BYTES) break
    }
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error
  }
  return Buffer.concat(parts).toString('utf8', 0, MAX_REASON_BYTES)
}

/** Drops a body that is not needed. */
export const dropBody = async (response: Pick<Response, 'body'>): Promise<void> => {
  await response.body?.cancel()
}

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyRefused('sends its answer too slowly')), Math.max(0, ms))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    // The slower of the two may still fail.
    work.catch(() => undefined)
  }
}
