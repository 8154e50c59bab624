import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { Refused } from '../refused.ts'

/** The largest body after decompression. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

export type Encoding = 'gzip' | 'deflate' | null

const tooLarge = (): Refused => new Refused('too_large', `the request body is larger than ${MAX_BODY_BYTES} bytes`)

/**
 * Undoes the content encoding, cutting a bomb as soon as it passes the bound. Refuses: bad_request (not that encoding,
 * or cut short), too_large.
 */
export const inflate = (body: Uint8Array, encoding: Encoding): Uint8Array => {
  if (encoding === null) {
    if (body.length > MAX_BODY_BYTES) throw tooLarge()
    return body
  }
  try {
    const options = { maxOutputLength: MAX_BODY_BYTES, info: true }
    if (encoding === 'gzip') return wholly(gunzipSync(body, options), body)
    // "deflate" means the zlib format, yet some clients send the bare stream.
    return wholly(isZlib(body) ? inflateSync(body, options) : inflateRawSync(body, options), body)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new Refused('bad_request', `the body is not valid ${encoding} data`)
  }
}

/** Whether "deflate" is the zlib format that it means, and not the bare stream that some clients send. */
export const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

/** What zlib answers with `info`; its types know the plain answer alone. */
type Inflated = { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }

/**
 * What came out of a body, from zlib's answer with `info: true`. Throws unless the whole body went in: zlib itself
 * passes over what follows a stream.
 */
export const wholly = (answer: unknown, body: Uint8Array): Uint8Array => {
  const { buffer, engine } = answer as Inflated
  if (engine.bytesWritten !== body.length) throw new Error('something follows the end of the stream')
  return buffer
}
