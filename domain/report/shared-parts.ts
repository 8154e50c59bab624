// What a file that is given away can leave out.

/** The parts of cases that such a file can leave out, and what people said about them. */
export const SHARED_PARTS = ['outputs', 'vars', 'prompts', 'raw', 'comments'] as const
export type SharedPart = (typeof SHARED_PARTS)[number]

/** Outputs in such a file are cut after so many bytes, unless whole ones are asked for. */
export const MAX_SHARED_OUTPUT_BYTES = 4 * 1024

export type SharedParts = {
  readonly without: ReadonlySet<SharedPart>
  /** Longer outputs are cut; null for whole outputs. */
  readonly maxOutputBytes: number | null
}

/** Whether the cases in the file are whole, but for cuts. */
export const hasWholeCases = ({ without }: Pick<SharedParts, 'without'>): boolean =>
  [...without].every((part) => part === 'comments')

/** Whether comments are in the file: they may quote outputs, variables and prompts. */
export const hasComments = ({ without }: Pick<SharedParts, 'without'>): boolean =>
  [...without].every((part) => part === 'raw')
