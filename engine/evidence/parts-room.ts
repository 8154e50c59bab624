import { MAX_ENTRIES, MAX_MANIFEST_BYTES } from '../../domain/evidence/manifest.ts'

/** What the parts of one run can still take. Each question that is answered with true takes it. */
export type PartsRoom = {
  /** Whether the manifest has a place for an entry of this many bytes. */
  readonly takeEntry: (bytes: number) => boolean
  /** Whether the document has a place for a text with pictures, by its length. */
  readonly takePictures: (length: number) => boolean
}

/** The key of the case and its name in an entry. */
const CASE_KEY_BYTES = 100
/** Room for the start and the end of a manifest. */
const FRAME_BYTES = 1024
/** Texts with pictures that a document keeps as they are: a service takes one of 64 MiB. */
const MAX_PICTURES = 16 * 1024 * 1024

/** The room of a run that has no parts yet. */
export const partsRoom = (maxEntries = MAX_ENTRIES): PartsRoom => {
  let entries = 0
  let entryBytes = 0
  let pictures = 0
  return {
    takeEntry: (bytes) => {
      const all = entryBytes + bytes + CASE_KEY_BYTES
      if (entries >= maxEntries || all > MAX_MANIFEST_BYTES - FRAME_BYTES) return false
      entries++
      entryBytes = all
      return true
    },
    takePictures: (length) => {
      if (pictures + length > MAX_PICTURES) return false
      pictures += length
      return true
    },
  }
}
