import { isRawNumber } from '../../domain/run/canonical-json.ts'
import type { Json } from '../json.ts'

/** The text of an output: a string as it is, any other value as compact JSON. No output, or null, is empty text. */
export const textView = (output: Json | undefined): string => {
  if (typeof output === 'string') return output
  return output === undefined || output === null ? '' : JSON.stringify(output)
}

/** Whether an output is blank: none, null, `[]`, `{}`, or a text that trims to nothing. Numbers and booleans never are. */
export const isBlank = (output: Json | undefined): boolean => {
  if (output === undefined || output === null) return true
  if (typeof output === 'string') return output.trim() === ''
  return typeof output === 'object' && !isRawNumber(output) && Object.keys(output).length === 0
}
