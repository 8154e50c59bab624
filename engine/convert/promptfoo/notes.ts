import type { Json, JsonObject } from '../../json.ts'
import { isFileText, pathIn } from '../../suite/file-reference.ts'

/**
 * Collects one line for each thing that a conversion left out, guessed or could not convert. Equal lines are collected once. The
 * place is empty for a line about the whole suite.
 */
export type Notes = { readonly add: (place: string, text: string) => void; readonly lines: () => readonly string[] }

/** Returns the text of a file, by its path from the folder of the configuration; null if it cannot be read. */
export type ReadText = (path: string) => string | null

/** A place in the configuration that is converted. */
export type Place = { readonly place: string; readonly notes: Notes; readonly read: ReadText }

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

/** Notes every key of `mapping` that is not in `known`, unless it is empty. `false` is noted: it may switch a default off. */
export const noteDropped = (mapping: JsonObject, known: ReadonlySet<string>, place: string, notes: Notes): void => {
  for (const [key, value] of Object.entries(mapping)) {
    if (known.has(key) || (value !== false && isEmpty(value))) continue
    notes.add(
      place,
      key === 'cache' && value === false
        ? '`cache: false` was dropped: start the run with `--no-cache`'
        : `\`${key}\` has no counterpart and was dropped`,
    )
  }
}

/** The path of a `file://` text; null for any other value. */
export const filePath = (value: Json | undefined): string | null =>
  typeof value === 'string' && isFileText(value) ? pathIn(value) : null

/** Whether a path names a program rather than data: promptfoo runs these files, and no suite does. */
export const isProgram = (path: string): boolean => /\.(?:[cm]?[jt]s|py|rb|go|sh)(?::[\w.]+)?$/i.test(path)
