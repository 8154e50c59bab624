import { contentTypeOf, TYPE_BYTES } from '../../domain/evidence/content-type.ts'
import { MAX_TRANSCRIPTS_PER_CASE, type CASE_ROLES } from '../../domain/evidence/manifest.ts'
import { mayHoldMedia } from '../../domain/evidence/media.ts'
import { moveToParts } from '../../domain/evidence/move-to-parts.ts'
import type { Json } from '../json.ts'
import type { PartsFolder } from './parts-folder.ts'

/** A part of a case, as its manifest says it. */
export type CasePart = {
  readonly sha256: string
  readonly bytes: number
  readonly role: (typeof CASE_ROLES)[number]
  readonly name: string
  readonly media_type: string
}

/** The parts of one case, or of one answer. */
export type CollectedParts = {
  /**
   * Moves pictures, sounds and files of a value into parts, named for what they are in; `part:` with the digest stands in their place. Those in
   * Markdown also stay in the text, if `isShown` and the document has room: the page draws them from there.
   */
  readonly move: <T extends Json | undefined>(value: T, role: CasePart['role'], name: string, isShown?: boolean) => T
  /** Adds bytes, and returns whether there was room. */
  readonly add: (part: Omit<CasePart, 'sha256' | 'bytes'>, bytes: Uint8Array) => boolean
  readonly parts: readonly CasePart[]
}

/** Parts that one case may have: a manifest takes 1,000. */
const MAX_CASE_PARTS = 1000
const MAX_NAME_BYTES = 400
const MEDIA_TYPE = /^[a-z]{1,30}\/[\w.+-]{1,60}$/i

/**
 * Collects parts in a folder, after those that are there already. What finds no room stays where it is. A manifest takes all that is
 * collected, whatever the answer of a provider or an entry of the cache says of it.
 */
export const collectParts = (folder: PartsFolder, before: readonly CasePart[] = []): CollectedParts => {
  const parts = before.map((part) => ({ ...part, name: shortName(part.name) }))
  const digests = new Set(parts.map(({ sha256 }) => sha256))
  const hasRoomFor = (role: CasePart['role']): boolean =>
    role !== 'transcript' || parts.filter((part) => part.role === role).length < MAX_TRANSCRIPTS_PER_CASE
  const enter = ({ role, name, media_type }: Omit<CasePart, 'sha256' | 'bytes'>, bytes: Uint8Array): string | null => {
    const sha256 = parts.length < MAX_CASE_PARTS && hasRoomFor(role) ? folder.put(bytes) : null
    if (sha256 === null || digests.has(sha256)) return sha256
    const type = MEDIA_TYPE.test(media_type) ? media_type : contentTypeOf(bytes.subarray(0, TYPE_BYTES)).type
    const part = { sha256, bytes: bytes.length, role, name: shortName(name), media_type: type }
    if (!folder.room.takeEntry(Buffer.byteLength(JSON.stringify(part)))) return null
    digests.add(sha256)
    parts.push(part)
    return sha256
  }
  return {
    parts,
    move: <T extends Json | undefined>(value: T, role: CasePart['role'], name: string, isShown = false): T => {
      if (value === undefined || !mayHoldMedia(JSON.stringify(value))) return value
      const move = moveToParts(
        {
          name,
          has: (digest) => digests.has(digest),
          add: (_, partName, media_type, bytes) => enter({ role, name: partName, media_type }, bytes),
        },
        { movesTexts: false, keepsPictures: (length) => isShown && folder.room.takePictures(length) },
      )
      // Safe: texts are replaced by texts, and nothing else is changed.
      return move(value, role) as T
    },
    add: (part, bytes) => enter(part, bytes) !== null,
  }
}

/** A name that a manifest takes. */
const shortName = (name: string): string => {
  let short = name.slice(0, MAX_NAME_BYTES).toWellFormed().replaceAll('\0', '')
  while (Buffer.byteLength(short) > MAX_NAME_BYTES) short = short.slice(0, -1).toWellFormed()
  return short
}
