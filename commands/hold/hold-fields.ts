import { DOT_NAME, isDotName } from '../../domain/run/dot-names.ts'
import { isName } from '../../domain/run/readers.ts'

// The rules of the fields of a legal hold, for request bodies and for the command. Each function returns what is wrong with
// a field, or null.

/** The maximum length of a note, in code points. */
export const MAX_NOTE = 2000

export const noteProblem = (note: string): string | null =>
  note.isWellFormed() && !note.includes('\0') && [...note].length <= MAX_NOTE
    ? null
    : `must have at most ${MAX_NOTE} characters, no NUL, and be well-formed Unicode`

/** A project or a suite. A run may have an empty one. */
export const nameProblem = (name: string): string | null => {
  if (isDotName(name)) return DOT_NAME
  return isName(name) ? null : 'must be a name that a run can have: at most 400 bytes of UTF-8, no NUL'
}
