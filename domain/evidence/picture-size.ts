// The width and height of a picture from its first bytes, so that a page asks before it draws a huge one.

/** Bytes from which the size of nearly every picture is known: pictures of cameras have their preview before it. */
export const SIZE_BYTES = 64 * 1024

/** A picture of more pixels, or of more bytes, is drawn after a press alone. */
const MAX_PIXELS = 50_000_000
export const MAX_PICTURE_BYTES = 20 * 1024 * 1024

export type PictureSize = { readonly width: number; readonly height: number }

const text = (view: DataView, at: number, length: number): string =>
  Array.from({ length }, (_, i) => String.fromCharCode(view.getUint8(at + i))).join('')

const pngSize = (view: DataView): PictureSize => ({ width: view.getUint32(16), height: view.getUint32(20) })

/** The frame of a JPEG comes after any number of segments, each with its length. */
const jpegSize = (view: DataView): PictureSize | null => {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    // A byte that fills, or a marker without a segment.
    at += marker === 0xff ? 1 : marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 2 : 2 + view.getUint16(at + 2)
  }
  return null
}

/** A browser draws a GIF as large as its screen or its first picture. */
const gifSize = (view: DataView): PictureSize | null => {
  const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))
  const screen = { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  let at = 13 + tableBytes(view.getUint8(10))
  while (view.getUint8(at) === 0x21) {
    at += 2
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at)
    at++
  }
  if (view.getUint8(at) !== 0x2c) return screen
  const [left, top] = [view.getUint16(at + 1, true), view.getUint16(at + 3, true)]
  return {
    width: Math.max(screen.width, left + view.getUint16(at + 5, true)),
    height: Math.max(screen.height, top + view.getUint16(at + 7, true)),
  }
}

const webpSize = (view: DataView): PictureSize | null => {
  const kind = text(view, 12, 4)
  const three = (at: number): number => view.getUint16(at, true) + 65_536 * view.getUint8(at + 2)
  if (kind === 'VP8X') return { width: 1 + three(24), height: 1 + three(27) }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  return kind === 'VP8 '
    ? { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    : null
}

/** The largest of the pictures of which an AVIF is made. */
const avifSize = (view: DataView): PictureSize | null => {
  const names = new TextDecoder('latin1').decode(view)
  let largest: PictureSize | null = null
  for (let at = names.indexOf('ispe'); at >= 0; at = names.indexOf('ispe', at + 4)) {
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size
  }
  return largest
}

const READERS: ReadonlyMap<string, (view: DataView) => PictureSize | null> = new Map([
  ['image/png', pngSize],
  ['image/jpeg', jpegSize],
  ['image/gif', gifSize],
  ['image/webp', webpSize],
  ['image/avif', avifSize],
])

/** The size of a picture of a type from its first bytes; null if they do not say it. */
export const pictureSize = (type: string, bytes: Uint8Array): PictureSize | null => {
  const read = READERS.get(type)
  try {
    return read?.(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)) ?? null
  } catch (error) {
    // The bytes end before it.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Whether a picture may take much memory, or its bytes do not say. A drawing is as large as it is shown. */
export const isLargePicture = (type: string, bytes: number, size: PictureSize | null): boolean =>
  bytes > MAX_PICTURE_BYTES || (type !== 'image/svg+xml' && (size === null || size.width * size.height > MAX_PIXELS))
