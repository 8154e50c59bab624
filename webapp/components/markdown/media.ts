/** Pictures and sounds of a stored text up to this size are shown, in characters of their address. */
const MAX_LENGTH = 5 * 1024 * 1024

const DATA =
  /^data:(?<type>(?<kind>image|audio)\/(?:png|jpeg|gif|webp|wav|x-wav|mpeg|mp3|ogg|webm|mp4|flac|aac));base64,(?<data>[A-Za-z0-9+/=\s]+)$/

/** What an address holds: a picture or a sound, its media type and its size in bytes. */
export type Media = { readonly kind: 'image' | 'audio'; readonly type: string; readonly bytes: number }

/**
 * The picture (PNG, JPEG, GIF or WebP) or sound in a `data:` address. Null for anything else: SVG, which is a document, what
 * is larger than 5 MB, and each address that would have to be requested.
 */
export const mediaOf = (address: string): Media | null => {
  if (address.length > MAX_LENGTH) return null
  const { type = '', kind, data = '' } = DATA.exec(address)?.groups ?? {}
  if (kind !== 'image' && kind !== 'audio') return null
  if (kind === 'image' && !/^image\/(?:png|jpeg|gif|webp)$/.test(type)) return null
  return { kind, type, bytes: Math.floor((data.replace(/[\s=]+/g, '').length * 3) / 4) }
}
