// What a part is, from its first bytes: never from what the client says of it. Only what a browser shows without running anything may be
// shown in place.

/** Bytes of a part from which its type is read. */
export const TYPE_BYTES = 4096

/** The type of a part, and whether a browser may show it in place instead of saving it. */
export type ContentType = { readonly type: string; readonly isInline: boolean }

const OTHER: ContentType = { type: 'application/octet-stream', isInline: false }
const inline = (type: string): ContentType => ({ type, isInline: true })

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', from, to)

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, i) => bytes[i] === byte)

/** Files of ISO base media: the brands that a browser shows. */
const ofBrand = (bytes: Uint8Array): ContentType | null => {
  if (ascii(bytes, 4, 8) !== 'ftyp') return null
  const brand = ascii(bytes, 8, 12)
  if (brand === 'avif' || brand === 'avis') return inline('image/avif')
  if (brand === 'M4A ' || brand === 'M4B ') return inline('audio/mp4')
  return /^(?:isom|iso[2-9]|mp4[12]|avc1|M4V |dash|f4v )$/.test(brand) ? inline('video/mp4') : null
}

const ofRiff = (bytes: Uint8Array): ContentType | null => {
  if (ascii(bytes, 0, 4) !== 'RIFF') return null
  if (ascii(bytes, 8, 12) === 'WAVE') return inline('audio/wav')
  return ascii(bytes, 8, 12) === 'WEBP' ? inline('image/webp') : null
}

const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!DOCTYPE\s+svg[^>]*>\s*)?<svg[\s>]/is

/** The header of a frame of MPEG audio, layer 3. */
const isMp3 = (bytes: Uint8Array): boolean =>
  ascii(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2 && (bytes[2] ?? 0xf0) < 0xf0)

/** The type of a part from its first bytes. What is not known is `application/octet-stream`. */
export const contentTypeOf = (bytes: Uint8Array): ContentType => {
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return inline('image/png')
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return inline('image/jpeg')
  if (/^GIF8[79]a/.test(ascii(bytes, 0, 6))) return inline('image/gif')
  if (ascii(bytes, 0, 4) === 'OggS') return inline('audio/ogg')
  if (ascii(bytes, 0, 4) === 'fLaC') return inline('audio/flac')
  if (startsWith(bytes, 0x1a, 0x45, 0xdf, 0xa3) && ascii(bytes, 0, 64).includes('webm')) return inline('video/webm')
  const media = ofRiff(bytes) ?? ofBrand(bytes)
  if (media) return media
  if (isMp3(bytes)) return inline('audio/mpeg')
  if (ascii(bytes, 0, 5) === '%PDF-') return { type: 'application/pdf', isInline: false }
  // A browser draws it as a picture, and runs nothing of it there. It is never shown in place.
  if (SVG.test(ascii(bytes, 0, TYPE_BYTES))) return { type: 'image/svg+xml', isInline: false }
  return OTHER
}

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff/\\:*?"<>|%]/g

/** The name under which a browser saves a part: without characters of paths, control characters and those that turn the direction of text. */
export const fileNameOf = (name: string | null, sha256: string): string => {
  const safe = (name ?? '')
    .toWellFormed()
    .replaceAll(UNSAFE, '_')
    .replace(/^[.\s]+/, '')
    .trim()
  return safe === '' ? sha256 : safe
}

/** Disposition of a part. The name is only in the form of RFC 8187, so that it needs no quoting. */
export const dispositionOf = ({ isInline }: ContentType, fileName: string): string => {
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isInline ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded}`
}
