import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { Refused } from '../refused.ts'

/** The largest body after decompression. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

export type Encoding = 'gzip' | 'deflate' | null

const tooLarge = (): Refused => new Refused('too_large', `the request body is larger than ${MAX_BODY_BYTES} bytes`)

/** Undoes the content encoding, cutting a bomb as soon as it passes the bound. Refuses: bad_request (not that encoding, or cut short), too_large. */
export const inflate = (body: Uint8Array, encoding: Encoding): Uint8Array => {
  if (encoding === null) {
    if (body.length > MAX_BODY_BYTES) throw tooLarge()
    return body
  }
  try {
    const options = { maxOutputLength: MAX_BODY_BYTES }
    if (encoding === 'gzip') return gunzipSync(body, options)
    // "deflate" means the zlib format, yet some clients send the bare stream.
    return isZlib(body) ? inflateSync(body, options) : inflateRawSync(body, options)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new Refused('bad_request', `the body is not valid ${encoding} data`)
  }
}

/** Whether "deflate" is the zlib format that it means, and not the bare stream that some clients send. */
export const isZlib = ([first = 0, second = 0]: Uint8Array): boolean => (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
