import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { Refused } from '../refused.ts'

/** The maximum size of a body after decompression. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

export type Encoding = 'gzip' | 'deflate' | null

const tooLarge = (): Refused => new Refused('too_large', `the request body is larger than ${MAX_BODY_BYTES} bytes`)

/**
 * Decodes the content encoding and stops a decompression bomb as soon as it exceeds the limit. Refuses: bad_request
 * (the body does not have this encoding, or is truncated), too_large.
 */
export const inflate = (body: Uint8Array, encoding: Encoding): Uint8Array => {
  if (encoding === null) {
    if (body.length > MAX_BODY_BYTES) throw tooLarge()
    return body
  }
  try {
    const options = { maxOutputLength: MAX_BODY_BYTES, info: true }
    if (encoding === 'gzip') return completeOutput(gunzipSync(body, options), body)
    // "deflate" means the zlib format, but some clients send a raw deflate stream.
    return completeOutput(isZlib(body) ? inflateSync(body, options) : inflateRawSync(body, options), body)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new Refused('bad_request', `the body is not valid ${encoding} data`)
  }
}

/** Whether "deflate" bytes are in zlib format, not the raw stream that some clients send. */
export const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

/** The result of zlib with `info: true`, which its types do not declare. */
type Inflated = { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }

/**
 * Returns the output from a zlib result with `info: true`. Throws unless zlib read the whole body: zlib ignores bytes
 * after the end of the stream.
 */
export const completeOutput = (answer: unknown, body: Uint8Array): Uint8Array => {
  const { buffer, engine } = answer as Inflated
  if (engine.bytesWritten !== body.length) throw new Error('there are bytes after the end of the stream')
  return buffer
}
