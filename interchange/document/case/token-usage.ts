import { isKnown } from '../known.ts'
import type { Usage } from './case-draft.ts'

type Count = number | null | undefined

/** The tokens of a case; null if neither input nor output is known. Tokens of the cache are absent where none were counted. */
export const tokenUsage = (input: Count, output: Count, cacheRead: Count = 0, cacheWrite: Count = 0): Usage | null =>
  !isKnown(input) && !isKnown(output)
    ? null
    : {
        input_tokens: input ?? 0,
        output_tokens: output ?? 0,
        ...(isKnown(cacheRead) && cacheRead > 0 && { cache_read_tokens: cacheRead }),
        ...(isKnown(cacheWrite) && cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
      }

/** The same for a tool that counts the tokens read from a cache as part of the prompt. */
export const promptUsage = (prompt: Count, completion: Count, cached: Count): Usage | null =>
  tokenUsage(isKnown(prompt) ? Math.max(0, prompt - (cached ?? 0)) : prompt, completion, cached)
