import { indexText } from './tokenizer.ts'

/** What the search index holds of a run or a case, field by field, tokenized. */
export type SearchText = {
  readonly name: string
  readonly tags: string
  readonly error: string
  readonly reasons: string
  readonly output: string
  readonly prompt: string
}

/**
 * Bytes of search text one case may have over all its fields: what a tsvector can hold too, so that both storages find
 * the same.
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

/** A case's fields in the order in which the bound is spent: what people search first comes first. */
export const caseSearchText = ({ name, tags, error, reasons, output, prompt }: CaseText): SearchText => {
  const left = { bytes: SEARCH_TEXT_BYTES }
  return {
    name: capped(folded(name), left),
    tags: capped(folded(tags.join(' \n ')), left),
    error: capped(folded(error), left),
    reasons: capped(folded(reasons.join(' \n ')), left),
    output: capped(folded(output), left),
    prompt: capped(folded(prompt), left),
  }
}

type RunText = {
  readonly project: string | null
  readonly suite: string | null
  readonly git_branch: string | null
  readonly git_commit: string | null
  readonly note: string | null
  readonly tags: readonly string[]
}

/** A run's fields: project, suite, branch, commit and note stand under `name`. */
export const runSearchText = ({ project, suite, git_branch, git_commit, note, tags }: RunText): SearchText =>
  caseSearchText({
    name: [project, suite, git_branch, git_commit, note].map((part) => part ?? '').join(' \n '),
    tags,
    error: '',
    reasons: [],
    output: '',
    prompt: '',
  })

/**
 * UTF-16 units of a field that are folded at all: marks fold to nothing, so a text of them would be work without an
 * end.
 */
const FOLDED_UNITS = 1024 * 1024

const folded = (text: string): string =>
  text.length <= FOLDED_UNITS ? indexText(text) : wholeTokens(indexText(text.slice(0, FOLDED_UNITS)))

/**
 * Index text without its last token, which a cut may have split: half a word would be found where the whole one is not.
 */
const wholeTokens = (text: string): string => {
  let end = text.length
  while (end > 0 && isToken(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

const capped = (text: string, left: { bytes: number }): string => {
  const bytes = Buffer.byteLength(text)
  if (bytes <= left.bytes) {
    left.bytes -= bytes
    return text
  }
  const kept = Buffer.from(text).subarray(0, left.bytes).toString('utf8')
  left.bytes = 0
  return wholeTokens(kept)
}

/** Whether a UTF-16 unit of index text belongs to a token: ASCII letters and digits, and all beyond ASCII. */
const isToken = (unit: number): boolean =>
  unit >= 0x80 || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
