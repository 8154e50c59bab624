import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

/** A regular expression that takes linear time on every text (RE2 syntax: no look-around, no back-references). */
export type Regex = {
  /** Whether the pattern matches anywhere in the text. */
  readonly test: (text: string) => boolean
  /**
   * Replaces every match. `$1`, `$name`, `${1}` and `${name}` in the replacement represent groups, `$$` for a dollar
   * sign. A group that did not take part, or that does not exist, is empty text.
   */
  readonly replaceAll: (text: string, replacement: string) => string
}

/** A pattern that is no regular expression. The message says why. */
export class InvalidRegex extends Error {
  override readonly name = 'InvalidRegex'
}

const CACHED_PATTERNS = 1000
// Longer patterns could take seconds to compile.
const MAX_PATTERN_LENGTH = 10_000

const compiled = new LRUCache<string, Regex>({ max: CACHED_PATTERNS })

/** Compiles a pattern, or returns the one compiled earlier. Throws `InvalidRegex`. */
export const compileRegex = (pattern: string): Regex => {
  const cached = compiled.get(pattern)
  if (cached !== undefined) return cached
  const regex = compile(pattern)
  compiled.set(pattern, regex)
  return regex
}

const compile = (pattern: string): Regex => {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new InvalidRegex(`the pattern is longer than ${MAX_PATTERN_LENGTH} characters`)
  const re = parse(pattern)
  return {
    test: (text) => re.matcher(text).find(),
    replaceAll: (text, replacement) => replaceAll(re, text, replacement),
  }
}

const parse = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    throw new InvalidRegex(why, { cause: error })
  }
}

const GROUP = /\$(?:\$|\{(\w+)\}|(\w+))/g

const replaceAll = (re: RE2JS, text: string, replacement: string): string => {
  const matcher = re.matcher(text)
  const names = re.namedGroups()
  const group = (reference: string): string => {
    if (/^\d+$/.test(reference))
      return Number(reference) <= matcher.groupCount() ? (matcher.group(Number(reference)) ?? '') : ''
    return Object.hasOwn(names, reference) ? (matcher.group(reference) ?? '') : ''
  }
  const hasGroups = replacement.includes('$')
  const parts: string[] = []
  let end = 0
  let hasMatched = false
  while (matcher.find()) {
    // An empty match right after a match is none of its own.
    if (hasMatched && matcher.end() === end) continue
    hasMatched = true
    parts.push(text.slice(end, matcher.start()))
    parts.push(
      hasGroups
        ? replacement.replace(GROUP, (all, braced?: string, plain?: string) =>
            all === '$$' ? '$' : group(braced ?? plain ?? ''),
          )
        : replacement,
    )
    end = matcher.end()
  }
  parts.push(text.slice(end))
  return parts.join('')
}
