import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { markText, markedPattern, needsMarkers } from './marked-text.ts'
import { InvalidRegex, readPattern } from './regex-syntax.ts'

/** A regular expression that takes linear time on every text (RE2 syntax: no look-around, no back-references). */
export type Regex = {
  /** Whether the pattern matches anywhere in the text. */
  readonly test: (text: string) => boolean
  /**
   * Replaces every match. `$1`, `$name`, `${1}` and `${name}` in the replacement stand for groups, `$$` for a dollar
   * sign. A group that did not take part, or that does not exist, is empty text.
   */
  readonly replaceAll: (text: string, replacement: string) => string
}

export { InvalidRegex }

const CACHED_PATTERNS = 1000
// Longer patterns could take seconds to compile.
const MAX_PATTERN_LENGTH = 10_000

const compiled = new LRUCache<string, Regex>({ max: CACHED_PATTERNS })

/**
 * Compiles a pattern, or returns the one compiled earlier. `\d`, `\w`, `\s` and `\b` are those of Unicode. Throws
 * `InvalidRegex`.
 */
export const compileRegex = (pattern: string): Regex => {
  const cached = compiled.get(pattern)
  if (cached !== undefined) return cached
  const regex = compile(pattern)
  compiled.set(pattern, regex)
  return regex
}

/**
 * Compiles a `pattern` of a JSON Schema: the syntax of ECMA-262, whose `\d`, `\w` and `\b` are those of ASCII. Throws
 * `InvalidRegex`.
 */
export const compileSchemaRegex = (pattern: string): Pick<Regex, 'test'> => {
  requireShort(pattern)
  const re = parse(RE2JS.translateRegExp(pattern))
  return { test: (text) => re.matcher(text).find() }
}

const requireShort = (pattern: string): void => {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new InvalidRegex(`the pattern is longer than ${MAX_PATTERN_LENGTH} characters`)
}

const compile = (pattern: string): Regex => {
  requireShort(pattern)
  const parts = readPattern(pattern)
  const re = parse(parts.map(({ text }) => text).join(''))
  const seesWords = parts.some((part) => part.kind === 'assertion' && /[bB]/.test(part.assertion))
  if (!seesWords) return { test: (text) => re.matcher(text).find(), replaceAll: replacer(re) }
  let marked: RE2JS | undefined
  const markedRe = () => (marked ??= parse(markedPattern(parts), RE2JS.LOOKBEHINDS))
  return {
    test: (text) => (needsMarkers(text) ? markedRe().matcher(markText(text).text) : re.matcher(text)).find(),
    replaceAll: (text, replacement) => {
      if (!needsMarkers(text)) return replaceAll(re, text, replacement)
      const { text: markedText, offsets } = markText(text)
      return replaceAll(markedRe(), text, replacement, markedText, (offset) => offsets[offset]!)
    },
  }
}

const replacer =
  (re: RE2JS): Regex['replaceAll'] =>
  (text, replacement) =>
    replaceAll(re, text, replacement)

const parse = (pattern: string, flags = 0): RE2JS => {
  try {
    return RE2JS.compile(pattern, flags)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    throw new InvalidRegex(/^invalid repeat count/.test(why) ? `${why} (at most 1000)` : why, { cause: error })
  }
}

const GROUP = /\$(?:\$|\{(\w+)\}|(\w+))/g

/** Replaces in `text` what matches in `searched`, where `offsetOf` translates offsets in it to those in `text`. */
const replaceAll = (
  re: RE2JS,
  text: string,
  replacement: string,
  searched = text,
  offsetOf: (offset: number) => number = (offset) => offset,
): string => {
  const matcher = re.matcher(searched)
  const names = re.namedGroups()
  const groupAt = (number: number): string => {
    const start = matcher.start(number)
    return start < 0 ? '' : text.slice(offsetOf(start), offsetOf(matcher.end(number)))
  }
  const group = (reference: string): string => {
    if (/^\d+$/.test(reference)) return Number(reference) <= matcher.groupCount() ? groupAt(Number(reference)) : ''
    return Object.hasOwn(names, reference) ? groupAt(names[reference]!) : ''
  }
  const hasGroups = replacement.includes('$')
  const parts: string[] = []
  let end = 0
  let hasMatched = false
  while (matcher.find()) {
    const [from, to] = [offsetOf(matcher.start()), offsetOf(matcher.end())]
    // An empty match right after a match is none of its own.
    if (hasMatched && to === end) continue
    hasMatched = true
    parts.push(text.slice(end, from))
    parts.push(
      hasGroups
        ? replacement.replace(GROUP, (all, braced?: string, plain?: string) =>
            all === '$$' ? '$' : group(braced ?? plain ?? ''),
          )
        : replacement,
    )
    end = to
  }
  parts.push(text.slice(end))
  return parts.join('')
}
