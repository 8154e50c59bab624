import { withoutMarks } from '../../../text/plain-line.ts'
import { visibleLine } from '../../../text/visible-text.ts'

const FAIL = /\bfail(?:s|ed|ing|ure|ures)?\b/i
const ITEM = /^[ \t]*(?:[-*+•]|\d{1,4}[.)])[ \t]/
/** A reason is read up to here for the paragraph that says fail. */
const MAX_READ = 100_000

/**
 * Where the first paragraph begins that says fail; a list item is a paragraph. 0 if none says so, or if the first does.
 */
export const firstFailure = (reason: string): number => {
  let [position, paragraph] = [0, 0]
  let isAfterBlank = true
  for (const line of reason.slice(0, MAX_READ).split('\n')) {
    if (line.trim() === '') isAfterBlank = true
    else {
      if (isAfterBlank || ITEM.test(line)) paragraph = position
      isAfterBlank = false
      if (FAIL.test(line)) return paragraph
    }
    position += line.length + 1
  }
  return 0
}

const MAX_SENTENCE = 240

/** The first sentence of a text, on one line without marks of Markdown; of a reason that says fail, that of the first such paragraph. */
export const firstSentence = (reason: string): string => {
  const line =
    reason
      .slice(firstFailure(reason))
      .trimStart()
      .slice(0, 2 * MAX_SENTENCE)
      .split('\n', 1)[0] ?? ''
  // A full stop after an abbreviation or a number ends no sentence, unless a capital letter follows.
  const plain = withoutMarks(line)
  const [sentence = plain] = /^.{12,}?[.!?](?=\s+[\p{Lu}"'(])/u.exec(plain) ?? []
  return visibleLine(sentence.slice(0, MAX_SENTENCE))
}
