import { DOT_NAME, isDotName } from '../domain/run/dot-names.ts'
import { Refused } from './refused.ts'

/** Refuses: unprocessable, with the field, if project or suite is `.` or `..`, which clients remove from a URL. */
export const refuseDotNames = (names: { readonly project: string; readonly suite: string | null }): void => {
  for (const field of ['project', 'suite'] as const)
    if (isDotName(names[field])) throw new Refused('unprocessable', `${field}: ${DOT_NAME}`)
}
