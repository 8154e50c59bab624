import type { Print } from '../measures.ts'
import { measureExports } from './exports.ts'

/** Formats of other tools: a file for each measure. */
export const interchange = async (print: Print): Promise<void> => {
  print('### Exports\n')
  await measureExports(print)
}
