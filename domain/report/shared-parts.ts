import type { ManifestEntry } from '../evidence/manifest.ts'

// What a file that is given away can leave out, and what it has only on demand.

/** The parts of cases that such a file can leave out. */
export const SHARED_PARTS = ['outputs', 'vars', 'prompts', 'raw'] as const
export type SharedPart = (typeof SHARED_PARTS)[number]

/** What is about the run without being part of it: in such a file only if it is asked for. */
export const SHARED_EXTRAS = ['comments'] as const
export type SharedExtra = (typeof SHARED_EXTRAS)[number]

/** Outputs in such a file are cut after so many bytes, unless whole ones are asked for. */
export const MAX_SHARED_OUTPUT_BYTES = 4 * 1024

export type SharedParts = {
  readonly without: ReadonlySet<SharedPart>
  /** Longer outputs are cut; null for whole outputs. */
  readonly maxOutputBytes: number | null
}

/** Whether the cases in the file are whole, but for cuts. */
export const hasWholeCases = ({ without }: Pick<SharedParts, 'without'>): boolean => without.size === 0

/** Whether a file without these parts can have comments: they may quote outputs, variables and prompts. */
export const mayHaveComments = (without: Iterable<SharedPart>): boolean => [...without].every((part) => part === 'raw')

/** Why a file cannot have comments without these parts. */
export const COMMENTS_MAY_QUOTE =
  'comments may quote outputs, variables and prompts, so they need all three in the file'

/** What of the evidence such a file can have, next to parts that are named by their digests. */
export const SHARED_FILE_KINDS = ['images', 'transcripts'] as const

/** The bytes of parts that such a file has at most. */
export const MAX_SHARED_FILE_BYTES = 25 * 1024 * 1024

/** A part in such a file: its entry of the manifest, and what its bytes are. */
export type SharedFilePart = ManifestEntry & { readonly type: string }
