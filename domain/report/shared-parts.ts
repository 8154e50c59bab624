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
