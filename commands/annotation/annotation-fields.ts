// The limits of what people add to a run. Each function returns what is wrong with a field, or null.

export const MAX_TITLE = 200
export const MAX_RUN_NOTE = 2_000
/** The maximum number of characters of a comment, and of comments on a run with its cases. */
export const MAX_COMMENT = 10_000
export const MAX_RUN_COMMENTS = 1_000
/** The number of tags that a run can have in addition to those of its document, and the maximum length of each. */
export const MAX_ADDED_TAGS = 50
export const MAX_TAG = 100

const isText = (text: string, max: number): boolean =>
  text.isWellFormed() && !text.includes('\0') && text.trim() !== '' && [...text].length <= max

const problem = (max: number): string =>
  `must have 1 to ${max} characters, not only blanks, no NUL, and be well-formed Unicode`

export const titleProblem = (title: string): string | null => (isText(title, MAX_TITLE) ? null : problem(MAX_TITLE))
export const runNoteProblem = (note: string): string | null =>
  isText(note, MAX_RUN_NOTE) ? null : problem(MAX_RUN_NOTE)
export const commentProblem = (text: string): string | null => (isText(text, MAX_COMMENT) ? null : problem(MAX_COMMENT))
export const tagProblem = (tag: string): string | null => (isText(tag, MAX_TAG) ? null : problem(MAX_TAG))
