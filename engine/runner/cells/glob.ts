import { ANY, exactly, fits, RUN } from '../../text/wildcards.ts'

/**
 * Returns a test of a whole text: `*` matches any run of characters, `/` included, `?` one code point, everything else
 * itself.
 */
export const globMatcher = (pattern: string): ((text: string) => boolean) => {
  const parts = [...pattern].map((part) => (part === '*' ? RUN : part === '?' ? ANY : exactly(part)))
  return (text) => fits(parts, text)
}
