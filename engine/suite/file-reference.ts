import type { Json } from '../json.ts'
import { hasKey, isMapping } from './values.ts'

/** What a text begins with that names a file of the suite. */
export const FILE_PREFIX = 'file://'

/** Whether a text names a file. */
export const isFileText = (text: string): boolean => text.startsWith(FILE_PREFIX)

/** Returns the path that a text names, with or without `file://`. */
export const pathIn = (text: string): string => (isFileText(text) ? text.slice(FILE_PREFIX.length) : text)

/** Whether a value is the content of a file: `{$file: path}`. */
export const isFileValue = (value: Json | undefined): boolean => isMapping(value) && hasKey(value, '$file')
