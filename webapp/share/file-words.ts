import { hasWholeCases, SHARED_PARTS, type SharedPart } from '../../domain/report/shared-parts.ts'
import type { SharedFile } from '../../queries/share/shared-file.ts'
import { formatCount } from '../text/format.ts'

/** What each part takes with it. */
const PART_WORDS: Readonly<Record<SharedPart, string>> = {
  outputs: 'outputs (with tool calls, reasoning and the messages of assertions and errors)',
  vars: 'variables (with prompts, requests and the messages of assertions and errors)',
  prompts: 'prompts and requests',
  raw: 'raw answers of providers',
}

/**
 * What the file does not have of the cases, in sentences; null if it has all.
 */
export const leftOutSentence = ({
  without,
  max_output_bytes,
  is_cut,
}: Pick<SharedFile, 'without' | 'max_output_bytes' | 'is_cut'>): string | null => {
  const left = new Set(without)
  const parts = SHARED_PARTS.filter((part) => left.has(part) || (part === 'raw' && !hasWholeCases({ without: left })))
  const sentences = [
    ...(parts.length === 0 ? [] : [`Left out of this file: ${parts.map((part) => PART_WORDS[part]).join('; ')}.`]),
    ...(max_output_bytes === null || !is_cut
      ? []
      : [`Outputs beyond ${formatCount(max_output_bytes / 1024)} KiB are cut.`]),
  ]
  return sentences.length === 0 ? null : sentences.join(' ')
}
