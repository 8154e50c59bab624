import type { Json, JsonObject } from '../../json.ts'
import { isFileText, pathIn } from '../../suite/file-reference.ts'

/** Collects one line for each thing that a conversion left out or guessed. Equal lines are kept once. */
export type Notes = { readonly add: (place: string, text: string) => void; readonly lines: () => readonly string[] }

export const openNotes = (): Notes => {
  const lines = new Set<string>()
  return {
    add: (place, text) => void lines.add(place === '' ? text : `${place}: ${text}`),
    lines: () => [...lines],
  }
}

/** The value as a mapping; null if it is none. */
export const asMapping = (value: Json | undefined): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)
    ? (value as JsonObject)
    : null

/** The value as a list; null if it is none. */
export const asList = (value: Json | undefined): readonly Json[] | null =>
  Array.isArray(value) ? (value as readonly Json[]) : null

/** Whether a value can stand where a text is wanted. */
export const isScalar = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Whether a configuration says nothing here: absent, null, false, or an empty list, mapping or text. */
export const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  asList(value)?.length === 0 ||
  (asMapping(value) !== null && Object.keys(value as JsonObject).length === 0)

/** Notes every key of `mapping` that is not in `known` and says something. */
export const noteDropped = (mapping: JsonObject, known: ReadonlySet<string>, place: string, notes: Notes): void => {
  for (const key of Object.keys(mapping))
    if (!known.has(key) && !isEmpty(mapping[key])) notes.add(place, `\`${key}\` has no counterpart and was dropped`)
}

/** The path of a `file://` text; null for any other value. */
export const filePath = (value: Json | undefined): string | null =>
  typeof value === 'string' && isFileText(value) ? pathIn(value) : null

/** Whether a path names a program rather than data: promptfoo runs these files, and no suite does. */
export const isProgram = (path: string): boolean => /\.(?:[cm]?[jt]s|py|rb|go|sh)(?::[\w.]+)?$/i.test(path)
