import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'

/**
 * The variables of an example of a dataset: its inputs by name, and what was expected. Inputs of which one is named
 * `expected` too stay together.
 */
export const exampleVars = (input: Json, expected: Json): Record<string, Json> => ({
  ...(isObject(input) && (expected === null || !Object.hasOwn(input, 'expected'))
    ? input
    : input === null
      ? {}
      : { input }),
  ...(expected !== null && { expected }),
})
