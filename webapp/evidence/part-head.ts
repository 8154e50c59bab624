import { pictureSize, SIZE_BYTES, type PictureSize } from '../../domain/evidence/picture-size.ts'
import { api } from '../api/api.ts'

/** What the first bytes of a part say: its type from the server, its length, and the size of a picture. */
export type PartHead = { readonly type: string; readonly bytes: number; readonly size: PictureSize | null }

/** The first bytes of a body; the rest is not fetched. */
export const firstBytes = async (body: ReadableStream<Uint8Array>, count: number): Promise<Uint8Array> => {
  const reader = body.getReader()
  const bytes = new Uint8Array(count)
  let length = 0
  while (length < count) {
    const { done, value } = await reader.read()
    if (done) return bytes.subarray(0, length)
    const part = value.subarray(0, count - length)
    bytes.set(part, length)
    length += part.length
  }
  await reader.cancel()
  return bytes
}

/** The type of a part as the server read it from its bytes. */
export const typeIn = (headers: Headers): string =>
  headers.get('content-type')?.split(';')[0] ?? 'application/octet-stream'

/** Reads the head of a part. */
export const readHead = async (path: string, signal: AbortSignal): Promise<PartHead> => {
  const { headers, body } = await api.stream(path, signal)
  const type = typeIn(headers)
  const first = body === null ? new Uint8Array() : await firstBytes(body, SIZE_BYTES)
  return { type, bytes: Number(headers.get('content-length') ?? first.length), size: pictureSize(type, first) }
}
