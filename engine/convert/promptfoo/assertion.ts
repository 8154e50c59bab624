import type { Json, JsonObject } from '../../json.ts'
import { filePath, isProgram, type Place } from './notes.ts'

/** An assertion of a suite, before `not-` and its weight. */
export type Assertion = JsonObject & { readonly type: string }

/** No assertion, and a note that says why. */
export const dropped = (kind: string, why: string, { place, notes }: Place): readonly Assertion[] => {
  notes.add(place, `\`${kind}\` was dropped: ${why}`)
  return []
}

/** Notes an assertion that an empty answer may pass in promptfoo. */
export const noteEmpty = ({ place, notes }: Place): void =>
  notes.add(place, 'this can pass on an empty answer in promptfoo, and never does here')

/** A value that is in a file becomes `{$file: path}`. */
export const referenced = (value: Json, { place, notes }: Place): Json => {
  const path = filePath(value)
  if (path === null) return value
  if (isProgram(path)) notes.add(place, `\`${path}\` is a program: its text is used, not its result`)
  return { $file: path }
}
