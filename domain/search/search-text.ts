import { ownText } from '../text/own-text.ts'
import { partWords } from './parts.ts'
import { indexText } from './tokenizer.ts'

/** The tokenized fields of a run or a case, as the search index stores them. */
export type SearchText = {
  readonly name: string
  readonly tags: string
  readonly error: string
  readonly reasons: string
  readonly output: string
  readonly prompt: string
  /** The ids, and the grams of what is found from any part of it; see `partWords`. */
  readonly parts?: string
}

/**
 * Maximum number of bytes of search text in all fields of one case. A tsvector can store this many bytes, so a search
 * finds the same cases in both databases.
 */
export const SEARCH_TEXT_BYTES = 512 * 1024

type CaseText = {
  readonly name: string
  readonly tags: readonly string[]
  readonly error: string
  readonly reasons: readonly string[]
  readonly output: string
  readonly prompt: string
}

/** Returns the fields of a case. They share the limit in this order: the field that users search most is first. */
export const caseSearchText = ({ name, tags, error, reasons, output, prompt }: CaseText): SearchText => {
  const remaining = { bytes: SEARCH_TEXT_BYTES }
  return {
    name: capped(folded(name), remaining),
    tags: capped(folded(tags.join(' \n ')), remaining),
    error: capped(folded(error), remaining),
    reasons: capped(folded(reasons.join(' \n ')), remaining),
    output: capped(folded(output), remaining),
    prompt: capped(folded(prompt), remaining),
  }
}

/** The ids and the parts of a case. */
export const casePartWords = (
  ids: readonly string[],
  { name, tags, error, reasons, output, prompt }: CaseText,
): string => partWords(ids, [name, ...tags, error, ...reasons, output, prompt])

type RunText = {
  readonly project: string | null
  readonly suite: string | null
  readonly git_branch: string | null
  readonly git_commit: string | null
  readonly note: string | null
  readonly tags: readonly string[]
}

/** Returns the fields of a run. `name` contains its project, suite, branch, commit and note. */
export const runSearchText = ({ project, suite, git_branch, git_commit, note, tags }: RunText): SearchText =>
  caseSearchText({
    name: [project, suite, git_branch, git_commit, note].map((part) => part ?? '').join(' \n '),
    tags,
    error: '',
    reasons: [],
    output: '',
    prompt: '',
  })

/** The id and the parts of a run. */
export const runPartWords = (id: string, { project, suite, git_branch, git_commit, note, tags }: RunText): string =>
  partWords([id], [...[project, suite, git_branch, git_commit, note].map((part) => part ?? ''), ...tags])

/**
 * Maximum number of UTF-16 units of a field that are folded. Marks fold to nothing, so the limit in bytes never stops a
 * text that consists of marks.
 */
const MAX_FOLDED_UNITS = 1024 * 1024

const folded = (text: string): string => {
  const isWhole = text.length <= MAX_FOLDED_UNITS
  const tokens = indexText(isWhole ? text : text.slice(0, MAX_FOLDED_UNITS))
  const whole = isWhole ? tokens : wholeTokens(tokens)
  return whole === text ? text : ownText(whole)
}

/**
 * Removes the last token of index text, because a cut may have split it. Otherwise a search would find half of the
 * word, but not the whole word.
 */
const wholeTokens = (text: string): string => {
  let end = text.length
  while (end > 0 && isToken(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

const capped = (text: string, remaining: { bytes: number }): string => {
  const bytes = Buffer.byteLength(text)
  if (bytes <= remaining.bytes) {
    remaining.bytes -= bytes
    return text
  }
  const truncated = Buffer.from(text).subarray(0, remaining.bytes).toString('utf8')
  remaining.bytes = 0
  return wholeTokens(truncated)
}

/** Whether a UTF-16 unit of index text belongs to a token: ASCII letters and digits, and every non-ASCII unit. */
const isToken = (unit: number): boolean =>
  unit >= 0x80 || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
