import { z } from 'zod'
import { DOT_NAME, isDotName } from '../../domain/run/dot-names.ts'
import { isName } from '../../domain/run/readers.ts'
import { NAME } from './shared-parameters.ts'

// The event log stores the names for ever, even if no run ever has them.
const isFilledName = (text: string): boolean => text !== '' && isName(text)

/** A name that a run can have, such as a digest of its configuration. */
export const filledName = z
  .string()
  .refine(isFilledName, 'must be a name that a run can have: 1 to 400 bytes of UTF-8, no NUL')
  .meta(NAME)

/** The name of a project or a suite that may have no runs yet. */
export const newName = filledName.refine((name) => !isDotName(name), DOT_NAME)
